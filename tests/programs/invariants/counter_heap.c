// A counter in a heap block that main makes and nobody frees.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct cell {
    int steps;
    pthread_mutex_t lock;
};

static void *walk(void *argument) {
    struct cell *cell = argument;
    for (;;) {
        pthread_mutex_lock(&cell->lock);
        cell->steps = cell->steps == 3 ? 0 : cell->steps + 1;
#ifdef BROKEN
        assert(cell->steps != 3);
#else
        assert(cell->steps <= 3);
#endif
        pthread_mutex_unlock(&cell->lock);
    }
    return 0;
}

int main(void) {
    struct cell *cell = malloc(sizeof *cell);
    cell->steps = 0;
    pthread_mutex_init(&cell->lock, 0);
    pthread_t a, b;
    pthread_create(&a, 0, walk, cell);
    pthread_create(&b, 0, walk, cell);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
