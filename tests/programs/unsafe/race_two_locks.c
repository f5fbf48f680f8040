// Each thread holds a lock, but not the same one.
//@ models: sc tso pso
//@ args: --check race
#include <pthread.h>

struct account { int id; long balance; };
static struct account accounts[4];
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void deposit(struct account *to, long amount) {
    to->balance += amount; //~ VIOLATION: data-race
}

static void *first(void *arg) {
    pthread_mutex_lock(&a);
    deposit(&accounts[2], 10);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&b);
    deposit(&accounts[2], 20);
    pthread_mutex_unlock(&b);
    return arg;
}

static pthread_t start(void *(*f)(void *)) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    return t;
}

int main(void) {
    pthread_t t = start(first), u = start(second);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
