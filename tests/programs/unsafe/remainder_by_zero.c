// The remainder needs a divisor too.
int main(void) {
    volatile unsigned n = 0;
    return 7 % n; //~ VIOLATION: division-by-zero
}
