// With --32 a long and a pointer have four bytes.
//@ args: --32
extern void __VERIFIER_assert(int);

static long wide[2];

int main(void) {
    __VERIFIER_assert(sizeof(long) == 4 && sizeof(void *) == 4);
    __VERIFIER_assert((char *)&wide[1] - (char *)&wide[0] == 4);
    wide[1] = -1;
    __VERIFIER_assert(wide[0] == 0 && (unsigned long)wide[1] == 0xffffffffu);
    return 0;
}
