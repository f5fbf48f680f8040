// Cancellation of threads, in C, for programs under check. Weak, so that the program's own
// wins.
//
// A thread that is to be cancelled is entered in a table, and looks there at its cancellation
// points. In a program that cancels threads the front end gives these the names below
// (`__heddle_c_NAME`, see support.rs). Those that wait look at the table while they do, in a
// loop that does nothing else, which every engine takes for waiting.
//
// Cancellation points are those that POSIX says there shall be (XSH 2.9.5.2), as far as they
// are modelled; those that there may be are tried both ways. A cancellation that comes while a
// thread waits in read() or poll() stops the check by name, as does asynchronous cancellation.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

typedef struct {
  long words[8];
} Object;

// Models of the checker: one step; stops; waiting for a condition variable in parts.
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
_Bool __VERIFIER_nondet_bool(void);
void __heddle_unsupported(const char *what) __attribute__((noreturn));
int __heddle_is_main(void);
int __heddle_begin_wait(Object *condition, Object *mutex);
int __heddle_end_wait(Object *condition, int arrival);
unsigned long long __heddle_tokens(Object *condition);
int __heddle_timed_wait(Object *condition, Object *mutex);
_Bool __heddle_no_more_wakeups(void);
unsigned long pthread_self(void);
int pthread_join(unsigned long thread, void **result);
int __heddle_wait(Object *condition, Object *mutex);
int pthread_cond_timedwait(Object *condition, Object *mutex, const void *deadline);
int pthread_cond_clockwait(Object *condition, Object *mutex, int clock, const void *deadline);
int pthread_mutex_lock(Object *mutex);
int sem_wait(Object *semaphore);
int sem_trywait(Object *semaphore);
int sem_timedwait(Object *semaphore, const void *deadline);
int sem_clockwait(Object *semaphore, int clock, const void *deadline);
void pthread_exit(void *result) __attribute__((noreturn));
// In threads.c: keeps what a thread does at its end in the program.
void __heddle_keep_ends(void);

enum { EINVAL = 22, ENABLED = 0, DISABLED = 1, DEFERRED = 0, ASYNCHRONOUS = 1 };
#define CANCELED ((void *)-1)

// ---- Which threads are to be cancelled

// In ends.c, which has tables of threads.
#define PLACES 64
void __heddle_enter(unsigned long *table, unsigned long thread);
_Bool __heddle_is_in(const unsigned long *table, unsigned long thread);
_Bool __heddle_has_ended(unsigned long thread);
static unsigned long requests[PLACES];

// ---- What a thread says of itself

static _Thread_local int state = ENABLED;
// Nobody cancels the main thread who has not been told its number.
static _Thread_local _Bool is_known;

LIBRARY int __heddle_c_pthread_setcancelstate(int new, int *old) {
  if (new != ENABLED && new != DISABLED) return EINVAL;
  if (old != NULL) *old = state;
  state = new;
  return 0;
}

LIBRARY int __heddle_c_pthread_setcanceltype(int new, int *old) {
  if (new != DEFERRED && new != ASYNCHRONOUS) return EINVAL;
  if (new == ASYNCHRONOUS) __heddle_unsupported("asynchronous cancellation");
  if (old != NULL) *old = DEFERRED;
  return 0;
}

LIBRARY unsigned long __heddle_c_pthread_self(void) {
  is_known = 1;
  return pthread_self();
}

static _Bool may_be_cancelled(void) {
  return state == ENABLED && (is_known || !__heddle_is_main());
}

static _Bool is_cancelled(void) { return __heddle_is_in(requests, pthread_self()); }

__attribute__((noreturn)) static void leave(void) {
  state = DISABLED;
  pthread_exit(CANCELED);
}

LIBRARY int pthread_cancel(unsigned long thread) {
  __heddle_enter(requests, thread);
  return 0;
}

static void test_cancel(void) {
  if (may_be_cancelled() && is_cancelled()) leave();
}

LIBRARY void __heddle_c_pthread_testcancel(void) { test_cancel(); }

// Called before functions that may be cancellation points, or not.
LIBRARY void __heddle_may_cancel(void) {
  if (may_be_cancelled() && is_cancelled() && __VERIFIER_nondet_bool()) leave();
}

// ---- Cancellation points that wait

LIBRARY int __heddle_c_pthread_join(unsigned long thread, void **result) {
  __heddle_keep_ends();
  if (may_be_cancelled() && thread != pthread_self()) {
    while (!__heddle_has_ended(thread))
      if (is_cancelled()) leave();
  }
  return pthread_join(thread, result);
}

// Has a signal been sent for who came as this one?
static _Bool has_token(unsigned long long tokens, int arrival) {
  for (int at = 1; at < 8; at++)
    if ((int)(tokens >> 8 * at & 0xff) > arrival) return 1;
  return 0;
}

static int wait(Object *condition, Object *mutex, _Bool gives_up) {
  int arrival = __heddle_begin_wait(condition, mutex);
  for (_Bool goes_on = !gives_up; goes_on;) {
    while (!has_token(__heddle_tokens(condition), arrival) && goes_on) goes_on = !is_cancelled();
    if (!goes_on) break;
    __VERIFIER_atomic_begin();
    _Bool is_woken = has_token(__heddle_tokens(condition), arrival);
    if (is_woken) __heddle_end_wait(condition, arrival);
    __VERIFIER_atomic_end();
    if (!is_woken) continue;
    pthread_mutex_lock(mutex);
    return 0;
  }
  int error = __heddle_end_wait(condition, arrival);
  pthread_mutex_lock(mutex);
  // Who was sent a signal does not lose it.
  if (error != 0 && is_cancelled()) leave();
  return error;
}

LIBRARY int __heddle_c_pthread_cond_wait(Object *condition, Object *mutex) {
  if (!may_be_cancelled()) return __heddle_wait(condition, mutex);
  return wait(condition, mutex, 0);
}

LIBRARY int __heddle_c_pthread_cond_timedwait(Object *condition, Object *mutex,
                                              const void *deadline) {
  if (!may_be_cancelled()) return pthread_cond_timedwait(condition, mutex, deadline);
  return wait(condition, mutex, 1);
}

LIBRARY int __heddle_c_pthread_cond_clockwait(Object *condition, Object *mutex, int clock,
                                              const void *deadline) {
  return __heddle_c_pthread_cond_timedwait(condition, mutex, deadline);
}

// As in threads.c.
static _Thread_local _Bool woken;

LIBRARY int __heddle_c_spurious_wait(Object *condition, Object *mutex) {
  _Bool wakes = (!woken || !__heddle_no_more_wakeups()) && __VERIFIER_nondet_bool();
  if (wakes) woken = 1;
  if (!wakes) return __heddle_c_pthread_cond_wait(condition, mutex);
  int error = may_be_cancelled() ? wait(condition, mutex, 1) : __heddle_timed_wait(condition, mutex);
  return error == 110 ? 0 : error;
}

// A semaphore that nobody has posted.
#define NONE (1ull << 32)

static void wait_for_post(Object *semaphore, _Bool is_call) {
  while (__atomic_load_n((unsigned long long *)semaphore, __ATOMIC_SEQ_CST) == NONE) {
    if (!is_cancelled()) continue;
    if (is_call) __heddle_unsupported("cancellation of a thread that waits in read() or poll()");
    leave();
  }
}

LIBRARY int __heddle_c_sem_wait(Object *semaphore) {
  if (!may_be_cancelled()) return sem_wait(semaphore);
  test_cancel();
  do wait_for_post(semaphore, 0);
  while (sem_trywait(semaphore) != 0);
  return 0;
}

LIBRARY int __heddle_c_sem_timedwait(Object *semaphore, const void *deadline) {
  test_cancel();
  int error = sem_timedwait(semaphore, deadline);
  if (error != 0) test_cancel();
  return error;
}

LIBRARY int __heddle_c_sem_clockwait(Object *semaphore, int clock, const void *deadline) {
  return __heddle_c_sem_timedwait(semaphore, deadline);
}

// What files.c waits with.
LIBRARY int __heddle_wait_in_call(Object *semaphore) {
  if (!may_be_cancelled()) return sem_wait(semaphore);
  wait_for_post(semaphore, 1);
  return sem_wait(semaphore);
}

// ---- Others

unsigned sleep(unsigned seconds);
int usleep(unsigned microseconds);
int nanosleep(const void *request, void *rest);
int clock_nanosleep(int clock, int flags, const void *request, void *rest);
long read(int file, void *to, size_t bytes);
long write(int file, const void *from, size_t bytes);
int poll(void *asked, unsigned long count, int timeout);
int open(const char *name, int flags, ...);
int close(int file);

LIBRARY unsigned __heddle_c_sleep(unsigned seconds) {
  test_cancel();
  return sleep(seconds);
}

LIBRARY int __heddle_c_usleep(unsigned microseconds) {
  test_cancel();
  return usleep(microseconds);
}

LIBRARY int __heddle_c_nanosleep(const void *request, void *rest) {
  test_cancel();
  return nanosleep(request, rest);
}

LIBRARY int __heddle_c_clock_nanosleep(int clock, int flags, const void *request, void *rest) {
  test_cancel();
  return clock_nanosleep(clock, flags, request, rest);
}

LIBRARY long __heddle_c_read(int file, void *to, size_t bytes) {
  test_cancel();
  return read(file, to, bytes);
}

LIBRARY long __heddle_c_write(int file, const void *from, size_t bytes) {
  test_cancel();
  return write(file, from, bytes);
}

LIBRARY int __heddle_c_poll(void *asked, unsigned long count, int timeout) {
  test_cancel();
  return poll(asked, count, timeout);
}

LIBRARY int __heddle_c_open(const char *name, int flags, ...) {
  test_cancel();
  return open(name, flags);
}

LIBRARY int __heddle_c_close(int file) {
  test_cancel();
  return close(file);
}
