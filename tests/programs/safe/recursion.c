// Recursive functions in several threads, each with its own stack.
#include <assert.h>
#include <pthread.h>

static int results[2];

static int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }

static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }

static void *work(void *arg) {
    long i = (long)arg;
    results[i] = i == 0 ? factorial(6) : even(10);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(results[0] == 720 && results[1] == 1);
    return 0;
}
