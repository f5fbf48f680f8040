// Inline assembly is not modelled.
int main(void) {
    int x = 1;
    __asm__ volatile("addl $1, %0" : "+r"(x)); //~ UNSUPPORTED: assembly
    return x;
}
