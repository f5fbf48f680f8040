// Throwing and catching, as the Itanium C++ ABI has it (Level II, section 2: what
// compiled code calls), in C, for C++ programs under check. Weak, so that the program's
// own wins.
//
// An exception under way is a `Thrown`. Functions hand it back to their callers, which the
// front end sees to (lower/unwind.rs): a call of `__heddle_unwind` leaves the function with
// it. What is thrown is an object of its own, since `std::rethrow_exception` may have
// several threads throw the same one.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

typedef struct Type Type;
typedef void (*Destructor)(void *object);

// Models of the checker: blocks that no program sees, the line of the program that runs,
// the end of the program, and the way out of a function.
void *__heddle_allocate_exception(size_t bytes);
void __heddle_free_exception(void *block);
unsigned long long __heddle_position(void);
void __heddle_report_uncaught(const Type *type, const char *what, unsigned long long position);
void __heddle_unwind(void *thrown) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));

// In rtti.c: whether a handler of one type takes an object of another, and where.
int __heddle_catches(const Type *handler, const Type *thrown, void **object);

typedef struct Thrown {
  // Caught before by the same thread, and not done with.
  struct Thrown *outer;
  void *object;
  // What the handler gets: the object, or a base of it.
  void *adjusted;
  // Handlers that are not done with it; negative while it is thrown again from one.
  int handlers;
  unsigned long long position;
} Thrown;

// Stands right before the object.
typedef struct {
  const Type *type;
  Destructor destroy;
  // By throws and by std::exception_ptr.
  long references;
  // For the first throw.
  Thrown first;
} __attribute__((aligned(16))) Header;

// Models of the checker and of rtti.c for threads that end from within (jump.c).
void __heddle_exit_thread(void *result);
extern const Type _ZTIN10__cxxabiv115__forced_unwindE;

static _Thread_local Thrown *caught;
static _Thread_local int uncaught;

static Header *header_of(void *object) { return (Header *)object - 1; }

LIBRARY void *__cxa_allocate_exception(size_t bytes) {
  Header *header = __heddle_allocate_exception(sizeof *header + bytes);
  return header + 1;
}

LIBRARY void __cxa_free_exception(void *object) { __heddle_free_exception(header_of(object)); }

LIBRARY void *__cxa_init_primary_exception(void *object, const Type *type, Destructor destroy) {
  Header *header = header_of(object);
  header->type = type;
  header->destroy = destroy;
  header->references = 0;
  header->first.outer = NULL;
  header->first.object = object;
  header->first.adjusted = object;
  header->first.handlers = 0;
  return object;
}

static void retain(void *object) {
  __atomic_add_fetch(&header_of(object)->references, 1, __ATOMIC_RELAXED);
}

// A destructor that throws ends the program.
__attribute__((nothrow)) static void release(void *object) {
  Header *header = header_of(object);
  if (__atomic_sub_fetch(&header->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  if (header->destroy != NULL) header->destroy(object);
  __heddle_free_exception(header);
}

__attribute__((noreturn)) static void throw(Thrown *thrown) {
  uncaught++;
  __heddle_unwind(thrown);
}

LIBRARY void __cxa_throw(void *object, const Type *type, Destructor destroy) {
  __cxa_init_primary_exception(object, type, destroy);
  Header *header = header_of(object);
  header->references = 1;
  header->first.position = __heddle_position();
  throw(&header->first);
}

// ---- What landing pads ask

// The number of the clause, if none before was chosen and it fits. No type takes all.
LIBRARY int __heddle_catch(Thrown *thrown, int chosen, const Type *handler, int number) {
  if (chosen != 0) return chosen;
  void *object = thrown->object;
  if (handler != NULL && !__heddle_catches(handler, header_of(object)->type, &object)) return 0;
  thrown->adjusted = object;
  return number;
}

// A dynamic exception specification: -1 if it does not allow the exception.
LIBRARY int __heddle_filter(Thrown *thrown, int chosen, const Type *const *allowed, int count) {
  if (chosen != 0) return chosen;
  for (int at = 0; at < count; at++) {
    void *object = thrown->object;
    if (__heddle_catches(allowed[at], header_of(object)->type, &object)) return 0;
  }
  thrown->adjusted = thrown->object;
  return -1;
}

// ---- Handlers

LIBRARY void *__cxa_get_exception_ptr(Thrown *thrown) { return thrown->adjusted; }

LIBRARY void *__cxa_begin_catch(Thrown *thrown) {
  thrown->handlers = (thrown->handlers < 0 ? -thrown->handlers : thrown->handlers) + 1;
  uncaught--;
  if (caught != thrown) {
    thrown->outer = caught;
    caught = thrown;
  }
  return thrown->adjusted;
}

LIBRARY void __cxa_end_catch(void) {
  Thrown *thrown = caught;
  if (thrown == NULL) return;
  if (thrown->handlers < 0) {
    // It goes on its way; who catches it next is done with it.
    if (++thrown->handlers == 0) caught = thrown->outer;
    return;
  }
  if (--thrown->handlers != 0) return;
  caught = thrown->outer;
  void *object = thrown->object;
  if (thrown != &header_of(object)->first) __heddle_free_exception(thrown);
  release(object);
}

// The exception that ends the program.
void __heddle_uncaught(Thrown *thrown) __attribute__((nothrow, noreturn));
static void end_program(Thrown *thrown) __attribute__((nothrow, noreturn));

LIBRARY void __cxa_rethrow(void) {
  Thrown *thrown = caught;
  if (thrown == NULL) end_program(NULL);
  thrown->handlers = -thrown->handlers;
  throw(thrown);
}

LIBRARY const Type *__cxa_current_exception_type(void) {
  return caught == NULL ? NULL : header_of(caught->object)->type;
}

// std::uncaught_exception(), std::uncaught_exceptions()
LIBRARY _Bool _ZSt18uncaught_exceptionv(void) { return uncaught != 0; }
LIBRARY int _ZSt19uncaught_exceptionsv(void) { return uncaught; }

// ---- The end of a thread from within: an exception that only `catch (...)` and clean-up take,
// as in the GNU C library

static _Thread_local Header forced;
static _Thread_local void *result;

// Who catches it must throw it again.
static void not_thrown_again(void *object) {
  __heddle_report_uncaught(&_ZTIN10__cxxabiv115__forced_unwindE, NULL, forced.first.position);
  abort();
}

LIBRARY void *__heddle_forced(void *value) {
  __cxa_init_primary_exception(&forced + 1, &_ZTIN10__cxxabiv115__forced_unwindE,
                               not_thrown_again);
  forced.references = 1;
  forced.first.position = __heddle_position();
  result = value;
  uncaught++;
  return &forced.first;
}

// ---- The end of the program

// `typeinfo for std::exception`, if the program knows it, and the place of `what` in the
// table of an object of such a type: behind two destructors.
extern const Type _ZTISt9exception __attribute__((weak));
typedef const char *(*What)(void *object);
enum { WHAT = 2 };

LIBRARY void __heddle_uncaught(Thrown *thrown) {
  // It has left the first function of the thread.
  if (thrown == &forced.first) __heddle_exit_thread(result);
  end_program(thrown);
}

static void end_program(Thrown *thrown) {
  if (thrown == NULL) {
    __heddle_report_uncaught(NULL, NULL, 0);
    abort();
  }
  void *object = thrown->object;
  const Type *type = header_of(object)->type;
  const char *what = NULL;
  if (&_ZTISt9exception != NULL && __heddle_catches(&_ZTISt9exception, type, &object))
    what = (*(What **)object)[WHAT](object);
  __heddle_report_uncaught(type, what, thrown->position);
  abort();
}

// In place of what compiled code has for functions that must not throw.
LIBRARY void __clang_call_terminate(Thrown *thrown) { end_program(thrown); }

LIBRARY void __cxa_call_unexpected(Thrown *thrown) { end_program(thrown); }

// ---- std::exception_ptr: a pointer to the object

// std::current_exception(), whose result is an object of the caller's
LIBRARY void _ZSt17current_exceptionv(void **result) {
  *result = caught == NULL ? NULL : caught->object;
  if (*result != NULL) retain(*result);
}

// std::rethrow_exception(std::exception_ptr)
LIBRARY void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void **pointer) {
  Thrown *thrown = __heddle_allocate_exception(sizeof *thrown);
  thrown->outer = NULL;
  thrown->object = *pointer;
  thrown->adjusted = *pointer;
  thrown->handlers = 0;
  thrown->position = __heddle_position();
  retain(*pointer);
  throw(thrown);
}

// std::exception_ptr::exception_ptr(), (void*), (exception_ptr const&); its destructor
LIBRARY void _ZNSt15__exception_ptr13exception_ptrC1Ev(void **self) { *self = NULL; }

LIBRARY void _ZNSt15__exception_ptr13exception_ptrC1EPv(void **self, void *object) {
  *self = object;
  if (object != NULL) retain(object);
}

LIBRARY void _ZNSt15__exception_ptr13exception_ptrC1ERKS0_(void **self, void **other) {
  *self = *other;
  if (*self != NULL) retain(*self);
}

LIBRARY void _ZNSt15__exception_ptr13exception_ptrD1Ev(void **self) {
  if (*self != NULL) release(*self);
}

// std::exception_ptr::_M_addref(), _M_release(), _M_get() const, __cxa_exception_type() const,
// swap(exception_ptr&), operator=(exception_ptr const&)
LIBRARY void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void **self) {
  if (*self != NULL) retain(*self);
}

LIBRARY void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **self) {
  if (*self != NULL) release(*self);
  *self = NULL;
}

LIBRARY void *_ZNKSt15__exception_ptr13exception_ptr6_M_getEv(void **self) { return *self; }

LIBRARY const Type *_ZNKSt15__exception_ptr13exception_ptr20__cxa_exception_typeEv(void **self) {
  return header_of(*self)->type;
}

LIBRARY void _ZNSt15__exception_ptr13exception_ptr4swapERS0_(void **self, void **other) {
  void *object = *self;
  *self = *other;
  *other = object;
}

LIBRARY void **_ZNSt15__exception_ptr13exception_ptraSERKS0_(void **self, void **other) {
  if (*other != NULL) retain(*other);
  if (*self != NULL) release(*self);
  *self = *other;
  return self;
}
