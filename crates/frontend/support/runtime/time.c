// Clocks, in C, for programs under check. What a clock says is an input: nothing
// is assumed about it, not even that it goes on. Every function is weak, so that
// one of the program wins.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);

struct timespec {
  long tv_sec, tv_nsec;
};

struct timeval {
  long tv_sec, tv_usec;
};

// A part of a second.
static int below(int most) {
  int part = __VERIFIER_nondet_int();
  __VERIFIER_assume(part >= 0 && part < most);
  return part;
}

static long seconds(void) {
  int now = __VERIFIER_nondet_int();
  __VERIFIER_assume(now >= 0);
  return now;
}

LIBRARY int clock_gettime(int clock, struct timespec *now) {
  now->tv_sec = seconds();
  now->tv_nsec = below(1000000000);
  return 0;
}

LIBRARY int timespec_get(struct timespec *now, int base) {
  now->tv_sec = seconds();
  now->tv_nsec = below(1000000000);
  return base;
}

LIBRARY int gettimeofday(struct timeval *now, void *zone) {
  now->tv_sec = seconds();
  now->tv_usec = below(1000000);
  return 0;
}

LIBRARY long clock(void) { return seconds(); }

LIBRARY long time(long *slot) {
  long now = seconds();
  if (slot != NULL) *slot = now;
  return now;
}
