// Condition variables as the verifier has them (crates/semantics/src/machine/condition.rs):
// a signal wakes one of those that waited before it, and there are no others' wake-ups.
// Waiting takes three events: to release the mutex and arrive, to wake up, and to lock
// the mutex again.
//
// A signal that has woken nobody yet is a token: the number of arrivals when it was
// sent. The waiter with number n takes a token greater than n, the smallest one.

#define TOKENS 8

typedef struct {
  // Taken for a few instructions only.
  _Atomic uint32_t guard;
  // Changes with every signal.
  _Atomic uint32_t bell;
  uint32_t arrivals, waiters;
  // In ascending order: as many signals at as many arrivals.
  struct {
    uint16_t arrivals, count;
  } tokens[TOKENS];
} Condition;

_Static_assert(sizeof(Condition) <= sizeof(pthread_cond_t), "room for a condition variable");
_Static_assert(sizeof(Condition) <= sizeof(cnd_t), "room for a condition variable");

static void guard(Condition *condition) {
  uint32_t state = 0;
  if (atomic_compare_exchange_strong(&condition->guard, &state, 1)) return;
  while (atomic_exchange(&condition->guard, 2) != 0)
    futex(&condition->guard, FUTEX_WAIT_PRIVATE, 2, NULL);
}

static void unguard(Condition *condition) {
  if (atomic_exchange(&condition->guard, 0) == 2)
    futex(&condition->guard, FUTEX_WAKE_PRIVATE, 1, NULL);
}

static uint32_t outstanding(const Condition *condition) {
  uint32_t sum = 0;
  for (int at = 0; at < TOKENS; at++) sum += condition->tokens[at].count;
  return sum;
}

static bool take_token(Condition *condition, uint32_t arrival) {
  for (int at = 0; at < TOKENS; at++) {
    if (condition->tokens[at].count == 0 || condition->tokens[at].arrivals <= arrival) continue;
    if (--condition->tokens[at].count == 0) {
      for (; at + 1 < TOKENS; at++) condition->tokens[at] = condition->tokens[at + 1];
      condition->tokens[TOKENS - 1].count = 0;
    }
    return true;
  }
  return false;
}

static void send_tokens(Condition *condition, uint32_t most) {
  uint32_t asleep = condition->waiters - outstanding(condition);
  uint32_t count = asleep < most ? asleep : most;
  if (count == 0) return;
  for (int at = 0; at < TOKENS; at++) {
    if (condition->tokens[at].count != 0 && condition->tokens[at].arrivals != condition->arrivals)
      continue;
    condition->tokens[at].arrivals = (uint16_t)condition->arrivals;
    condition->tokens[at].count += (uint16_t)count;
    return;
  }
  die(EXIT_LEFT, "a condition variable has too many signals that woke nobody yet");
}

static int signal_condition(void *object, uint32_t most) {
  Condition *condition = object;
  heddle_before(LIBRARY_SITE);
  guard(condition);
  send_tokens(condition, most);
  atomic_fetch_add(&condition->bell, 1);
  unguard(condition);
  futex(&condition->bell, FUTEX_WAKE_PRIVATE, INT_MAX, NULL);
  heddle_after(LIBRARY_SITE);
  return 0;
}

static uint32_t arrive(Condition *condition, pthread_mutex_t *mutex) {
  heddle_before(LIBRARY_SITE);
  guard(condition);
  uint32_t arrival = condition->arrivals++;
  condition->waiters++;
  if (condition->arrivals > UINT16_MAX) die(EXIT_LEFT, "a condition variable is never without waiters");
  pthread_mutex_unlock(mutex);
  unguard(condition);
  heddle_after(LIBRARY_SITE);
  return arrival;
}

// Has the time come? In a replay it has.
static bool is_over(const struct timespec *deadline, clockid_t clock) {
  if (deadline == NULL) return false;
  if (replays) return true;
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec > deadline->tv_sec ||
         (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

static void sleep_on(Condition *condition, uint32_t bell, const struct timespec *deadline,
                     clockid_t clock) {
  int operation = FUTEX_WAIT_BITSET_PRIVATE;
  if (clock == CLOCK_REALTIME) operation |= FUTEX_CLOCK_REALTIME;
  syscall(SYS_futex, &condition->bell, operation, bell, deadline, NULL, FUTEX_BITSET_MATCH_ANY);
}

static int wake_up(Condition *condition, uint32_t arrival, const struct timespec *deadline,
                   clockid_t clock) {
  int error = 0;
  heddle_before(LIBRARY_SITE);
  uint32_t before = deadline == NULL ? enter_wait() : RUNS;
  for (;;) {
    guard(condition);
    uint32_t bell = atomic_load(&condition->bell);
    bool woken = take_token(condition, arrival);
    bool late = !woken && is_over(deadline, clock);
    if (woken || late) {
      error = woken ? 0 : ETIMEDOUT;
      if (--condition->waiters == 0) condition->arrivals = 0;
      unguard(condition);
      break;
    }
    unguard(condition);
    sleep_on(condition, bell, deadline, clock);
  }
  leave_wait(before);
  heddle_after(LIBRARY_SITE);
  return error;
}

static int wait_for(void *object, pthread_mutex_t *mutex, const struct timespec *deadline,
                    clockid_t clock) {
  uint32_t arrival = arrive(object, mutex);
  int error = wake_up(object, arrival, deadline, clock);
  WAITING(pthread_mutex_lock(mutex));
  return error;
}

static int clear_condition(void *object) {
  EVENT(memset(object, 0, sizeof(Condition)));
  return 0;
}

int heddle_w_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *unused) {
  return clear_condition(c);
}
int heddle_w_pthread_cond_destroy(pthread_cond_t *c) {
  EVENT(;);
  return 0;
}
int heddle_w_pthread_cond_signal(pthread_cond_t *c) { return signal_condition(c, 1); }
int heddle_w_pthread_cond_broadcast(pthread_cond_t *c) { return signal_condition(c, UINT32_MAX); }
int heddle_w_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
  return wait_for(c, m, NULL, CLOCK_REALTIME);
}
int heddle_w_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {
  return wait_for(c, m, t, CLOCK_REALTIME);
}
int heddle_w_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                    const struct timespec *t) {
  return wait_for(c, m, t, clock);
}
// Called where the clock is an input: the time has come whenever nobody signals.
int heddle_w___heddle_timed_wait(pthread_cond_t *c, pthread_mutex_t *m) {
  return wait_for(c, m, &past, CLOCK_REALTIME);
}

int heddle_w_cnd_init(cnd_t *c) { return clear_condition(c); }
void heddle_w_cnd_destroy(cnd_t *c) { EVENT(;); }
int heddle_w_cnd_signal(cnd_t *c) { return signal_condition(c, 1); }
int heddle_w_cnd_broadcast(cnd_t *c) { return signal_condition(c, UINT32_MAX); }
int heddle_w_cnd_wait(cnd_t *c, mtx_t *m) {
  return wait_for(c, (pthread_mutex_t *)m, NULL, CLOCK_REALTIME) == 0 ? thrd_success : thrd_error;
}
int heddle_w_cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *t) {
  const struct timespec *deadline = t == NULL ? &past : t;
  int error = wait_for(c, (pthread_mutex_t *)m, deadline, CLOCK_REALTIME);
  return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}
