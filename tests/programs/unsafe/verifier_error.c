// __VERIFIER_error, the older name.
extern void __VERIFIER_error(void);

int main(void) {
    volatile int x = 3;
    if (x * x == 9)
        __VERIFIER_error(); //~ VIOLATION: assertion
    return 0;
}
