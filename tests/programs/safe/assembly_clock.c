// The processor's clock does not run backwards.
//@ verdict: bounded
#include <assert.h>

static unsigned long long cycles(void) {
    unsigned low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (unsigned long long)high << 32 | low;
}

int main(void) {
    unsigned long long before = cycles();
    assert(before <= __builtin_ia32_rdtsc());
    return 0;
}
