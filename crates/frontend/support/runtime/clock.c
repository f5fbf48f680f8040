// Clocks, and the waits that move them, in C, for programs under check. Weak, so
// that the program's own wins.
//
// Each thread has a clock of its own. It moves a little when it is read, to the
// deadline when a wait gives up, and by the time slept. Other readings are possible,
// so reading it keeps the verdict from being `safe`.

#define LIBRARY __attribute__((weak))

typedef struct {
  long seconds;
  long nanoseconds;
} Time;

// Models of the checker. The first notes that not all readings are tried.
void __heddle_sampled(void);
int __heddle_timed_wait(void *condition, void *mutex);

#define ETIMEDOUT 110
#define SECOND 1000000000L

static _Thread_local long long now = SECOND;

static long long nanoseconds_of(const Time *time) {
  return time->seconds * (long long)SECOND + time->nanoseconds;
}

static long long read_clock(void) {
  __heddle_sampled();
  now += 1000;
  return now;
}

// std::chrono::steady_clock::now(), std::chrono::system_clock::now()
LIBRARY long long _ZNSt6chrono3_V212steady_clock3nowEv(void) { return read_clock(); }
LIBRARY long long _ZNSt6chrono3_V212system_clock3nowEv(void) { return read_clock(); }

static int timed_wait(void *condition, void *mutex, const Time *deadline) {
  int error = __heddle_timed_wait(condition, mutex);
  if (error == ETIMEDOUT && nanoseconds_of(deadline) > now) now = nanoseconds_of(deadline);
  return error;
}

LIBRARY int pthread_cond_timedwait(void *condition, void *mutex, const Time *deadline) {
  return timed_wait(condition, mutex, deadline);
}

LIBRARY int pthread_cond_clockwait(void *condition, void *mutex, int clock, const Time *deadline) {
  return timed_wait(condition, mutex, deadline);
}

LIBRARY int nanosleep(const Time *request, Time *rest) {
  now += nanoseconds_of(request);
  return 0;
}
