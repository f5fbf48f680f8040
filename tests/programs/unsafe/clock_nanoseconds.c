// A duration from the nanoseconds alone: wrong when a second passes in between.

#include <assert.h>
#include <time.h>

int main(void) {
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  clock_gettime(CLOCK_MONOTONIC, &after);
  assert(after.tv_nsec >= before.tv_nsec);  //~ VIOLATION: assertion
  return 0;
}
