// The futex system call, which C++20's atomic waits and std::future are built on, in
// C, for programs under check. Weak, so that the program's own wins.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

typedef struct {
  long __words[4];
} Semaphore;

// Models of the checker.
int sem_init(Semaphore *semaphore, int shared, unsigned count);
int sem_wait(Semaphore *semaphore);
int sem_timedwait(Semaphore *semaphore, const void *deadline);
int sem_post(Semaphore *semaphore);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __heddle_unsupported(const char *what);
int *__errno_location(void);

#define EAGAIN 11
#define ETIMEDOUT 110

typedef struct Waiter {
  const unsigned *word;
  struct Waiter *next;
  Semaphore woken;
} Waiter;

// In the order of arrival.
static Waiter *waiters;

static Waiter **end_of_waiters(void) {
  Waiter **end = &waiters;
  while (*end != NULL) end = &(*end)->next;
  return end;
}

static void remove_waiter(Waiter *waiter) {
  for (Waiter **at = &waiters; *at != NULL; at = &(*at)->next) {
    if (*at != waiter) continue;
    *at = waiter->next;
    return;
  }
}

LIBRARY int __heddle_futex_wait(const unsigned *word, unsigned value, int timed) {
  Waiter sleeper = {word, NULL};
  sem_init(&sleeper.woken, 0, 0);
  __VERIFIER_atomic_begin();
  int sleeps = __atomic_load_n(word, __ATOMIC_SEQ_CST) == value;
  if (sleeps) *end_of_waiters() = &sleeper;
  __VERIFIER_atomic_end();
  if (!sleeps) return EAGAIN;
  if (!timed) {
    sem_wait(&sleeper.woken);
    return 0;
  }
  if (sem_timedwait(&sleeper.woken, NULL) == 0) return 0;
  __VERIFIER_atomic_begin();
  remove_waiter(&sleeper);
  __VERIFIER_atomic_end();
  return ETIMEDOUT;
}

LIBRARY int __heddle_futex_wake(const unsigned *word, int most) {
  int count = 0;
  __VERIFIER_atomic_begin();
  for (Waiter **at = &waiters; *at != NULL && count < most;) {
    Waiter *waiter = *at;
    if (waiter->word != word) {
      at = &waiter->next;
      continue;
    }
    *at = waiter->next;
    sem_post(&waiter->woken);
    count++;
  }
  __VERIFIER_atomic_end();
  return count;
}

// As Linux numbers them, for words of 32 and of 64 bits.
#define CALL(of_32, of_64) (sizeof(long) == 4 ? (of_32) : (of_64))
#define SYS_GETPID CALL(20, 39)
#define SYS_YIELD CALL(158, 24)
#define SYS_GETTID CALL(224, 186)
#define SYS_FUTEX CALL(240, 202)
#define SYS_GETRANDOM CALL(355, 318)
#define FUTEX_WAIT 0
#define FUTEX_WAKE 1
#define FUTEX_PRIVATE 128

int gettid(void);
int getpid(void);
int sched_yield(void);
long getrandom(void *to, unsigned long size, unsigned flags);

// Declared with `...`; a call passes what it has.
LIBRARY long syscall(long number, long word, long operation, long value, long timeout) {
  if (number == SYS_GETTID) return gettid();
  if (number == SYS_GETPID) return getpid();
  if (number == SYS_YIELD) return sched_yield();
  if (number == SYS_GETRANDOM) return getrandom((void *)word, (unsigned long)operation, (unsigned)value);
  if (number != SYS_FUTEX) __heddle_unsupported("a system call");
  switch ((int)operation & ~FUTEX_PRIVATE) {
  case FUTEX_WAIT: {
    int error = __heddle_futex_wait((const unsigned *)word, (unsigned)value, timeout != 0);
    if (error == 0) return 0;
    *__errno_location() = error;
    return -1;
  }
  case FUTEX_WAKE:
    return __heddle_futex_wake((const unsigned *)word, (int)value);
  default:
    __heddle_unsupported("this futex operation");
    return -1;
  }
}
