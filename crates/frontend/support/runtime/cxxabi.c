// Initialisation of function-local statics, as the Itanium C++ ABI has it (section
// 3.3.3), in C, for C++ programs under check. Weak, so that the program's own wins.

#define LIBRARY __attribute__((weak))

// Compiled code looks at `done` before it calls; the rest is ours.
typedef struct {
  char done;
  char unused[3];
  int once;
} Guard;

// Models of the checker: waits while another thread initialises, says whether to.
int __heddle_once_begin(int *once);
int __heddle_once_end(int *once);
int __heddle_once_abort(int *once);

LIBRARY int __cxa_guard_acquire(Guard *guard) { return __heddle_once_begin(&guard->once); }

LIBRARY void __cxa_guard_release(Guard *guard) {
  __atomic_store_n(&guard->done, 1, __ATOMIC_RELEASE);
  __heddle_once_end(&guard->once);
}

// Initialisation ended with an exception; who comes next tries again.
LIBRARY void __cxa_guard_abort(Guard *guard) { __heddle_once_abort(&guard->once); }
