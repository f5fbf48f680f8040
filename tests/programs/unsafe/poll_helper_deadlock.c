// A thread polls through a function with a variable of its own: each turn makes the variable
// anew, and nobody ever sets the flag.
//@ models: sc tso pso
//@ lazy: bounded  in the formula a loop with functions of its own is no wait
#include <pthread.h>

static int flag;

static int keep(int *kept, int value) {
    *kept = value;
    return *kept;
}

static int look(void) {
    int kept = 1;
    return __atomic_load_n(&flag, __ATOMIC_SEQ_CST) && keep(&kept, 2);
}

static void *work(void *arg) {
    (void)arg;
    while (!look()) //~ VIOLATION: deadlock
        ;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
