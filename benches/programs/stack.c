// A bounded stack: one thread pushes N values, another pops as often as it finds
// something. With UNLOCKED the second one forgets the lock while it looks.
#include <assert.h>
#include <pthread.h>

static int stack[N], top;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *push(void *arg) {
    for (int k = 0; k < N; k++) {
        pthread_mutex_lock(&mutex);
        assert(top < N);
        stack[top] = k + 1;
        top++;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

static void *pop(void *arg) {
    for (int k = 0; k < N; k++) {
#ifdef UNLOCKED
        if (top > 0) {
            top--;
            assert(stack[top] > 0);
        }
#else
        pthread_mutex_lock(&mutex);
        if (top > 0) {
            top--;
            assert(stack[top] > 0);
        }
        pthread_mutex_unlock(&mutex);
#endif
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, push, 0);
    pthread_create(&b, 0, pop, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
