// Exchanges that put back what is there anyway: nobody can tell in which order they come, nor
// whether one comes before a read. One execution.
//@ executions[optimal,sc]: 1
//@ models: sc tso pso
#include <assert.h>
#include <pthread.h>

static int flag = 1;

static void *set(void *arg) {
    (void)arg;
    int before = __atomic_exchange_n(&flag, 1, __ATOMIC_SEQ_CST);
    assert(before == 1);
    before = __atomic_fetch_or(&flag, 1, __ATOMIC_SEQ_CST);
    assert(before == 1);
    return 0;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, set, 0);
    assert(__atomic_load_n(&flag, __ATOMIC_SEQ_CST) == 1);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
