// Exceptions of the GNU C++ library and the functions by which its headers throw them, in C
// under their mangled names, for C++ programs under check. Layouts are those of libstdc++'s
// headers. Everything is weak, so that what the program has wins.

#include <stdarg.h>
#include <stddef.h>

#define WEAK __attribute__((weak))

typedef struct {
  const void *const *kind;
  const char *name;
  const void *base;
} Type;

// In rtti.c: vtables for __cxxabiv1::__class_type_info and __si_class_type_info.
extern const void *const _ZTVN10__cxxabiv117__class_type_infoE[8];
extern const void *const _ZTVN10__cxxabiv120__si_class_type_infoE[8];

// In cxxthrow.c.
void *__cxa_allocate_exception(size_t bytes);
void __cxa_throw(void *object, const void *type, void (*destroy)(void *)) __attribute__((noreturn));

// Models of the checker.
void *__heddle_allocate_exception(size_t bytes);
void __heddle_free_exception(void *block);
// operator delete(void*)
void _ZdlPv(void *block);
size_t strlen(const char *text);
void *memcpy(void *to, const void *from, size_t bytes);
int vsnprintf(char *to, size_t room, const char *format, va_list arguments);

typedef struct {
  const void *const *methods;
  const char *message;
} Error;

typedef struct {
  const char *text;
  size_t length;
} String;

// A class, by its mangled name: its type, its table (where it is in the whole object, its
// type, two destructors, what()) and its destructors.
#define CLASS(code, text, kind_of, base_of, destroy, what)                                         \
  WEAK extern const Type _ZTISt##code;                                                             \
  WEAK void _ZNSt##code##D1Ev(Error *self) { destroy(self); }                                      \
  WEAK void _ZNSt##code##D2Ev(Error *self) { destroy(self); }                                      \
  WEAK void _ZNSt##code##D0Ev(Error *self) {                                                       \
    destroy(self);                                                                                 \
    _ZdlPv(self);                                                                                  \
  }                                                                                                \
  WEAK extern const void *const _ZTVSt##code[5] = {0, &_ZTISt##code, _ZNSt##code##D1Ev,            \
                                                   _ZNSt##code##D0Ev, what};                       \
  WEAK const Type _ZTISt##code = {&kind_of[2], text, base_of};

#define DERIVED(code, text, base, destroy, what)                                                   \
  CLASS(code, text, _ZTVN10__cxxabiv120__si_class_type_infoE, &_ZTISt##base, destroy, what)

static void keep_nothing(Error *self) {}

// ---- Those that say what their class says

#define SAYS(code, text)                                                                           \
  WEAK const char *_ZNKSt##code##4whatEv(const Error *self) { return text; }

SAYS(9exception, "std::exception")
CLASS(9exception, "St9exception", _ZTVN10__cxxabiv117__class_type_infoE, NULL, keep_nothing,
      _ZNKSt9exception4whatEv)
SAYS(9bad_alloc, "std::bad_alloc")
DERIVED(9bad_alloc, "St9bad_alloc", 9exception, keep_nothing, _ZNKSt9bad_alloc4whatEv)
SAYS(20bad_array_new_length, "std::bad_array_new_length")
DERIVED(20bad_array_new_length, "St20bad_array_new_length", 9bad_alloc, keep_nothing,
        _ZNKSt20bad_array_new_length4whatEv)
SAYS(8bad_cast, "std::bad_cast")
DERIVED(8bad_cast, "St8bad_cast", 9exception, keep_nothing, _ZNKSt8bad_cast4whatEv)
SAYS(10bad_typeid, "std::bad_typeid")
DERIVED(10bad_typeid, "St10bad_typeid", 9exception, keep_nothing, _ZNKSt10bad_typeid4whatEv)
SAYS(13bad_exception, "std::bad_exception")
DERIVED(13bad_exception, "St13bad_exception", 9exception, keep_nothing,
        _ZNKSt13bad_exception4whatEv)
SAYS(17bad_function_call, "bad_function_call")
DERIVED(17bad_function_call, "St17bad_function_call", 9exception, keep_nothing,
        _ZNKSt17bad_function_call4whatEv)
SAYS(12bad_weak_ptr, "bad_weak_ptr")
DERIVED(12bad_weak_ptr, "St12bad_weak_ptr", 9exception, keep_nothing, _ZNKSt12bad_weak_ptr4whatEv)

// ---- Those with a message: copies share it

typedef struct {
  long references;
  char text[];
} Message;

static Message *message_of(const Error *error) {
  return (Message *)(error->message - offsetof(Message, text));
}

static void set_message(Error *self, const char *text, size_t length) {
  Message *message = __heddle_allocate_exception(sizeof *message + length + 1);
  message->references = 1;
  memcpy(message->text, text, length);
  message->text[length] = 0;
  self->message = message->text;
}

static void share_message(Error *self, const Error *other) {
  __atomic_add_fetch(&message_of(other)->references, 1, __ATOMIC_RELAXED);
  self->message = other->message;
}

static void drop_message(Error *self) {
  Message *message = message_of(self);
  if (__atomic_sub_fetch(&message->references, 1, __ATOMIC_ACQ_REL) == 0) __heddle_free_exception(message);
}

#define STRING ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)

// Constructors (char const*) and (std::string const&), of the whole object and as a base.
#define MADE_OF_TEXT(code, constructor)                                                            \
  WEAK void _ZNSt##code##constructor##EPKc(Error *self, const char *text) {                        \
    self->methods = &_ZTVSt##code[2];                                                              \
    set_message(self, text, strlen(text));                                                         \
  }                                                                                                \
  WEAK void JOIN(_ZNSt##code##constructor, STRING)(Error * self, const String *text) {             \
    self->methods = &_ZTVSt##code[2];                                                              \
    set_message(self, text->text, text->length);                                                   \
  }

// Copies and moves.
#define COPIED(code, constructor)                                                                  \
  WEAK void _ZNSt##code##constructor##ERKS_(Error *self, const Error *other) {                     \
    self->methods = &_ZTVSt##code[2];                                                              \
    share_message(self, other);                                                                    \
  }                                                                                                \
  WEAK void _ZNSt##code##constructor##EOS_(Error *self, Error *other) {                            \
    self->methods = &_ZTVSt##code[2];                                                              \
    share_message(self, other);                                                                    \
  }

#define ASSIGNED(code, way)                                                                        \
  WEAK Error *_ZNSt##code##aSE##way(Error *self, Error *other) {                                   \
    if (self != other) {                                                                           \
      drop_message(self);                                                                          \
      share_message(self, other);                                                                  \
    }                                                                                              \
    return self;                                                                                   \
  }

#define WITH_MESSAGE(code, text, base)                                                             \
  WEAK const char *_ZNKSt##code##4whatEv(const Error *self) { return self->message; }              \
  DERIVED(code, text, base, drop_message, _ZNKSt##code##4whatEv)                                   \
  MADE_OF_TEXT(code, C1)                                                                           \
  MADE_OF_TEXT(code, C2)                                                                           \
  COPIED(code, C1)                                                                                 \
  COPIED(code, C2)                                                                                 \
  ASSIGNED(code, RKS_)                                                                             \
  ASSIGNED(code, OS_)

WITH_MESSAGE(11logic_error, "St11logic_error", 9exception)
WITH_MESSAGE(12domain_error, "St12domain_error", 11logic_error)
WITH_MESSAGE(16invalid_argument, "St16invalid_argument", 11logic_error)
WITH_MESSAGE(12length_error, "St12length_error", 11logic_error)
WITH_MESSAGE(12out_of_range, "St12out_of_range", 11logic_error)
WITH_MESSAGE(13runtime_error, "St13runtime_error", 9exception)
WITH_MESSAGE(11range_error, "St11range_error", 13runtime_error)
WITH_MESSAGE(14overflow_error, "St14overflow_error", 13runtime_error)
WITH_MESSAGE(15underflow_error, "St15underflow_error", 13runtime_error)

// ---- Functions that throw: std::__throw_length_error(char const*) and the like

#define THROWS(function, code)                                                                     \
  WEAK void function(void) {                                                                       \
    Error *error = __cxa_allocate_exception(sizeof *error);                                        \
    error->methods = &_ZTVSt##code[2];                                                             \
    __cxa_throw(error, &_ZTISt##code, (void (*)(void *))_ZNSt##code##D1Ev);                        \
  }

#define THROWS_TEXT(function, code)                                                                \
  WEAK void function(const char *text) {                                                           \
    Error *error = __cxa_allocate_exception(sizeof *error);                                        \
    _ZNSt##code##C1EPKc(error, text);                                                              \
    __cxa_throw(error, &_ZTISt##code, (void (*)(void *))_ZNSt##code##D1Ev);                        \
  }

THROWS(_ZSt17__throw_bad_allocv, 9bad_alloc)
THROWS(__heddle_bad_alloc, 9bad_alloc)
THROWS(_ZSt28__throw_bad_array_new_lengthv, 20bad_array_new_length)
THROWS(__cxa_throw_bad_array_new_length, 20bad_array_new_length)
THROWS(_ZSt16__throw_bad_castv, 8bad_cast)
THROWS(__cxa_bad_cast, 8bad_cast)
THROWS(_ZSt18__throw_bad_typeidv, 10bad_typeid)
THROWS(__cxa_bad_typeid, 10bad_typeid)
THROWS(_ZSt21__throw_bad_exceptionv, 13bad_exception)
THROWS(_ZSt25__throw_bad_function_callv, 17bad_function_call)
THROWS_TEXT(_ZSt19__throw_logic_errorPKc, 11logic_error)
THROWS_TEXT(_ZSt20__throw_domain_errorPKc, 12domain_error)
THROWS_TEXT(_ZSt24__throw_invalid_argumentPKc, 16invalid_argument)
THROWS_TEXT(_ZSt20__throw_length_errorPKc, 12length_error)
THROWS_TEXT(_ZSt20__throw_out_of_rangePKc, 12out_of_range)
THROWS_TEXT(_ZSt21__throw_runtime_errorPKc, 13runtime_error)
THROWS_TEXT(_ZSt19__throw_range_errorPKc, 11range_error)
THROWS_TEXT(_ZSt22__throw_overflow_errorPKc, 14overflow_error)
THROWS_TEXT(_ZSt23__throw_underflow_errorPKc, 15underflow_error)

enum { LONGEST = 256 };

// std::__throw_out_of_range_fmt(char const*, ...)
WEAK void _ZSt24__throw_out_of_range_fmtPKcz(const char *format, ...) {
  char text[LONGEST];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  _ZSt20__throw_out_of_rangePKc(text);
}

// ---- std::nested_exception

typedef struct {
  const void *const *methods;
  void *nested;
} Nested;

void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **pointer);

static void drop_nested(Error *self) {
  _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(&((Nested *)self)->nested);
}

CLASS(16nested_exception, "St16nested_exception", _ZTVN10__cxxabiv117__class_type_infoE, NULL,
      drop_nested, NULL)
