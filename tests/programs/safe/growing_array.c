// An array that grows under a lock, whoever finds it full. Its size doubles at most as
// often as somebody adds something.
//@ models: sc tso pso
//@ algorithms: dpor optimal
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *items;
static int count, room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(int item) {
    pthread_mutex_lock(&lock);
    if (count == room) {
        room = room ? 2 * room : 1;
        items = realloc(items, room * sizeof *items);
        if (!items)
            abort();
    }
    items[count++] = item;
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg) {
    add(1);
    add(2);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += items[i];
    assert(sum == 6);
    free(items);
    return 0;
}
