// Another thread looks for the id of a new thread while pthread_create stores it.
//@ models: sc tso pso
//@ args: --check all
#include <pthread.h>

static pthread_t second;

static void *nothing(void *arg) {
    return arg;
}

static void *look(void *arg) {
    pthread_t seen = second; //~ VIOLATION: data-race
    return pthread_equal(seen, pthread_self()) ? arg : 0;
}

int main(void) {
    pthread_t first;
    pthread_create(&first, 0, look, 0);
    pthread_create(&second, 0, nothing, 0); //~ VIOLATION: data-race
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
