// What instrumented code calls.

#define COLD __attribute__((noinline, cold, preserve_most))

// Saves what the program may look at.
static void come_to_event(uint32_t site, Place place) {
  int error = errno;
  uint64_t index = self.next;
  if (index >= limit_of(atomic_load(&current), self.slot)) hold();
  if (delay != 0) waste_time();
  if (self.slot != NO_SLOT) {
    stand(index, place);
    await_turn(index, site, place);
  }
  errno = error;
}

COLD void heddle_slow_before(uint32_t site) { come_to_event(site, (Place){0, 0}); }

COLD void heddle_slow_before_access(uint32_t site, const void *address, uint32_t bytes) {
  come_to_event(site, (Place){(uintptr_t)address, bytes});
}

COLD void heddle_slow_after(void) {
  int error = errno;
  uint64_t index = self.next;
  const Schedule *schedule = atomic_load_explicit(&current, memory_order_acquire);
  const EventEntry *event = find_event(schedule, self.slot, index);
  if (event != NULL && event->index == index && event->targets != 0)
    announce(index + 1, schedule->targets + event->first_target, event->targets);
  if (delay != 0) waste_time();
  count_from(index + 1);
  errno = error;
}

#if defined(__x86_64__)
// Compilers make five instructions of this.
#define COUNT_OR(slow_path)                                                                        \
  __asm__ goto("decq %0\n\tjs %l[slow]" : "+m"(heddle_left) : : "cc" : slow);                      \
  return;                                                                                          \
  slow:                                                                                            \
  slow_path
#else
#define COUNT_OR(slow_path)                                                                        \
  if (__builtin_expect(--heddle_left < 0, 0)) slow_path
#endif

__attribute__((always_inline)) void heddle_before(uint32_t site) {
  COUNT_OR(heddle_slow_before(site));
}

// Before an access of the program.
__attribute__((always_inline)) void heddle_before_access(uint32_t site, const void *address,
                                                         uint32_t bytes) {
  COUNT_OR(heddle_slow_before_access(site, address, bytes));
}

__attribute__((always_inline)) void heddle_after(uint32_t site) {
  if (__builtin_expect(heddle_left < 0, 0)) heddle_slow_after();
}

// An operation of the library as one event.
#define EVENT(operation)                                                                           \
  do {                                                                                             \
    heddle_before(LIBRARY_SITE);                                                                   \
    operation;                                                                                     \
    heddle_after(LIBRARY_SITE);                                                                    \
  } while (0)

// The same if it may wait for other threads.
#define WAITING(operation)                                                                         \
  do {                                                                                             \
    heddle_before(LIBRARY_SITE);                                                                   \
    uint32_t before = enter_wait();                                                                \
    operation;                                                                                     \
    leave_wait(before);                                                                            \
    heddle_after(LIBRARY_SITE);                                                                    \
  } while (0)

static uint32_t enter_wait(void) {
  if (self.slot != NO_SLOT) atomic_store_explicit(&slots[self.slot].state, WAITS_FOR_OTHERS, memory_order_relaxed);
  return 0;
}

static void leave_wait(uint32_t before) {
  if (self.slot != NO_SLOT) atomic_store_explicit(&slots[self.slot].state, before, memory_order_relaxed);
}

static __thread const char *position = "";

void heddle_at(const char *where) { position = where; }

_Noreturn static void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", position, what);
  abort();
}

// Where an exception would leave a function that must not throw.
_Noreturn void heddle_w___clang_call_terminate(void *exception) { abort(); }
_Noreturn void heddle_w_reach_error(void) { fail("reach_error() is called"); }
_Noreturn void heddle_w___VERIFIER_error(void) { fail("__VERIFIER_error() is called"); }
void heddle_w___VERIFIER_assert(int condition) {
  if (!condition) fail("__VERIFIER_assert() fails");
}
void heddle_w___VERIFIER_assume(int condition) {
  if (!condition) _exit(0);
}
void heddle_w___heddle_no_signals(void) {}
void heddle_w___heddle_own_files(void) {}
void heddle_w___heddle_short_lines(void) {}
void heddle_w___heddle_sure_memory(void) {}
void heddle_w___heddle_keep(void (*function)(void)) {}
_Bool heddle_w___heddle_no_more_wakeups(void) { return 1; }
_Noreturn void heddle_w___heddle_throw(const char *type) {
  die(EXIT_LEFT, "%s is thrown, which heddle does not follow", type);
}
_Noreturn void heddle_w___heddle_unsupported(const char *what) {
  die(EXIT_LEFT, "%s, which heddle does not follow", what);
}
