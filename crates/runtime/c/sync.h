// Mutexes, read-write locks, spin locks and semaphores of the system, each operation an
// event. Barriers, atomic sections and calls that happen once are our own: what they
// wait for are events too, and those of the system do not tell.

#define ONE(name, parameters, arguments)                                                           \
  int heddle_w_##name parameters {                                                                 \
    int result;                                                                                    \
    EVENT(result = name arguments);                                                                \
    return result;                                                                                 \
  }
#define ONE_WAITING(name, parameters, arguments)                                                   \
  int heddle_w_##name parameters {                                                                 \
    int result;                                                                                    \
    WAITING(result = name arguments);                                                              \
    return result;                                                                                 \
  }

int heddle_w_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  int result;
  if (attributes != NULL) EVENT(;);
  EVENT(result = pthread_mutex_init(mutex, attributes));
  return result;
}

ONE_WAITING(pthread_mutex_lock, (pthread_mutex_t * m), (m))
ONE(pthread_mutex_trylock, (pthread_mutex_t * m), (m))
ONE(pthread_mutex_unlock, (pthread_mutex_t * m), (m))
ONE(pthread_mutex_destroy, (pthread_mutex_t * m), (m))

ONE(pthread_rwlock_init, (pthread_rwlock_t * l, const pthread_rwlockattr_t *a), (l, a))
ONE_WAITING(pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))
ONE(pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l))
ONE_WAITING(pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))
ONE(pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l))
ONE(pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))
ONE(pthread_rwlock_destroy, (pthread_rwlock_t * l), (l))

ONE(pthread_spin_init, (pthread_spinlock_t * l, int shared), (l, shared))
ONE_WAITING(pthread_spin_lock, (pthread_spinlock_t * l), (l))
ONE(pthread_spin_trylock, (pthread_spinlock_t * l), (l))
ONE(pthread_spin_unlock, (pthread_spinlock_t * l), (l))
ONE(pthread_spin_destroy, (pthread_spinlock_t * l), (l))

ONE(sem_init, (sem_t * s, int shared, unsigned count), (s, shared, count))
ONE(sem_trywait, (sem_t * s), (s))
ONE(sem_post, (sem_t * s), (s))
ONE(sem_destroy, (sem_t * s), (s))

int heddle_w_sem_getvalue(sem_t *semaphore, int *value) {
  int count, result;
  EVENT(result = sem_getvalue(semaphore, &count));
  EVENT(*value = count);
  return result;
}

// A signal must not end the wait: the verifier knows none.
static int wait_for_semaphore(sem_t *semaphore) {
  int result;
  do result = sem_wait(semaphore);
  while (result != 0 && errno == EINTR);
  return result;
}

int heddle_w_sem_wait(sem_t *semaphore) {
  int result;
  WAITING(result = wait_for_semaphore(semaphore));
  return result;
}

// With a deadline, a thread does not wait for ever. In a replay the deadline has passed,
// or need not be waited for.
static const struct timespec past = {0, 0};
static const struct timespec *deadline(const struct timespec *given) {
  return replays ? &past : given;
}

ONE(pthread_mutex_timedlock, (pthread_mutex_t * m, const struct timespec *t), (m, deadline(t)))
ONE(pthread_mutex_clocklock, (pthread_mutex_t * m, clockid_t c, const struct timespec *t),
            (m, c, deadline(t)))
ONE(pthread_rwlock_timedrdlock, (pthread_rwlock_t * l, const struct timespec *t),
            (l, deadline(t)))
ONE(pthread_rwlock_timedwrlock, (pthread_rwlock_t * l, const struct timespec *t),
            (l, deadline(t)))
ONE(pthread_rwlock_clockrdlock,
            (pthread_rwlock_t * l, clockid_t c, const struct timespec *t), (l, c, deadline(t)))
ONE(pthread_rwlock_clockwrlock,
            (pthread_rwlock_t * l, clockid_t c, const struct timespec *t), (l, c, deadline(t)))
ONE(sem_timedwait, (sem_t * s, const struct timespec *t), (s, deadline(t)))
ONE(sem_clockwait, (sem_t * s, clockid_t c, const struct timespec *t), (s, c, deadline(t)))

// What is done to attributes.

ONE(pthread_attr_init, (pthread_attr_t * a), (a))
ONE(pthread_attr_destroy, (pthread_attr_t * a), (a))
ONE(pthread_attr_setdetachstate, (pthread_attr_t * a, int state), (a, state))
ONE(pthread_attr_setguardsize, (pthread_attr_t * a, size_t bytes), (a, bytes))
ONE(pthread_attr_setinheritsched, (pthread_attr_t * a, int inherit), (a, inherit))
ONE(pthread_attr_setschedpolicy, (pthread_attr_t * a, int policy), (a, policy))
ONE(pthread_attr_setscope, (pthread_attr_t * a, int scope), (a, scope))
ONE(pthread_attr_setstacksize, (pthread_attr_t * a, size_t bytes), (a, bytes))
ONE(pthread_attr_setschedparam, (pthread_attr_t * a, const struct sched_param *p), (a, p))
ONE(pthread_attr_setstack, (pthread_attr_t * a, void *stack, size_t bytes), (a, stack, bytes))
ONE(pthread_attr_setaffinity_np, (pthread_attr_t * a, size_t n, const cpu_set_t *s), (a, n, s))
ONE(pthread_mutexattr_init, (pthread_mutexattr_t * a), (a))
ONE(pthread_mutexattr_destroy, (pthread_mutexattr_t * a), (a))
ONE(pthread_mutexattr_settype, (pthread_mutexattr_t * a, int kind), (a, kind))
ONE(pthread_mutexattr_setpshared, (pthread_mutexattr_t * a, int shared), (a, shared))
ONE(pthread_mutexattr_setprotocol, (pthread_mutexattr_t * a, int protocol), (a, protocol))
ONE(pthread_mutexattr_setprioceiling, (pthread_mutexattr_t * a, int ceiling), (a, ceiling))
ONE(pthread_rwlockattr_init, (pthread_rwlockattr_t * a), (a))
ONE(pthread_rwlockattr_destroy, (pthread_rwlockattr_t * a), (a))
ONE(pthread_rwlockattr_setpshared, (pthread_rwlockattr_t * a, int shared), (a, shared))
ONE(pthread_rwlockattr_setkind_np, (pthread_rwlockattr_t * a, int kind), (a, kind))
ONE(pthread_barrierattr_init, (pthread_barrierattr_t * a), (a))
ONE(pthread_barrierattr_destroy, (pthread_barrierattr_t * a), (a))
ONE(pthread_barrierattr_setpshared, (pthread_barrierattr_t * a, int shared), (a, shared))
ONE(pthread_condattr_init, (pthread_condattr_t * a), (a))
ONE(pthread_condattr_destroy, (pthread_condattr_t * a), (a))
ONE(pthread_condattr_setclock, (pthread_condattr_t * a, clockid_t clock), (a, clock))
ONE(pthread_condattr_setpshared, (pthread_condattr_t * a, int shared), (a, shared))

int heddle_w_pthread_attr_getdetachstate(const pthread_attr_t *attributes, int *state) {
  int found, result;
  EVENT(result = pthread_attr_getdetachstate(attributes, &found));
  EVENT(*state = found);
  return result;
}

int heddle_w_pthread_mutexattr_gettype(const pthread_mutexattr_t *attributes, int *kind) {
  int found, result;
  EVENT(result = pthread_mutexattr_gettype(attributes, &found));
  EVENT(*kind = found);
  return result;
}

// C11

ONE(mtx_init, (mtx_t * m, int kind), (m, kind))
ONE_WAITING(mtx_lock, (mtx_t * m), (m))
ONE(mtx_trylock, (mtx_t * m), (m))
ONE(mtx_timedlock, (mtx_t * m, const struct timespec *t), (m, deadline(t)))
ONE(mtx_unlock, (mtx_t * m), (m))
void heddle_w_mtx_destroy(mtx_t *m) { EVENT(mtx_destroy(m)); }

// Atomic sections of SV-COMP, and of Heddle's own library files.

static pthread_mutex_t section = PTHREAD_MUTEX_INITIALIZER;
static __thread unsigned section_depth;

void heddle_w___VERIFIER_atomic_begin(void) {
  if (section_depth++ == 0) WAITING(pthread_mutex_lock(&section));
}

void heddle_w___VERIFIER_atomic_end(void) {
  if (section_depth != 0 && --section_depth == 0) pthread_mutex_unlock(&section);
}

// Once: 0 before, 1 during and 2 after the call, as the verifier has it.

int heddle_w___heddle_once_begin(_Atomic uint32_t *once) {
  int first = 0;
  heddle_before(LIBRARY_SITE);
  uint32_t before = enter_wait();
  for (;;) {
    uint32_t state = 0;
    if (atomic_compare_exchange_strong(once, &state, 1)) first = 1;
    if (first || state == 2) break;
    futex(once, FUTEX_WAIT_PRIVATE, 1, NULL);
  }
  leave_wait(before);
  heddle_after(LIBRARY_SITE);
  return first;
}

int heddle_w___heddle_once_end(_Atomic uint32_t *once) {
  EVENT(atomic_store(once, 2); futex(once, FUTEX_WAKE_PRIVATE, INT_MAX, NULL));
  return 0;
}

int heddle_w___heddle_once_abort(_Atomic uint32_t *once) {
  EVENT(atomic_store(once, 0); futex(once, FUTEX_WAKE_PRIVATE, INT_MAX, NULL));
  return 0;
}

// Barriers: to arrive is an event, and to leave too, but for the last one.

typedef struct {
  uint32_t count;
  _Atomic uint32_t arrived, generation;
} Barrier;

int heddle_w_pthread_barrier_init(pthread_barrier_t *object, const pthread_barrierattr_t *unused,
                                  unsigned count) {
  Barrier *barrier = (Barrier *)object;
  int error = count == 0 ? EINVAL : 0;
  // Threads of an earlier life of the barrier may still have to leave.
  if (error == 0) EVENT(barrier->count = count; barrier->arrived = 0; barrier->generation++);
  else EVENT(;);
  return error;
}

int heddle_w_pthread_barrier_destroy(pthread_barrier_t *object) {
  EVENT(;);
  return 0;
}

int heddle_w_pthread_barrier_wait(pthread_barrier_t *object) {
  Barrier *barrier = (Barrier *)object;
  bool last = false;
  uint32_t generation = 0;
  heddle_before(LIBRARY_SITE);
  generation = atomic_load(&barrier->generation);
  if (atomic_fetch_add(&barrier->arrived, 1) + 1 == barrier->count) {
    last = true;
    atomic_store(&barrier->arrived, 0);
    atomic_fetch_add(&barrier->generation, 1);
    futex(&barrier->generation, FUTEX_WAKE_PRIVATE, INT_MAX, NULL);
  }
  heddle_after(LIBRARY_SITE);
  if (last) return PTHREAD_BARRIER_SERIAL_THREAD;
  WAITING(while (atomic_load(&barrier->generation) == generation)
              futex(&barrier->generation, FUTEX_WAIT_PRIVATE, generation, NULL));
  return 0;
}
