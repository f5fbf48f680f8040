// C11: unlocks a mutex that it does not hold.
//@ cflags: -std=c11
#include <threads.h>

int main(void) {
    mtx_t lock;
    mtx_init(&lock, mtx_plain);
    mtx_unlock(&lock); //~ VIOLATION: mutex-misuse
    return 0;
}
