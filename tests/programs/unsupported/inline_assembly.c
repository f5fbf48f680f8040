// Jumps in inline assembly are not modelled.
int main(void) {
    int x = 1;
    __asm__ volatile("1: decl %0; jne 1b" : "+r"(x)); //~ UNSUPPORTED: assembly
    return x;
}
