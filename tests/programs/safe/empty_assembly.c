// Assembly without instructions: it copies what is tied together.
#include <assert.h>

static int x;

static int hide(int value) {
    int copy;
    __asm__("" : "=r"(copy) : "0"(value));
    __asm__ volatile("" : "+r"(copy) : : "memory");
    __asm__ volatile("" : : "g"(&copy), "m"(copy) : "cc");
    __asm__ volatile("" : "+m"(copy));
    return copy;
}

static void swap(long *left, long *right) {
    __asm__("" : "=r"(*left), "=r"(*right) : "1"(*left), "0"(*right));
}

int main(void) {
    long left = 3, right = 4;
    int *pointer = &x;
    swap(&left, &right);
    __asm__ volatile("" : "+r"(pointer));
    assert(left == 4 && right == 3 && pointer == &x && hide(5) == 5);
    return 0;
}
