// A wait with a deadline in a loop: how often it gives up is not known.
//@ models: sc tso pso
//@ unwind: 3
//@ verdict: bounded
#include <assert.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;

void *waiter(void *arg) {
  struct timespec deadline = {1, 0};
  pthread_mutex_lock(&m);
  while (!ready)
    pthread_cond_timedwait(&c, &m, &deadline);
  assert(ready == 1);
  pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, waiter, 0);
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  return 0;
}
