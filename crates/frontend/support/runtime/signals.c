// Signals that a program sends to itself, in C, for programs under check: a handler runs in
// the thread that raises the signal, where it raises it. That none comes from outside, once
// a handler waits for it, is a bound that the verdict names. Weak, so that the program's own
// wins.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

typedef void (*Handler)(int number);

enum { SIGNALS = 65, SET_BYTES = 128, EINVAL = 22, NUMBER_KILL = 9, NUMBER_STOP = 19 };
enum { SHOULD_BLOCK = 0, SHOULD_UNBLOCK = 1, SHOULD_SET = 2 };
// Flags of an action: its handler wants to know more; it is forgotten when it runs.
#define WITH_INFO 4u
#define ONCE 0x80000000u

#define DEFAULT ((Handler)0)
#define IGNORED ((Handler)1)
#define FAILED ((Handler)-1)

typedef struct {
  unsigned long words[SET_BYTES / sizeof(long)];
} Set;

typedef struct {
  Handler handler;
  Set mask;
  unsigned flags;
  void *restorer;
} Action;

// Models of the checker: one step; an assumption; a stop.
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __heddle_no_signals(void);
void __heddle_unsupported(const char *what);
int *__errno_location(void);
unsigned long pthread_self(void);

static Handler handlers[SIGNALS];
static unsigned flags[SIGNALS];
static _Thread_local Set blocked;

static int fail(int error) {
  *__errno_location() = error;
  return -1;
}

static int is_signal(int number) { return number > 0 && number < SIGNALS; }

// ---- Sets

#define BITS (8 * sizeof(long))
#define WORD(set, number) ((set)->words[((number) - 1) / BITS])
#define BIT(number) (1ul << ((number) - 1) % BITS)

static void fill(Set *set, unsigned long word) {
  for (size_t at = 0; at < sizeof set->words / sizeof *set->words; at++) set->words[at] = word;
}

LIBRARY int sigemptyset(Set *set) {
  fill(set, 0);
  return 0;
}

LIBRARY int sigfillset(Set *set) {
  fill(set, ~0ul);
  return 0;
}

LIBRARY int sigaddset(Set *set, int number) {
  if (!is_signal(number)) return fail(EINVAL);
  WORD(set, number) |= BIT(number);
  return 0;
}

LIBRARY int sigdelset(Set *set, int number) {
  if (!is_signal(number)) return fail(EINVAL);
  WORD(set, number) &= ~BIT(number);
  return 0;
}

LIBRARY int sigismember(const Set *set, int number) {
  if (!is_signal(number)) return fail(EINVAL);
  return (WORD(set, number) & BIT(number)) != 0;
}

static int change_mask(int how, const Set *set, Set *old) {
  Set before = blocked;
  if (set != NULL) {
    if (how != SHOULD_BLOCK && how != SHOULD_UNBLOCK && how != SHOULD_SET) return EINVAL;
    for (size_t at = 0; at < sizeof set->words / sizeof *set->words; at++) {
      unsigned long word = set->words[at];
      if (how == SHOULD_BLOCK) word = blocked.words[at] | word;
      if (how == SHOULD_UNBLOCK) word = blocked.words[at] & ~word;
      blocked.words[at] = word;
    }
  }
  if (old != NULL) *old = before;
  return 0;
}

LIBRARY int pthread_sigmask(int how, const Set *set, Set *old) {
  return change_mask(how, set, old);
}

LIBRARY int sigprocmask(int how, const Set *set, Set *old) {
  int error = change_mask(how, set, old);
  return error == 0 ? 0 : fail(error);
}

// ---- Actions

static Handler set_handler(int number, Handler handler, unsigned how) {
  if (handler != DEFAULT && handler != IGNORED) __heddle_no_signals();
  __VERIFIER_atomic_begin();
  Handler before = handlers[number];
  handlers[number] = handler;
  flags[number] = how;
  __VERIFIER_atomic_end();
  return before;
}

static int may_handle(int number) {
  return is_signal(number) && number != NUMBER_KILL && number != NUMBER_STOP;
}

LIBRARY Handler signal(int number, Handler handler) {
  if (!may_handle(number)) {
    fail(EINVAL);
    return FAILED;
  }
  return set_handler(number, handler, 0);
}

LIBRARY int sigaction(int number, const Action *action, Action *old) {
  if (!may_handle(number)) return fail(EINVAL);
  __VERIFIER_atomic_begin();
  Handler before = handlers[number];
  unsigned how = flags[number];
  __VERIFIER_atomic_end();
  if (action != NULL) set_handler(number, action->handler, action->flags);
  if (old != NULL) {
    old->handler = before;
    old->flags = how;
    fill(&old->mask, 0);
  }
  return 0;
}

LIBRARY int raise(int number) {
  if (!is_signal(number)) return fail(EINVAL);
  if (WORD(&blocked, number) & BIT(number)) __heddle_unsupported("a signal that is blocked");
  __VERIFIER_atomic_begin();
  Handler handler = handlers[number];
  unsigned how = flags[number];
  if (how & ONCE) handlers[number] = DEFAULT;
  __VERIFIER_atomic_end();
  if (handler == IGNORED) return 0;
  if (handler == DEFAULT) __heddle_unsupported("a signal without a handler");
  if (how & WITH_INFO) __heddle_unsupported("a signal handler that is told more than a number");
  handler(number);
  return 0;
}

LIBRARY int pthread_kill(unsigned long thread, int number) {
  if (number < 0 || number >= SIGNALS) return EINVAL;
  if (number == 0) return 0;
  if (thread != pthread_self()) __heddle_unsupported("a signal for another thread");
  return raise(number) == 0 ? 0 : EINVAL;
}
