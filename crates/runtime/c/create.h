// Threads begin and end.

typedef struct {
  void *(*function)(void *);
  int (*c11)(void *);
  void *data;
  int slot;
  uint64_t seed;
  // It stands in the array below, and somebody has it.
  _Atomic bool taken;
} Start;

// What new threads are told. Memory that they would free costs them an arena of their
// own, so it comes from here as long as there is some.
#define STARTS 64
static Start pool[STARTS];

static Start *take_start(void) {
  for (int at = 0; at < STARTS; at++) {
    bool free = false;
    if (atomic_compare_exchange_strong(&pool[at].taken, &free, true)) return &pool[at];
  }
  return calloc(1, sizeof(Start));
}

static void give_back(Start *start) {
  if (start->taken) atomic_store(&start->taken, false);
  else free(start);
}

extern void __heddle_end_thread(void) __attribute__((weak));
extern void __heddle_end_process(void) __attribute__((weak));

static void end_thread(uint32_t site) {
  if (__heddle_end_thread) __heddle_end_thread();
  heddle_before(site);
  heddle_after(site);
  heddle_left = FOREVER;
  if (self.slot == NO_SLOT) {
    atomic_fetch_sub(&strangers, 1);
    return;
  }
  atomic_store(&slots[self.slot].state, ENDED);
  atomic_store(&slots[self.slot].done, UINT64_MAX);
  ring_all();
}

static void *run_thread(void *data) {
  Start *start = data;
  void *(*function)(void *) = start->function;
  int (*c11)(void *) = start->c11;
  void *argument = start->data;
  int slot = start->slot;
  uint64_t seed = start->seed;
  give_back(start);
  begin_thread(slot, seed);
  void *result = c11 ? (void *)(intptr_t)c11(argument) : function(argument);
  end_thread(SCOPE_SITE);
  return result;
}

static int start_thread(pthread_t *thread, const pthread_attr_t *attributes,
                        void *(*function)(void *), int (*c11)(void *), void *data) {
  Start *start = take_start();
  if (start == NULL) return EAGAIN;
  int error;
  heddle_before(LIBRARY_SITE);
  start->function = function;
  start->c11 = c11;
  start->data = data;
  int slot = start->slot = find_slot(self.slot, self.children++);
  start->seed = self.random * 31 + self.children;
  // It counts as a thread that runs from here on.
  if (slot != NO_SLOT) atomic_store(&slots[slot].exists, 1);
  else atomic_fetch_add(&strangers, 1);
  error = pthread_create(thread, attributes, run_thread, start);
  if (error != 0) {
    give_back(start);
    if (slot != NO_SLOT) atomic_store(&slots[slot].exists, 0);
    else atomic_fetch_sub(&strangers, 1);
  }
  heddle_after(LIBRARY_SITE);
  return error;
}

int heddle_w_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*function)(void *), void *data) {
  // To look at attributes is an event of its own, here and elsewhere.
  if (attributes != NULL) EVENT(;);
  return start_thread(thread, attributes, function, NULL, data);
}

int heddle_w_thrd_create(thrd_t *thread, thrd_start_t function, void *data) {
  int error = start_thread(thread, NULL, NULL, function, data);
  return error == 0 ? thrd_success : thrd_error;
}

int heddle_w_pthread_join(pthread_t thread, void **result) {
  void *value;
  int error;
  WAITING(error = pthread_join(thread, &value));
  if (error == 0 && result != NULL) EVENT(*result = value);
  return error;
}

int heddle_w_thrd_join(thrd_t thread, int *result) {
  void *value;
  int error;
  WAITING(error = pthread_join(thread, &value));
  if (error != 0) return thrd_error;
  if (result != NULL) EVENT(*result = (int)(intptr_t)value);
  return thrd_success;
}

_Noreturn void heddle_w_pthread_exit(void *result) {
  end_thread(LIBRARY_SITE);
  pthread_exit(result);
}

_Noreturn void heddle_w_thrd_exit(int result) {
  end_thread(LIBRARY_SITE);
  pthread_exit((void *)(intptr_t)result);
}

// Test mode: the heap is set up before the clock starts, whoever needs it first.
static void begin_time(struct timespec *begin) {
  draw_inputs(1);
  void *volatile block = malloc(1);
  free(block);
  clock_gettime(CLOCK_MONOTONIC, begin);
}

// Says how many nanoseconds `main` took.
static void tell_time(const struct timespec *begin) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  long long taken = (end.tv_sec - begin->tv_sec) * 1000000000ll + end.tv_nsec - begin->tv_nsec;
  fprintf(stderr, "heddle: main took %lld ns\n", taken);
}

static void end_process(void) {
  if (__heddle_end_process) __heddle_end_process();
  if (replays) hold();
}

_Noreturn void heddle_w_exit(int code) {
  end_process();
  exit(code);
}

// Prototypes of main differ; passing more than it takes does no harm.
extern int heddle_user_main(int, char **, char **);

int main(int count, char **arguments, char **environment) {
  struct timespec begin;
  bool timed = getenv("HEDDLE_TEST_TIME") != NULL;
  if (timed) begin_time(&begin);
  int code = heddle_user_main(count, arguments, environment);
  if (timed) tell_time(&begin);
  end_process();
  return code;
}
