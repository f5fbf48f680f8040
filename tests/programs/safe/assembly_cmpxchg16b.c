// Compare and exchange of 16 bytes in inline assembly, in two ways to write it.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

typedef struct {
    uint64_t low, high;
} __attribute__((aligned(16))) Pair;

static Pair shared;

static int exchange(Pair *target, Pair *expected, Pair new) {
    unsigned char same;
    __asm__ __volatile__("lock; cmpxchg16b %0; setz %1"
                         : "+m"(*target), "=q"(same), "+a"(expected->low), "+d"(expected->high)
                         : "b"(new.low), "c"(new.high)
                         : "memory", "cc");
    return same;
}

static int exchange_by_flag(Pair *target, Pair *expected, Pair new) {
    int same;
    __asm__ __volatile__("lock cmpxchg16b (%3)"
                         : "=@ccz"(same), "+a"(expected->low), "+d"(expected->high)
                         : "r"(target), "b"(new.low), "c"(new.high)
                         : "memory");
    return same;
}

static void *add(void *arg) {
    Pair old = {0, 0};
    for (;;) {
        Pair new = {old.low + 1, old.high + 2};
        if (arg ? exchange(&shared, &old, new) : exchange_by_flag(&shared, &old, new)) return 0;
    }
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, &shared);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(shared.low == 2 && shared.high == 4);
    Pair wrong = {2, 3};
    assert(!exchange(&shared, &wrong, (Pair){7, 7}) && wrong.high == 4 && shared.low == 2);
    return 0;
}
