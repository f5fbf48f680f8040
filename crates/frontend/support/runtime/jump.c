// setjmp and longjmp, in C, for programs under check. Weak, so that the program's own wins.
//
// A function that calls setjmp has a frame here: an object of its own whose address says
// which call of the function it is. A jump ends one function after the other, as an exception
// does, until it comes to the function that its buffer names; what calls are made for that
// stands in the front end (lower/jumps.rs). So no engine knows of jumps.
//
// Whether the frame is still there, and the thread's own, is found out before any function
// ends: C leaves open what happens otherwise (7.13.2.1).

#include <stddef.h>

#define LIBRARY __attribute__((weak))

typedef struct Frame {
  struct Frame *outer;
} Frame;

enum { WORDS = sizeof(long) == 8 ? 8 : 6, MASK_BYTES = 128 };

// What the first words of a `jmp_buf` are used for. `pthread_cleanup_push` has buffers with
// `WORDS` words, a number, and four words more; `__builtin_setjmp` uses the first two words
// only.
typedef struct Buffer {
  Frame *frame;
  long site;
  long unused[WORDS - 2];
  int has_mask;
  union {
    unsigned long mask[MASK_BYTES / sizeof(long)];
    struct Buffer *outer;
  };
} Buffer;

// Models of the checker: violations, and the way out of a function. An exception that is
// this is a jump.
void __heddle_stale_jump(const char *message) __attribute__((noreturn));
void __heddle_wild_jump(const char *message) __attribute__((noreturn));
void __heddle_unwind_jump(void *thrown) __attribute__((noreturn));
#define JUMP ((void *)1)

// In signals.c.
int pthread_sigmask(int how, const void *set, void *old);
enum { SHOULD_SET = 2 };

// The frames of the thread, the innermost first.
static _Thread_local Frame *frames;
// Where a jump under way leads to.
static _Thread_local Frame *target;
static _Thread_local int target_site;
static _Thread_local int value;

// ---- What functions that call setjmp do

LIBRARY void __heddle_enter_frame(Frame *frame) {
  frame->outer = frames;
  frames = frame;
}

LIBRARY void __heddle_leave_frame(Frame *frame) { frames = frame->outer; }

LIBRARY void __heddle_setjmp(Buffer *buffer, Frame *frame, int site) {
  buffer->frame = frame;
  buffer->site = site;
}

LIBRARY void __heddle_save_mask(Buffer *buffer, int saves) {
  buffer->has_mask = saves != 0;
  if (saves) pthread_sigmask(SHOULD_SET, NULL, buffer->mask);
}

// Calls by name are the front end's business. Others, C does not allow.
void __heddle_unsupported(const char *what) __attribute__((noreturn));
#define BY_POINTER __heddle_unsupported("a call of setjmp() through a pointer")
LIBRARY int setjmp(Buffer *buffer) { BY_POINTER; }
LIBRARY int _setjmp(Buffer *buffer) { BY_POINTER; }
LIBRARY int sigsetjmp(Buffer *buffer, int saves) { BY_POINTER; }
LIBRARY int __sigsetjmp(Buffer *buffer, int saves) { BY_POINTER; }

// What ends the thread, if that is under way, and whom it calls before (leave.c).
static _Thread_local void *leaving;
static _Thread_local Buffer *cleanups;

// The call of setjmp in this frame that the exception is for, if it is.
LIBRARY int __heddle_arrive(void *thrown, Frame *frame) {
  if (thrown == JUMP) return target == frame ? target_site : 0;
  if (thrown != leaving || cleanups == NULL || cleanups->frame != frame) return 0;
  int site = cleanups->site;
  cleanups = cleanups->outer;
  value = 1;
  return site;
}

// What setjmp gives now.
LIBRARY int __heddle_arrived(void) { return value; }

// May it leave a function that no exception may leave?
LIBRARY _Bool __heddle_passes(void *thrown) { return thrown == JUMP || thrown == leaving; }

// ---- Jumps

__attribute__((noreturn)) static void jump(Buffer *buffer, int result, _Bool may_have_mask) {
  Frame *frame = buffer->frame;
  if (frame == NULL) __heddle_wild_jump("longjmp() with a buffer that setjmp() has not filled");
  Frame *found = frames;
  while (found != NULL && found != frame) found = found->outer;
  if (found == NULL)
    __heddle_stale_jump(
        "longjmp() to a function that has returned, or that another thread runs");
  if (may_have_mask && buffer->has_mask) pthread_sigmask(SHOULD_SET, buffer->mask, NULL);
  target = frame;
  target_site = buffer->site;
  value = result == 0 ? 1 : result;
  __heddle_unwind_jump(JUMP);
}

LIBRARY void longjmp(Buffer *buffer, int result) { jump(buffer, result, 1); }
LIBRARY void _longjmp(Buffer *buffer, int result) { jump(buffer, result, 1); }
LIBRARY void siglongjmp(Buffer *buffer, int result) { jump(buffer, result, 1); }
LIBRARY void __longjmp_chk(Buffer *buffer, int result) { jump(buffer, result, 1); }
LIBRARY void __heddle_builtin_longjmp(Buffer *buffer) { jump(buffer, 1, 0); }

// ---- The end of a thread from within, in functions that have to be called on the way

// In cxxthrow.c: the exception by which a thread ends.
void *__heddle_forced(void *result);

// In place of pthread_exit.
LIBRARY void __heddle_leave(void *result) {
  leaving = __heddle_forced(result);
  __heddle_unwind_jump(leaving);
}

// In place of thrd_exit.
LIBRARY void __heddle_leave_with_number(int result) { __heddle_leave((void *)(long)result); }

// What pthread_cleanup_push and pthread_cleanup_pop of C are made of. The function that is to
// be called stands in the function that has pushed it, behind a setjmp.
LIBRARY void __pthread_register_cancel(Buffer *buffer) {
  buffer->outer = cleanups;
  cleanups = buffer;
}

LIBRARY void __pthread_unregister_cancel(Buffer *buffer) { cleanups = buffer->outer; }

// The same in C with -fexceptions, where an object is cleaned up.
typedef struct {
  void (*function)(void *);
  void *data;
  int is_called;
} Cleanup;

LIBRARY void __pthread_cleanup_routine(Cleanup *cleanup) {
  if (cleanup->is_called) cleanup->function(cleanup->data);
}

// The function has been called.
LIBRARY void __pthread_unwind_next(Buffer *buffer) { __heddle_unwind_jump(leaving); }
