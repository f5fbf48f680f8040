// Nobody knows what the processor's clock says, nor what the processor can.
#include <assert.h>

int main(void) {
    unsigned low, high, a = 1, b, c, d;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    if (d & 1) assert(low == 0); //~ VIOLATION: assertion
    return 0;
}
