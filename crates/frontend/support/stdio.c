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
void free(void *block);
// Streams that the program opened (runtime/streams.c, which is there if it opens any).
long __heddle_file_put(const void *file, const char *from, size_t size);
int __heddle_file_flush(const void *file);
void __heddle_file_buffering(const void *file, int mode);
long write(int number, const void *from, size_t size);

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

// How many streams the program has opened.
DATA int __heddle_streams;

// Whether the program opened it. A null pointer, or one to a block that is gone, is found
// here.
static int is_own(const File *file) {
  if (file == &output || file == &errors) return 0;
  return *(const volatile char *)&file->descriptor != 0;
}

LIBRARY int __heddle_stream(const File *file) {
  if (file == &output) return OUTPUT;
  if (file == &errors) return ERRORS;
  (void)*(const volatile char *)&file->descriptor;
  __heddle_unsupported("output to a stream other than stdout and stderr");
  return OUTPUT;
}

static int is_standard(int number) { return number == OUTPUT || number == ERRORS; }

LIBRARY int vprintf(const char *format, va_list list) {
  return __heddle_print(OUTPUT, format, list);
}

LIBRARY int vfprintf(const File *file, const char *format, va_list list) {
  if (!is_own(file)) return __heddle_print(__heddle_stream(file), format, list);
  char *text;
  int count = vasprintf(&text, format, list);
  if (count < 0) return count;
  long done = __heddle_file_put(file, text, (size_t)count);
  free(text);
  return done < 0 ? -1 : count;
}

LIBRARY int vdprintf(int number, const char *format, va_list list) {
  if (is_standard(number)) return __heddle_print(number, format, list);
  char *text;
  int count = vasprintf(&text, format, list);
  if (count < 0) return count;
  long done = write(number, text, (size_t)count);
  free(text);
  return (int)done;
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
  if (is_own(file)) {
    size_t length = 0;
    while (text[length]) length++;
    return __heddle_file_put(file, text, length) < 0 ? -1 : 1;
  }
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

static int put_to(int c, const File *file) {
  if (!is_own(file)) return put_one(c, __heddle_stream(file));
  char byte = (char)c;
  return __heddle_file_put(file, &byte, 1) < 0 ? -1 : (unsigned char)c;
}

LIBRARY int fputc(int c, const File *file) { return put_to(c, file); }
LIBRARY int putc(int c, const File *file) { return put_to(c, file); }
LIBRARY int putc_unlocked(int c, const File *file) { return put_to(c, file); }

LIBRARY size_t fwrite(const void *from, size_t size, size_t count, const File *file) {
  const char *bytes = from;
  size_t total;
  if (__builtin_mul_overflow(size, count, &total)) {
    __heddle_unsupported("fwrite of more than fits into memory");
    return 0;
  }
  if (is_own(file)) return __heddle_file_put(file, bytes, total) < 0 || !size ? 0 : count;
  int stream = __heddle_stream(file);
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
static int buffer_of(const File *file) {
  return !file || file == &input ? 0 : __heddle_stream(file);
}

LIBRARY int fflush(const File *file) {
  if (file && is_own(file)) return __heddle_file_flush(file);
  if (!file && __atomic_load_n(&__heddle_streams, __ATOMIC_RELAXED))
    __heddle_unsupported("fflush() of all streams, of which there are more than the standard ones");
  __heddle_flush(buffer_of(file));
  return 0;
}

// A buffer of the program's is never used.
LIBRARY int setvbuf(const File *file, char *buffer, int mode, size_t size) {
  if (is_own(file)) __heddle_file_buffering(file, mode);
  else __heddle_buffering(buffer_of(file), mode);
  return 0;
}

LIBRARY void setbuf(const File *file, char *buffer) {
  if (is_own(file)) __heddle_file_buffering(file, buffer ? 0 : 2);
  else __heddle_buffering(buffer_of(file), buffer ? 0 : 2);
}
