// Output of the C library, in C, for programs under check. Nothing is printed: it is
// shown in a trace. Every function is weak, so that one of the program wins.
//
// What is read to be printed is read by ordinary accesses. `format.c` has the formats.

#include <stdarg.h>
#include <stddef.h>

#define LIBRARY __attribute__((weak))
#define DATA __attribute__((weak))

// Models of the checker.
void __heddle_put(int c);
void __heddle_put_error(int number);
void __heddle_put_end(int stream);
void __heddle_flush(int stream);
void __heddle_buffering(int stream, int mode);
void __heddle_unsupported(const char *what);

int *__errno_location(void);
int __heddle_print(int stream, const char *format, va_list list);
int vsprintf(char *to, const char *format, va_list list);
int vsnprintf(char *to, size_t size, const char *format, va_list list);
int vasprintf(char **to, const char *format, va_list list);

// Only their addresses matter.
typedef struct {
  const char descriptor;
} File;

static const File input = {0}, output = {1}, errors = {2};

DATA const File *stdin = &input;
DATA const File *stdout = &output;
DATA const File *stderr = &errors;

enum { OUTPUT = 1, ERRORS = 2 };

LIBRARY int __heddle_stream(const File *file) {
  if (file == &output) return OUTPUT;
  if (file == &errors) return ERRORS;
  // A null pointer, or one to a block that is gone, is found here.
  (void)*(const volatile char *)&file->descriptor;
  __heddle_unsupported("output to a stream other than stdout and stderr");
  return OUTPUT;
}

static int descriptor_of(int number) {
  if (number != OUTPUT && number != ERRORS)
    __heddle_unsupported("output to a file descriptor other than 1 and 2");
  return number;
}

LIBRARY int vprintf(const char *format, va_list list) {
  return __heddle_print(OUTPUT, format, list);
}

LIBRARY int vfprintf(const File *file, const char *format, va_list list) {
  return __heddle_print(__heddle_stream(file), format, list);
}

LIBRARY int vdprintf(int number, const char *format, va_list list) {
  return __heddle_print(descriptor_of(number), format, list);
}

#define HAND_ON(call)                                                                              \
  va_list list;                                                                                    \
  va_start(list, format);                                                                          \
  int count = call;                                                                                \
  va_end(list);                                                                                    \
  return count;

LIBRARY int printf(const char *format, ...) { HAND_ON(vprintf(format, list)) }
LIBRARY int fprintf(const File *file, const char *format, ...) {
  HAND_ON(vfprintf(file, format, list))
}
LIBRARY int dprintf(int number, const char *format, ...) { HAND_ON(vdprintf(number, format, list)) }
LIBRARY int sprintf(char *to, const char *format, ...) { HAND_ON(vsprintf(to, format, list)) }
LIBRARY int snprintf(char *to, size_t size, const char *format, ...) {
  HAND_ON(vsnprintf(to, size, format, list))
}
LIBRARY int asprintf(char **to, const char *format, ...) { HAND_ON(vasprintf(to, format, list)) }

// The same with checks of the compiler's (_FORTIFY_SOURCE). Accesses are checked anyway,
// but a buffer may be part of a larger object.
static void check_room(size_t size, size_t room) {
  if (size > room) __heddle_unsupported("a buffer that is smaller than its size (_FORTIFY_SOURCE)");
}

LIBRARY int __vprintf_chk(int flag, const char *format, va_list list) {
  return vprintf(format, list);
}
LIBRARY int __vfprintf_chk(const File *file, int flag, const char *format, va_list list) {
  return vfprintf(file, format, list);
}
LIBRARY int __vdprintf_chk(int number, int flag, const char *format, va_list list) {
  return vdprintf(number, format, list);
}
LIBRARY int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list list) {
  int count = vsprintf(to, format, list);
  check_room((size_t)count + 1, room);
  return count;
}
LIBRARY int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format,
                            va_list list) {
  check_room(size, room);
  return vsnprintf(to, size, format, list);
}
LIBRARY int __vasprintf_chk(char **to, int flag, const char *format, va_list list) {
  return vasprintf(to, format, list);
}
LIBRARY int __printf_chk(int flag, const char *format, ...) { HAND_ON(vprintf(format, list)) }
LIBRARY int __fprintf_chk(const File *file, int flag, const char *format, ...) {
  HAND_ON(vfprintf(file, format, list))
}
LIBRARY int __dprintf_chk(int number, int flag, const char *format, ...) {
  HAND_ON(vdprintf(number, format, list))
}
LIBRARY int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...) {
  HAND_ON(__vsprintf_chk(to, flag, room, format, list))
}
LIBRARY int __snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...) {
  HAND_ON(__vsnprintf_chk(to, size, flag, room, format, list))
}
LIBRARY int __asprintf_chk(char **to, int flag, const char *format, ...) {
  HAND_ON(vasprintf(to, format, list))
}

static int put_text(const char *text) {
  int count = 0;
  for (char c; (c = *text); text++, count++) __heddle_put(c);
  return count;
}

LIBRARY int puts(const char *text) {
  int count = put_text(text);
  __heddle_put('\n');
  __heddle_put_end(OUTPUT);
  return count + 1;
}

LIBRARY int fputs(const char *text, const File *file) {
  int stream = __heddle_stream(file);
  put_text(text);
  __heddle_put_end(stream);
  return 1;
}

static int put_one(int c, int stream) {
  __heddle_put((unsigned char)c);
  __heddle_put_end(stream);
  return (unsigned char)c;
}

LIBRARY int putchar(int c) { return put_one(c, OUTPUT); }
LIBRARY int putchar_unlocked(int c) { return put_one(c, OUTPUT); }
LIBRARY int fputc(int c, const File *file) { return put_one(c, __heddle_stream(file)); }
LIBRARY int putc(int c, const File *file) { return put_one(c, __heddle_stream(file)); }
LIBRARY int putc_unlocked(int c, const File *file) { return put_one(c, __heddle_stream(file)); }

LIBRARY size_t fwrite(const void *from, size_t size, size_t count, const File *file) {
  int stream = __heddle_stream(file);
  const char *bytes = from;
  size_t total;
  if (__builtin_mul_overflow(size, count, &total)) {
    __heddle_unsupported("fwrite of more than fits into memory");
    return 0;
  }
  for (size_t i = 0; i < total; i++) __heddle_put(bytes[i]);
  __heddle_put_end(stream);
  return size ? count : 0;
}

LIBRARY void perror(const char *text) {
  int number = *__errno_location();
  if (text && *text) {
    put_text(text);
    put_text(": ");
  }
  __heddle_put_error(number);
  __heddle_put('\n');
  __heddle_put_end(ERRORS);
}

// Any of the three, or none.
static int buffer_of(const File *file) { return !file || file == &input ? 0 : __heddle_stream(file); }

LIBRARY int fflush(const File *file) {
  __heddle_flush(buffer_of(file));
  return 0;
}

// A buffer of the program's is never used.
LIBRARY int setvbuf(const File *file, char *buffer, int mode, size_t size) {
  __heddle_buffering(buffer_of(file), mode);
  return 0;
}

LIBRARY void setbuf(const File *file, char *buffer) {
  __heddle_buffering(buffer_of(file), buffer ? 0 : 2);
}
