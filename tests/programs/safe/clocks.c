// What a clock says is an input, of which some values are tried. A thread does not
// see it run backwards, and sees the time that it slept.
//@ verdict: bounded

#include <assert.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  struct timespec fine;
  assert(clock_gettime(CLOCK_MONOTONIC, &fine) == 0);
  assert(fine.tv_sec >= 0 && fine.tv_nsec >= 0 && fine.tv_nsec < 1000000000);
  struct timeval coarse;
  assert(gettimeofday(&coarse, 0) == 0);
  assert(coarse.tv_usec >= 0 && coarse.tv_usec < 1000000);
  assert(coarse.tv_sec >= fine.tv_sec);
  sleep(1);
  time_t now;
  assert(time(&now) == now);
  assert(now > coarse.tv_sec);
  assert(clock() >= 0);
  return 0;
}
