// An array of variable length is gone at the end of its block; the next one is another, also
// where a thread holds its address meanwhile.
#include <assert.h>
#include <pthread.h>

static void *fill(void *at) {
    *(int *)at = 7;
    return 0;
}

static int sum(int rounds) {
    int total = 0;
    for (int i = 1; i <= rounds; i++) {
        int parts[i];
        for (int j = 0; j < i; j++)
            parts[j] = j;
        total += parts[i - 1];
    }
    return total;
}

int main(void) {
    assert(sum(4) == 6);
    for (int i = 1; i < 3; i++) {
        int slots[i];
        pthread_t thread;
        pthread_create(&thread, 0, fill, slots);
        pthread_join(thread, 0);
        assert(slots[0] == 7);
    }
    return 0;
}
