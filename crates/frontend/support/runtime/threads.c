// Calls that happen once, thread-specific values, what is called at the end of a
// thread or of the process, and errno, in C, for programs under check. Every
// function is weak, so that one of the program wins.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

_Thread_local int __heddle_errno;

LIBRARY int *__errno_location(void) { return &__heddle_errno; }

// Models of the checker: waits while the function runs, says whether to run it.
int __heddle_once_begin(int *once);
int __heddle_once_end(int *once);
int __heddle_once_abort(int *once);

// If an exception ends the function, who comes next calls it again.
static void stop_calling(int **once) {
  if (*once != NULL) __heddle_once_abort(*once);
}

static void run_once(int *once, void (*function)(void)) {
  __attribute__((cleanup(stop_calling))) int *running = once;
  function();
  running = NULL;
  __heddle_once_end(once);
}

// What is done already takes a load to see.
static int is_done(int *once) { return __atomic_load_n(once, __ATOMIC_ACQUIRE) == 2; }

LIBRARY int pthread_once(int *once, void (*function)(void)) {
  if (!is_done(once) && __heddle_once_begin(once)) run_once(once, function);
  return 0;
}

LIBRARY void call_once(int *once, void (*function)(void)) {
  if (!is_done(once) && __heddle_once_begin(once)) run_once(once, function);
}

// Models of the checker: one step; and what keeps a function in the program.
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __heddle_keep(void (*function)(void));
void *malloc(size_t bytes);
void free(void *block);

typedef struct Handler {
  void (*function)(void *);
  void *data;
  struct Handler *next;
} Handler;

// What is called at the end, the last one first.
static Handler *of_process;
static _Thread_local Handler *of_thread;

static Handler *new_handler(void (*function)(void *), void *data) {
  Handler *handler = malloc(sizeof *handler);
  handler->function = function;
  handler->data = data;
  return handler;
}

static void call(Handler *handler) {
  void (*function)(void *) = handler->function;
  void *data = handler->data;
  free(handler);
  function(data);
}

static void call_thread_handlers(void) {
  while (of_thread != NULL) {
    Handler *handler = of_thread;
    of_thread = handler->next;
    call(handler);
  }
}

// The checker calls it when main returns and when exit is called.
__attribute__((nothrow)) void __heddle_end_process(void) {
  call_thread_handlers();
  for (;;) {
    __VERIFIER_atomic_begin();
    Handler *handler = of_process;
    if (handler != NULL) of_process = handler->next;
    __VERIFIER_atomic_end();
    if (handler == NULL) return;
    call(handler);
  }
}

LIBRARY int __cxa_atexit(void (*function)(void *), void *data, void *module) {
  Handler *handler = new_handler(function, data);
  __heddle_keep(__heddle_end_process);
  __VERIFIER_atomic_begin();
  handler->next = of_process;
  of_process = handler;
  __VERIFIER_atomic_end();
  return 0;
}

LIBRARY int atexit(void (*function)(void)) {
  return __cxa_atexit((void (*)(void *))function, NULL, NULL);
}

#define LONGEST_NAME 15
#define ERANGE 34

LIBRARY int pthread_setname_np(unsigned long thread, const char *name) {
  size_t length = 0;
  while (name[length]) length++;
  return length > LONGEST_NAME ? ERANGE : 0;
}

// Each thread gets a number when it first asks; the one that asks first need not be main.
static int numbers = 1000;
static _Thread_local int number;

LIBRARY int gettid(void) {
  if (!number) number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
  return number;
}

#define KEYS 32
#define EAGAIN 11
#define EINVAL 22

typedef void (*Destructor)(void *);

static unsigned keys;
static Destructor destructors[KEYS];
static _Thread_local void *values[KEYS];

// In a program that cancels threads (cancel.c), who joins one looks whether it has ended.
__attribute__((weak)) const int __heddle_notes_ends = 0;
void __heddle_note_end(void);

static void call_destructors(void) {
  for (int round = 0; round < 4; round++) {
    int called = 0;
    for (unsigned key = 0; key < KEYS; key++) {
      void *value = values[key];
      if (value == NULL) continue;
      Destructor destructor = __atomic_load_n(&destructors[key], __ATOMIC_SEQ_CST);
      if (destructor == NULL) continue;
      values[key] = NULL;
      called = 1;
      destructor(value);
    }
    if (!called) return;
  }
}

// The checker calls it at the end of every thread but the one that ends main.
__attribute__((nothrow)) void __heddle_end_thread(void) {
  call_thread_handlers();
  call_destructors();
  if (__heddle_notes_ends) __heddle_note_end();
}

LIBRARY void __heddle_keep_ends(void) { __heddle_keep(__heddle_end_thread); }

// In programs that cancel no thread (else see cancel.c).
static _Thread_local int cancel_state;
static _Thread_local int cancel_type;

static int change(int *place, int new, int *old) {
  if (new != 0 && new != 1) return EINVAL;
  if (old != NULL) *old = *place;
  *place = new;
  return 0;
}

LIBRARY int pthread_setcancelstate(int new, int *old) { return change(&cancel_state, new, old); }
LIBRARY int pthread_setcanceltype(int new, int *old) { return change(&cancel_type, new, old); }
LIBRARY void pthread_testcancel(void) {}

LIBRARY int __cxa_thread_atexit(void (*function)(void *), void *data, void *module) {
  Handler *handler = new_handler(function, data);
  __heddle_keep(__heddle_end_thread);
  __heddle_keep(__heddle_end_process);
  handler->next = of_thread;
  of_thread = handler;
  return 0;
}

LIBRARY int pthread_key_create(unsigned *key, Destructor destructor) {
  unsigned next = __atomic_fetch_add(&keys, 1, __ATOMIC_SEQ_CST);
  if (next >= KEYS) return EAGAIN;
  __heddle_keep(__heddle_end_thread);
  __atomic_store_n(&destructors[next], destructor, __ATOMIC_SEQ_CST);
  *key = next;
  return 0;
}

LIBRARY int pthread_key_delete(unsigned key) {
  if (key >= KEYS) return EINVAL;
  __atomic_store_n(&destructors[key], NULL, __ATOMIC_SEQ_CST);
  return 0;
}

LIBRARY int pthread_setspecific(unsigned key, const void *value) {
  if (key >= KEYS) return EINVAL;
  values[key] = (void *)value;
  return 0;
}

LIBRARY void *pthread_getspecific(unsigned key) { return key < KEYS ? values[key] : NULL; }

LIBRARY int tss_create(unsigned *key, Destructor destructor) {
  unsigned next = __atomic_fetch_add(&keys, 1, __ATOMIC_SEQ_CST);
  if (next >= KEYS) return 2;
  __heddle_keep(__heddle_end_thread);
  __atomic_store_n(&destructors[next], destructor, __ATOMIC_SEQ_CST);
  *key = next;
  return 0;
}

LIBRARY void tss_delete(unsigned key) {
  if (key < KEYS) __atomic_store_n(&destructors[key], NULL, __ATOMIC_SEQ_CST);
}

LIBRARY int tss_set(unsigned key, void *value) {
  if (key >= KEYS) return 2;
  values[key] = value;
  return 0;
}

LIBRARY void *tss_get(unsigned key) { return key < KEYS ? values[key] : NULL; }

#undef pthread_cond_wait
#undef cnd_wait

// Waits for condition variables that are not in a loop which checks again are these.
// Whether one ends without a signal is decided at its beginning, as an input, so that the
// runs in which it does not are there too. Each thread has one such wake-up, unless states
// are kept: a loop around the wait could have any number.

_Bool __VERIFIER_nondet_bool(void);
int pthread_cond_wait(void *condition, void *mutex);
int __heddle_timed_wait(void *condition, void *mutex);
int cnd_wait(void *condition, void *mutex);
int cnd_timedwait(void *condition, void *mutex, const void *deadline);
_Bool __heddle_no_more_wakeups(void);

static _Thread_local _Bool woken;

static _Bool wakes_up(void) {
  if (woken && __heddle_no_more_wakeups()) return 0;
  _Bool wakes = __VERIFIER_nondet_bool();
  if (wakes) woken = 1;
  return wakes;
}

LIBRARY int __heddle_spurious_wait(void *condition, void *mutex) {
  if (!wakes_up()) return pthread_cond_wait(condition, mutex);
  int error = __heddle_timed_wait(condition, mutex);
  return error == 110 ? 0 : error;
}

LIBRARY int __heddle_spurious_cnd_wait(void *condition, void *mutex) {
  if (!wakes_up()) return cnd_wait(condition, mutex);
  int result = cnd_timedwait(condition, mutex, NULL);
  return result == 4 ? 0 : result;
}
