// Error codes of the GNU C++ library, and the exceptions that carry them, in C under their
// mangled names, for C++ programs under check. Layouts are those of libstdc++'s headers.
// Everything is weak, so that what the program has wins.

#include <stddef.h>

#define WEAK __attribute__((weak))

typedef struct {
  const void *const *kind;
  const char *name;
  const void *base;
} Type;

typedef struct Category Category;

// std::error_code and std::error_condition
typedef struct {
  int value;
  const Category *category;
} Code;

typedef struct {
  char *text;
  size_t length;
  char local[16];
} String;

struct Category {
  const struct Methods {
    void (*destroy)(Category *);
    void (*destroy_and_free)(Category *);
    const char *(*name)(const Category *);
    void *old_message;
    // Fills the string at its first argument.
    void (*message)(String *, const Category *, int);
    Code (*condition)(const Category *, int);
    _Bool (*is_condition)(const Category *, int, const Code *);
    _Bool (*is_code)(const Category *, const Code *, int);
  } *methods;
};

typedef struct {
  const void *const *methods;
  const char *message;
  Code code;
} Error;

extern const void *const _ZTVN10__cxxabiv117__class_type_infoE[8];
extern const void *const _ZTVN10__cxxabiv120__si_class_type_infoE[8];
// In stdexcept.c.
extern const Type _ZTISt13runtime_error, _ZTISt11logic_error;
void _ZNSt13runtime_errorC2EPKc(Error *self, const char *text);
void _ZNSt11logic_errorC2EPKc(Error *self, const char *text);
void _ZNSt13runtime_errorD2Ev(Error *self);
void _ZNSt11logic_errorD2Ev(Error *self);
const char *_ZNKSt13runtime_error4whatEv(const Error *self);

void *__cxa_allocate_exception(size_t bytes);
void __cxa_throw(void *object, const void *type, void (*destroy)(void *)) __attribute__((noreturn));
// operator new(size_t) and operator delete(void*)
void *_Znwm(size_t bytes);
void _ZdlPv(void *block);
size_t strlen(const char *text);
void *memcpy(void *to, const void *from, size_t bytes);
char *strerror(int number);

static void set_string(String *string, const char *text) {
  string->length = strlen(text);
  string->text = string->local;
  if (string->length >= sizeof string->local) {
    string->text = _Znwm(string->length + 1);
    *(size_t *)string->local = string->length;
  }
  memcpy(string->text, text, string->length + 1);
}

// ---- std::error_category and the three of the library

WEAK const Type _ZTINSt3_V214error_categoryE = {
    &_ZTVN10__cxxabiv117__class_type_infoE[2], "NSt3_V214error_categoryE", NULL};

WEAK void _ZNSt3_V214error_categoryD2Ev(Category *self) {}

WEAK Code _ZNKSt3_V214error_category23default_error_conditionEi(const Category *self, int value) {
  return (Code){value, self};
}

WEAK _Bool _ZNKSt3_V214error_category10equivalentEiRKSt15error_condition(const Category *self,
                                                                         int value,
                                                                         const Code *condition) {
  Code own = self->methods->condition(self, value);
  return own.value == condition->value && own.category == condition->category;
}

WEAK _Bool _ZNKSt3_V214error_category10equivalentERKSt10error_codei(const Category *self,
                                                                    const Code *code, int value) {
  return code->category == self && code->value == value;
}

// std::error_code::default_error_condition() const
WEAK Code _ZNKSt10error_code23default_error_conditionEv(const Code *self) {
  return self->category->methods->condition(self->category, self->value);
}

static void message_of_system(String *result, const Category *self, int value) {
  set_string(result, strerror(value));
}

static const char *text_of_future(int value) {
  switch (value) {
  case 1: return "Future already retrieved";
  case 2: return "Promise already satisfied";
  case 3: return "No associated state";
  case 4: return "Broken promise";
  default: return "Unknown error";
  }
}

static void message_of_future(String *result, const Category *self, int value) {
  set_string(result, text_of_future(value));
}

static const char *name_generic(const Category *self) { return "generic"; }
static const char *name_system(const Category *self) { return "system"; }
static const char *name_future(const Category *self) { return "future"; }

static const Category generic, system_errors, future;

// Numbers of the system are those of POSIX.
static Code condition_of_system(const Category *self, int value) {
  return (Code){value, &generic};
}

#define METHODS(name, message, condition)                                                          \
  {_ZNSt3_V214error_categoryD2Ev, _ZNSt3_V214error_categoryD2Ev, name, NULL, message, condition,   \
   _ZNKSt3_V214error_category10equivalentEiRKSt15error_condition,                                  \
   _ZNKSt3_V214error_category10equivalentERKSt10error_codei}

static const struct Methods generic_methods =
    METHODS(name_generic, message_of_system,
            _ZNKSt3_V214error_category23default_error_conditionEi);
static const struct Methods system_methods =
    METHODS(name_system, message_of_system, condition_of_system);
static const struct Methods future_methods =
    METHODS(name_future, message_of_future,
            _ZNKSt3_V214error_category23default_error_conditionEi);
static const Category generic = {&generic_methods};
static const Category system_errors = {&system_methods};
static const Category future = {&future_methods};

// std::generic_category(), std::system_category(), std::future_category()
WEAK const Category *_ZNSt3_V216generic_categoryEv(void) { return &generic; }
WEAK const Category *_ZNSt3_V215system_categoryEv(void) { return &system_errors; }
WEAK const Category *_ZSt15future_categoryv(void) { return &future; }

// ---- std::system_error

WEAK extern const Type _ZTISt12system_error;
WEAK void _ZNSt12system_errorD1Ev(Error *self) { _ZNSt13runtime_errorD2Ev(self); }
WEAK void _ZNSt12system_errorD2Ev(Error *self) { _ZNSt13runtime_errorD2Ev(self); }
WEAK void _ZNSt12system_errorD0Ev(Error *self) {
  _ZNSt13runtime_errorD2Ev(self);
  _ZdlPv(self);
}
WEAK extern const void *const _ZTVSt12system_error[5] = {
    0, &_ZTISt12system_error, _ZNSt12system_errorD1Ev, _ZNSt12system_errorD0Ev,
    _ZNKSt13runtime_error4whatEv};
WEAK const Type _ZTISt12system_error = {&_ZTVN10__cxxabiv120__si_class_type_infoE[2],
                                        "St12system_error", &_ZTISt13runtime_error};

// std::__throw_system_error(int)
WEAK void _ZSt20__throw_system_errori(int number) {
  Error *error = __cxa_allocate_exception(sizeof *error);
  _ZNSt13runtime_errorC2EPKc(error, strerror(number));
  error->methods = &_ZTVSt12system_error[2];
  error->code = (Code){number, &generic};
  __cxa_throw(error, &_ZTISt12system_error, (void (*)(void *))_ZNSt12system_errorD1Ev);
}

// ---- std::future_error

WEAK extern const Type _ZTISt12future_error;
WEAK void _ZNSt12future_errorD1Ev(Error *self) { _ZNSt11logic_errorD2Ev(self); }
WEAK void _ZNSt12future_errorD2Ev(Error *self) { _ZNSt11logic_errorD2Ev(self); }
WEAK void _ZNSt12future_errorD0Ev(Error *self) {
  _ZNSt11logic_errorD2Ev(self);
  _ZdlPv(self);
}
WEAK const char *_ZNKSt12future_error4whatEv(const Error *self) { return self->message; }
WEAK extern const void *const _ZTVSt12future_error[5] = {
    0, &_ZTISt12future_error, _ZNSt12future_errorD1Ev, _ZNSt12future_errorD0Ev,
    _ZNKSt12future_error4whatEv};
WEAK const Type _ZTISt12future_error = {&_ZTVN10__cxxabiv120__si_class_type_infoE[2],
                                        "St12future_error", &_ZTISt11logic_error};

static const char *long_text_of_future(int value) {
  switch (value) {
  case 1: return "std::future_error: Future already retrieved";
  case 2: return "std::future_error: Promise already satisfied";
  case 3: return "std::future_error: No associated state";
  case 4: return "std::future_error: Broken promise";
  default: return "std::future_error: Unknown error";
  }
}

// std::__throw_future_error(int)
WEAK void _ZSt20__throw_future_errori(int number) {
  Error *error = __cxa_allocate_exception(sizeof *error);
  _ZNSt11logic_errorC2EPKc(error, long_text_of_future(number));
  error->methods = &_ZTVSt12future_error[2];
  error->code = (Code){number, &future};
  __cxa_throw(error, &_ZTISt12future_error, (void (*)(void *))_ZNSt12future_errorD1Ev);
}
