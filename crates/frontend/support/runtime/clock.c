// Clocks, and the waits that move them, in C, for programs under check. Weak, so
// that the program's own wins.
//
// What a clock says is an input. Each thread has one clock of its own, which all the
// functions read: it never runs backwards, and between two readings any time up to
// four seconds passes. It moves to the deadline when a wait for a condition variable
// gives up, and by the time slept. Nothing relates the clocks of two threads.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

struct timespec {
  long tv_sec, tv_nsec;
};

struct timeval {
  long tv_sec, tv_usec;
};

// Models of the checker.
unsigned __VERIFIER_nondet_uint(void);
int __heddle_timed_wait(void *condition, void *mutex);

#define ETIMEDOUT 110
#define SECOND 1000000000LL

// In nanoseconds. Shortly before a full second, so that a short while crosses it.
static _Thread_local long long now = 2 * SECOND - 1;

static long long nanoseconds_of(const struct timespec *time) {
  return time->tv_sec * SECOND + time->tv_nsec;
}

static long long read_clock(void) {
  now += __VERIFIER_nondet_uint();
  return now;
}

static void read_time(struct timespec *time) {
  long long reading = read_clock();
  time->tv_sec = (long)(reading / SECOND);
  time->tv_nsec = (long)(reading % SECOND);
}

LIBRARY int clock_gettime(int clock, struct timespec *time) {
  read_time(time);
  return 0;
}

LIBRARY int timespec_get(struct timespec *time, int base) {
  read_time(time);
  return base;
}

LIBRARY int gettimeofday(struct timeval *time, void *zone) {
  long long reading = read_clock();
  time->tv_sec = (long)(reading / SECOND);
  time->tv_usec = (long)(reading % SECOND / 1000);
  return 0;
}

LIBRARY long time(long *slot) {
  long seconds = (long)(read_clock() / SECOND);
  if (slot != NULL) *slot = seconds;
  return seconds;
}

LIBRARY long clock(void) { return (long)(read_clock() / 1000); }

// std::chrono::steady_clock::now(), std::chrono::system_clock::now()
LIBRARY long long _ZNSt6chrono3_V212steady_clock3nowEv(void) { return read_clock(); }
LIBRARY long long _ZNSt6chrono3_V212system_clock3nowEv(void) { return read_clock(); }

static int timed_wait(void *condition, void *mutex, const struct timespec *deadline) {
  int error = __heddle_timed_wait(condition, mutex);
  if (error == ETIMEDOUT && nanoseconds_of(deadline) > now) now = nanoseconds_of(deadline);
  return error;
}

LIBRARY int pthread_cond_timedwait(void *condition, void *mutex, const struct timespec *deadline) {
  return timed_wait(condition, mutex, deadline);
}

LIBRARY int pthread_cond_clockwait(void *condition, void *mutex, int clock,
                                   const struct timespec *deadline) {
  return timed_wait(condition, mutex, deadline);
}

LIBRARY int nanosleep(const struct timespec *request, struct timespec *rest) {
  now += nanoseconds_of(request);
  return 0;
}

LIBRARY unsigned sleep(unsigned seconds) {
  now += seconds * SECOND;
  return 0;
}

LIBRARY int usleep(unsigned microseconds) {
  now += microseconds * 1000LL;
  return 0;
}
