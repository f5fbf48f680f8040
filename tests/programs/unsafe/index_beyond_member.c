// An index leaves its array, but not the structure around it: what is written is the next
// member. That is no bad access of the structure, but no access of the array either.
#include <assert.h>
#include <pthread.h>

static struct {
    int cells[2];
    int checked;
} shared;
static int at;

static void *work(void *arg) {
    shared.cells[at & 2] = 1;
    return arg;
}

static void *move(void *arg) {
    at = 2;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, move, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(shared.checked == 0); //~ VIOLATION: assertion
    return 0;
}
