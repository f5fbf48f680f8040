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

LIBRARY int __cxa_guard_acquire(Guard *guard) { return __heddle_once_begin(&guard->once); }

LIBRARY void __cxa_guard_release(Guard *guard) {
  __atomic_store_n(&guard->done, 1, __ATOMIC_RELEASE);
  __heddle_once_end(&guard->once);
}

// std::uncaught_exception(), std::uncaught_exceptions(): what throws has stopped.
LIBRARY _Bool _ZSt18uncaught_exceptionv(void) { return 0; }
LIBRARY int _ZSt19uncaught_exceptionsv(void) { return 0; }
