// Which threads have ended, for those who must not wait for it, in C, for programs under
// check. Weak, so that the program's own wins.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

struct timespec {
  long tv_sec, tv_nsec;
};

// Models of the checker.
unsigned long pthread_self(void);
int pthread_join(unsigned long thread, void **result);
_Bool __VERIFIER_nondet_bool(void);
void __heddle_unsupported(const char *what);
// In threads.c: keeps what a thread does at its end in the program.
void __heddle_keep_ends(void);

enum { EINVAL = 22, EBUSY = 16, ETIMEDOUT = 110, SECOND = 1000000000 };

// A thread stands at the first free place from the one on that its number says.
#define PLACES 64
static unsigned long ends[PLACES];

LIBRARY void __heddle_enter(unsigned long *table, unsigned long thread) {
  for (unsigned long at = thread; at < thread + PLACES; at++) {
    unsigned long found = 0;
    if (__atomic_compare_exchange_n(&table[at % PLACES], &found, thread, 0, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST) ||
        found == thread)
      return;
  }
  __heddle_unsupported("notes of the ends of more than 64 threads");
}

LIBRARY _Bool __heddle_is_in(const unsigned long *table, unsigned long thread) {
  for (unsigned long at = thread; at < thread + PLACES; at++) {
    unsigned long found = __atomic_load_n(&table[at % PLACES], __ATOMIC_SEQ_CST);
    if (found == thread) return 1;
    if (found == 0) return 0;
  }
  return 0;
}

// Of threads.c, which looks at it.
const int __heddle_notes_ends = 1;
// The last thing that a thread does, but for the checker.
LIBRARY void __heddle_note_end(void) { __heddle_enter(ends, pthread_self()); }

LIBRARY _Bool __heddle_has_ended(unsigned long thread) { return __heddle_is_in(ends, thread); }

LIBRARY int pthread_tryjoin_np(unsigned long thread, void **result) {
  __heddle_keep_ends();
  return __heddle_has_ended(thread) ? pthread_join(thread, result) : EBUSY;
}

// Time may be up at any moment.
LIBRARY int pthread_timedjoin_np(unsigned long thread, void **result,
                                 const struct timespec *deadline) {
  __heddle_keep_ends();
  if (deadline == NULL) return pthread_join(thread, result);
  if (deadline->tv_nsec < 0 || deadline->tv_nsec >= SECOND) return EINVAL;
  if (!__heddle_has_ended(thread) && __VERIFIER_nondet_bool()) return ETIMEDOUT;
  return pthread_join(thread, result);
}

LIBRARY int pthread_clockjoin_np(unsigned long thread, void **result, int clock,
                                 const struct timespec *deadline) {
  return pthread_timedjoin_np(thread, result, deadline);
}
