// Both threads see the seat free and take it.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static bool taken;
static int passengers;

static void *book(void *arg) {
    (void)arg;
    if (!taken) {
        taken = true;
        __sync_fetch_and_add(&passengers, 1);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, book, 0);
    pthread_create(&b, 0, book, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(passengers == 1); //~ VIOLATION: assertion
    return 0;
}
