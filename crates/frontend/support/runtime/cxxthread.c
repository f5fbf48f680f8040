// Threads, condition variables, once flags and futures of the GNU C++ library, in
// C under their mangled names, for C++ programs under check. Layouts are those of
// libstdc++'s headers. Every function is weak, so that one of the program wins.

#include <stddef.h>

#define LIBRARY __attribute__((weak))
#define DATA __attribute__((weak))

typedef unsigned long Handle;
typedef struct Mutex Mutex;
typedef struct Condition Condition;

// Models of the checker.
int pthread_create(Handle *thread, const void *attributes, void *(*function)(void *), void *data);
int pthread_join(Handle thread, void **result);
int pthread_detach(Handle thread);
Handle pthread_self(void);
int pthread_mutex_lock(Mutex *mutex);
int pthread_mutex_unlock(Mutex *mutex);
int pthread_cond_init(Condition *condition, const void *attributes);
int pthread_cond_destroy(Condition *condition);
int pthread_cond_wait(Condition *condition, Mutex *mutex);
int pthread_cond_signal(Condition *condition);
int pthread_cond_broadcast(Condition *condition);

// In system_error.c: std::__throw_system_error(int)
void _ZSt20__throw_system_errori(int number);

#define EAGAIN 11
#define EINVAL 22

// ---- std::thread

// `std::thread::_State`: what the thread runs, behind two destructors in its vtable.
typedef struct State {
  struct Methods {
    void (*destroy)(struct State *);
    void (*destroy_and_free)(struct State *);
    void (*run)(struct State *);
  } *methods;
} State;

// Threads are called by its name until they reach the user's code. No exception leaves it.
__attribute__((nothrow)) static void *std_thread(void *data) {
  State *state = data;
  state->methods->run(state);
  state->methods->destroy_and_free(state);
  return NULL;
}

// std::thread::_M_start_thread(std::unique_ptr<_State>, void (*)())
LIBRARY void _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    Handle *thread, State **owner, void (*depend)(void)) {
  State *state = *owner;
  *owner = NULL;
  if (pthread_create(thread, NULL, std_thread, state) == 0) return;
  state->methods->destroy_and_free(state);
  _ZSt20__throw_system_errori(EAGAIN);
}

// std::thread::_State::~_State()
LIBRARY void _ZNSt6thread6_StateD2Ev(State *state) {}

// std::thread::join()
LIBRARY void _ZNSt6thread4joinEv(Handle *thread) {
  int error = *thread == 0 ? EINVAL : pthread_join(*thread, NULL);
  if (error != 0) _ZSt20__throw_system_errori(error);
  *thread = 0;
}

// std::thread::detach()
LIBRARY void _ZNSt6thread6detachEv(Handle *thread) {
  int error = *thread == 0 ? EINVAL : pthread_detach(*thread);
  if (error != 0) _ZSt20__throw_system_errori(error);
  *thread = 0;
}

// std::thread::hardware_concurrency()
LIBRARY unsigned _ZNSt6thread20hardware_concurrencyEv(void) { return 2; }

// There is always another thread to think of: shared_ptr counts atomically.
DATA const char __libc_single_threaded = 0;

// ---- std::condition_variable

typedef struct {
  Mutex *mutex;
  _Bool owns;
} UniqueLock;

// std::condition_variable::condition_variable()
LIBRARY void _ZNSt18condition_variableC1Ev(Condition *condition) {
  pthread_cond_init(condition, NULL);
}

// std::condition_variable::~condition_variable()
LIBRARY void _ZNSt18condition_variableD1Ev(Condition *condition) {
  pthread_cond_destroy(condition);
}

// std::condition_variable::wait(std::unique_lock<std::mutex>&)
LIBRARY void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(Condition *condition,
                                                                       UniqueLock *lock) {
  pthread_cond_wait(condition, lock->mutex);
}

// std::condition_variable::notify_one()
LIBRARY void _ZNSt18condition_variable10notify_oneEv(Condition *condition) {
  pthread_cond_signal(condition);
}

// std::condition_variable::notify_all()
LIBRARY void _ZNSt18condition_variable10notify_allEv(Condition *condition) {
  pthread_cond_broadcast(condition);
}

// ---- std::call_once

// std::__once_callable, std::__once_call
DATA _Thread_local void *_ZSt15__once_callable;
typedef void Call(void);
DATA _Thread_local Call *_ZSt11__once_call;

LIBRARY void __once_proxy(void) {
  Call *call = _ZSt11__once_call;
  call();
}

// ---- std::atomic_load and the like of a std::shared_ptr

static long shared_pointers[5];

// std::_Sp_locker::_Sp_locker(void const*), the same with two, and its destructor
LIBRARY void _ZNSt10_Sp_lockerC1EPKv(void *locker, const void *pointer) {
  pthread_mutex_lock((Mutex *)shared_pointers);
}

LIBRARY void _ZNSt10_Sp_lockerC1EPKvS1_(void *locker, const void *first, const void *second) {
  pthread_mutex_lock((Mutex *)shared_pointers);
}

LIBRARY void _ZNSt10_Sp_lockerD1Ev(void *locker) {
  pthread_mutex_unlock((Mutex *)shared_pointers);
}

// ---- std::future

typedef struct {
  void *methods;
  void *error;
} ResultBase;

// std::__future_base::_Result_base::_Result_base() and its destructor
LIBRARY void _ZNSt13__future_base12_Result_baseC2Ev(ResultBase *result) { result->error = NULL; }

void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **pointer);

LIBRARY void _ZNSt13__future_base12_Result_baseD2Ev(ResultBase *result) {
  if (result->error != NULL)
    _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(&result->error);
}

// typeinfo for std::__future_base::_Result_base
extern const void *const _ZTVN10__cxxabiv117__class_type_infoE[8];
DATA const void *const _ZTINSt13__future_base12_Result_baseE[2] = {
    &_ZTVN10__cxxabiv117__class_type_infoE[2], "NSt13__future_base12_Result_baseE"};

// In futex.c: 0, or the error number.
int __heddle_futex_wait(const unsigned *word, unsigned value, int timed);
int __heddle_futex_wake(const unsigned *word, int most);

#define ETIMEDOUT 110

// std::__atomic_futex_unsigned_base::_M_futex_wait_until(unsigned*, unsigned, bool,
// seconds, nanoseconds): false if it gave up. Then the same for a steady clock.
LIBRARY _Bool
_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
    void *self, const unsigned *word, unsigned value, _Bool timed, long seconds, long nanoseconds) {
  return __heddle_futex_wait(word, value, timed) != ETIMEDOUT;
}

LIBRARY _Bool
_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
    void *self, const unsigned *word, unsigned value, _Bool timed, long seconds, long nanoseconds) {
  return __heddle_futex_wait(word, value, timed) != ETIMEDOUT;
}

// std::__atomic_futex_unsigned_base::_M_futex_notify_all(unsigned*)
LIBRARY void _ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj(const unsigned *word) {
  __heddle_futex_wake(word, 0x7fffffff);
}
