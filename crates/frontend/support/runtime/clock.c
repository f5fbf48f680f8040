// Clocks, and the waits that move them, in C, for programs under check. Weak, so
// that the program's own wins.
//
// What a clock says is an input. Each thread has one clock of its own, which all the
// functions read: it starts anywhere, from the epoch on, with the thread's first look at
// it; it never runs backwards, and between two readings any time up to four seconds
// passes. It moves to the deadline when a wait for a condition variable gives up, and by
// the time slept. Nothing relates the clocks of two threads.

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
unsigned long long __VERIFIER_nondet_ulonglong(void);
int __heddle_timed_wait(void *condition, void *mutex);

int *__errno_location(void);

#define EINVAL 22
#define ETIMEDOUT 110
#define SECOND 1000000000LL

// As Linux numbers them; those of the processor time of others are negative.
enum { CLOCK_REALTIME_COARSE = 5, CLOCK_MONOTONIC_COARSE = 6, LAST_CLOCK = 11, TIME_UTC = 1 };

static int is_clock(int clock) { return clock <= LAST_CLOCK; }

static int is_time(const struct timespec *time) {
  return time->tv_nsec >= 0 && time->tv_nsec < SECOND;
}

static int fail(void) {
  *__errno_location() = EINVAL;
  return -1;
}

// Seconds that nanoseconds in 64 bits can tell: until the year 2242.
#define LAST_START_BITS 33

// What it says, or before the first look at it, what it says at least.
static _Thread_local int started;
static _Thread_local long long seconds, nanoseconds;

static void pass(long long more_seconds, long long more_nanoseconds) {
  nanoseconds += more_nanoseconds;
  seconds += more_seconds + nanoseconds / SECOND;
  nanoseconds %= SECOND;
}

static int is_later(long long than_seconds, long long than_nanoseconds) {
  return seconds > than_seconds || (seconds == than_seconds && nanoseconds > than_nanoseconds);
}

// The clock's first reading, not before what a wait has shown to be past. Small inputs give
// the last nanoseconds of a second, so that a short while crosses it.
static void start(void) {
  unsigned long long any = __VERIFIER_nondet_ulonglong();
  long long start_seconds = (long long)(any >> (64 - LAST_START_BITS));
  long long start_nanoseconds = SECOND - 1 - (long long)(any & ((1u << 30) - 1)) % SECOND;
  started = 1;
  if (is_later(start_seconds, start_nanoseconds)) return;
  seconds = start_seconds;
  nanoseconds = start_nanoseconds;
}

static void look(void) {
  if (started) pass(0, __VERIFIER_nondet_uint());
  else start();
}

// No look at the clock so far tells how long the thread sleeps.
static void sleep_for(long long more_seconds, long long more_nanoseconds) {
  if (started) pass(more_seconds, more_nanoseconds);
}

static void move_to(const struct timespec *deadline) {
  if (is_later(deadline->tv_sec, deadline->tv_nsec)) return;
  seconds = deadline->tv_sec;
  nanoseconds = deadline->tv_nsec;
}

static long long read_nanoseconds(void) {
  look();
  return (long long)((unsigned long long)seconds * SECOND + (unsigned long long)nanoseconds);
}

static void read_time(struct timespec *time) {
  look();
  time->tv_sec = (long)seconds;
  time->tv_nsec = (long)nanoseconds;
}

LIBRARY int clock_gettime(int clock, struct timespec *time) {
  if (!is_clock(clock)) return fail();
  read_time(time);
  return 0;
}

LIBRARY int timespec_get(struct timespec *time, int base) {
  if (base != TIME_UTC) return 0;
  read_time(time);
  return base;
}

LIBRARY int gettimeofday(struct timeval *time, void *zone) {
  look();
  time->tv_sec = (long)seconds;
  time->tv_usec = (long)(nanoseconds / 1000);
  return 0;
}

LIBRARY long time(long *slot) {
  look();
  if (slot != NULL) *slot = (long)seconds;
  return (long)seconds;
}

// The processor's clock, in ticks of a nanosecond.
LIBRARY unsigned long long __heddle_cycles(void) { return (unsigned long long)read_nanoseconds(); }

LIBRARY long clock(void) { return (long)(read_nanoseconds() / 1000); }

// std::chrono::steady_clock::now(), std::chrono::system_clock::now()
LIBRARY long long _ZNSt6chrono3_V212steady_clock3nowEv(void) { return read_nanoseconds(); }
LIBRARY long long _ZNSt6chrono3_V212system_clock3nowEv(void) { return read_nanoseconds(); }

static int timed_wait(void *condition, void *mutex, const struct timespec *deadline) {
  if (!is_time(deadline)) return EINVAL;
  int error = __heddle_timed_wait(condition, mutex);
  if (error == ETIMEDOUT) move_to(deadline);
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
  if (request->tv_sec < 0 || !is_time(request)) return fail();
  sleep_for(request->tv_sec, request->tv_nsec);
  return 0;
}

LIBRARY unsigned sleep(unsigned duration) {
  sleep_for(duration, 0);
  return 0;
}

LIBRARY int usleep(unsigned microseconds) {
  sleep_for(0, microseconds * 1000LL);
  return 0;
}

LIBRARY int clock_nanosleep(int clock, int flags, const struct timespec *request,
                            struct timespec *rest) {
  if (!is_clock(clock) || request->tv_sec < 0 || !is_time(request)) return EINVAL;
  if (flags) move_to(request);
  else sleep_for(request->tv_sec, request->tv_nsec);
  return 0;
}

// Coarse clocks go by the kernel's ticks, of up to ten milliseconds.
LIBRARY int clock_getres(int clock, struct timespec *resolution) {
  if (!is_clock(clock)) return fail();
  if (resolution == NULL) return 0;
  int coarse = clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
  resolution->tv_sec = 0;
  resolution->tv_nsec = coarse ? 1 + __VERIFIER_nondet_uint() % 10000000 : 1;
  return 0;
}

LIBRARY double difftime(long end, long begin) { return (double)(end - begin); }
