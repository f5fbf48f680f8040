// Calls and thread entries through a table of function pointers.
#include <assert.h>
#include <pthread.h>

typedef int (*operation)(int, int);

static int add(int a, int b) { return a + b; }
static int mul(int a, int b) { return a * b; }
static const operation operations[] = {add, mul};
static int out[2];

static void *run_add(void *arg) {
    (void)arg;
    out[0] = operations[0](3, 4);
    return 0;
}

static void *run_mul(void *arg) {
    operation *op = arg;
    out[1] = (*op)(3, 4);
    return 0;
}

static void *(*const entries[])(void *) = {run_add, run_mul};

int main(void) {
    pthread_t threads[2];
    operation op = operations[1];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, entries[i], &op);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(out[0] == 7 && out[1] == 12);
    assert(operations[0] != operations[1]);
    return 0;
}
