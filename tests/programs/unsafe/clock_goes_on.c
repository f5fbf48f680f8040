// Two threads cannot rely on what the clock says.

#include <assert.h>
#include <pthread.h>
#include <time.h>

time_t first;

void *early(void *arg) {
  first = time(0);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, early, 0);
  pthread_join(t, 0);
  assert(time(0) > first);  //~ VIOLATION: assertion
  return 0;
}
