// Long private computation is no scheduling point: still one execution.
//@ executions[optimal,sc]: 1
#include <assert.h>
#include <pthread.h>

static int results[2];

static void *work(void *arg) {
    long me = (long)arg;
    int scratch[16], sum = 0;
    for (int i = 0; i < 16; i++)
        scratch[i] = i * (int)(me + 1);
    for (int i = 0; i < 16; i++)
        sum += scratch[i];
    results[me] = sum;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(results[0] == 120 && results[1] == 240);
    return 0;
}
