// Streams other than the standard ones, and reading of standard input by characters and
// lines, in C, for programs under check. They stand on the descriptors of files.c. Every
// function is weak, so that one of the program wins.
//
// As the GNU C library does it, what is written waits in a buffer of 4096 bytes until that is
// full, or fflush, fseek or fclose takes it away, and as many bytes are read ahead. Each
// stream has a lock.
//
// What is typed is an input: any line of up to two characters, which the verdict names.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

// Models of the checker, and what other support files offer.
_Bool __VERIFIER_nondet_bool(void);
unsigned char __VERIFIER_nondet_uchar(void);
void __heddle_own_files(void);
void __heddle_short_lines(void);
void __heddle_unsupported(const char *what);
int pthread_mutex_lock(void *mutex);
int pthread_mutex_unlock(void *mutex);
int __heddle_open(const char *name, int flags);
int fcntl(int number, int command, ...);
int close(int number);
long read(int number, void *to, size_t size);
long write(int number, const void *from, size_t size);
long lseek(int number, long offset, int from);
int getchar(void);
int *__errno_location(void);
void *realloc(void *block, size_t bytes);
void free(void *block);
// How many streams are open (stdio.c).
extern int __heddle_streams;

enum { EINVAL = 22, EBADF = 9, END = -1, NOTHING = -2, OWN = 3, ROOM = 4096 };
enum { WRITE_ONLY = 01, READ_WRITE = 02, CREATE = 0100, EXCLUSIVE = 0200, TRUNCATE = 01000 };
enum { APPEND = 02000, GET_FLAGS = 3 };
// How output is kept back, as setvbuf has it.
enum { FULLY, BY_LINES, NOT_AT_ALL };

// The first byte tells standard streams (stdio.c) from those that are opened here.
typedef struct {
  char descriptor;
  int number, flags, buffering;
  int put_back;
  int ended, failed;
  char *buffer;
  int waits;  // what is in the buffer is to be written
  size_t at, filled;  // what comes before was read
  long lock[8];
} Stream;

static int is_own(const Stream *stream) { return stream->descriptor == OWN; }

static void enter(Stream *stream) {
  if (is_own(stream)) pthread_mutex_lock(stream->lock);
}

static void leave(Stream *stream) {
  if (is_own(stream)) pthread_mutex_unlock(stream->lock);
}

static int may_read(const Stream *stream) { return !(stream->flags & WRITE_ONLY); }
static int may_write(const Stream *stream) { return stream->flags & (WRITE_ONLY | READ_WRITE); }

// ---- Opening and closing

static Stream *stream_on(int number, int flags) {
  if (number < 0) return NULL;
  Stream *stream = realloc(NULL, sizeof *stream);
  *stream = (Stream){.descriptor = OWN, .number = number, .flags = flags, .put_back = NOTHING};
  __atomic_add_fetch(&__heddle_streams, 1, __ATOMIC_RELAXED);
  return stream;
}

static int flags_of(const char *mode) {
  int flags = *mode == 'r'   ? 0
              : *mode == 'w' ? WRITE_ONLY | CREATE | TRUNCATE
              : *mode == 'a' ? WRITE_ONLY | CREATE | APPEND
                             : END;
  if (flags == END) return END;
  for (mode++; *mode && *mode != ','; mode++) {
    if (*mode == '+') flags = (flags & ~WRITE_ONLY) | READ_WRITE;
    if (*mode == 'x') flags |= EXCLUSIVE;
  }
  return flags;
}

static void *refuse(int error) {
  *__errno_location() = error;
  return NULL;
}

LIBRARY void *fopen(const char *name, const char *mode) {
  int flags = flags_of(mode);
  return flags == END ? refuse(EINVAL) : stream_on(__heddle_open(name, flags), flags);
}

LIBRARY void *fopen64(const char *name, const char *mode) { return fopen(name, mode); }

LIBRARY void *fdopen(int number, const char *mode) {
  int flags = flags_of(mode);
  if (flags == END) return refuse(EINVAL);
  if (flags & APPEND) __heddle_unsupported("fdopen() for appending");
  __heddle_own_files();
  int given = fcntl(number, GET_FLAGS);
  if (given < 0) return NULL;
  int access = given & (WRITE_ONLY | READ_WRITE);
  if (access != READ_WRITE && access != (flags & (WRITE_ONLY | READ_WRITE))) return refuse(EINVAL);
  return stream_on(number, flags);
}

LIBRARY void *tmpfile(void) { return stream_on(__heddle_open(NULL, READ_WRITE), READ_WRITE); }

// A copy of the program's bytes: for reading only.
LIBRARY void *fmemopen(void *from, size_t size, const char *mode) {
  if (flags_of(mode) != 0) __heddle_unsupported("fmemopen() for writing");
  Stream *stream = tmpfile();
  if (!stream) return NULL;
  if (write(stream->number, from, size) < 0 || lseek(stream->number, 0, 0) < 0)
    __heddle_unsupported("fmemopen() that fails");
  stream->flags = 0;
  return stream;
}

// Writes what waits. What cannot be written is lost.
static int flush(Stream *stream) {
  if (!stream->waits) return 0;
  size_t size = stream->filled;
  stream->waits = 0;
  stream->at = stream->filled = 0;
  if (!size || write(stream->number, stream->buffer, size) == (long)size) return 0;
  stream->failed = 1;
  return END;
}

LIBRARY int fclose(Stream *stream) {
  if (!is_own(stream)) __heddle_unsupported("fclose() of a standard stream");
  enter(stream);
  int result = flush(stream);
  if (close(stream->number) < 0) result = END;
  leave(stream);
  __atomic_sub_fetch(&__heddle_streams, 1, __ATOMIC_RELAXED);
  free(stream->buffer);
  free(stream);
  return result;
}

LIBRARY int fileno(const Stream *stream) {
  return is_own(stream) ? stream->number : stream->descriptor;
}

// ---- Output: what stdio.c does with a stream of these

static void need_buffer(Stream *stream) {
  if (!stream->buffer) stream->buffer = realloc(NULL, ROOM);
}

// What was read ahead is not read.
static void go_back(Stream *stream) {
  long ahead = stream->waits ? 0 : (long)(stream->filled - stream->at);
  if (ahead && lseek(stream->number, -ahead, 1) < 0)
    __heddle_unsupported("a stream from which was read ahead, and that cannot go back");
  stream->put_back = NOTHING;
  if (!stream->waits) stream->at = stream->filled = 0;
}

static long put(Stream *stream, const char *from, size_t size) {
  if (!may_write(stream)) {
    stream->failed = 1;
    *__errno_location() = EBADF;
    return END;
  }
  go_back(stream);
  need_buffer(stream);
  int lines = 0;
  for (size_t i = 0; i < size; i++) {
    stream->waits = 1;
    stream->buffer[stream->filled++] = from[i];
    if (from[i] == '\n') lines = 1;
    if (stream->filled == ROOM && flush(stream) < 0) return END;
  }
  if (stream->buffering == NOT_AT_ALL || (stream->buffering == BY_LINES && lines))
    if (flush(stream) < 0) return END;
  return (long)size;
}

LIBRARY long __heddle_file_put(Stream *stream, const char *from, size_t size) {
  enter(stream);
  long count = put(stream, from, size);
  leave(stream);
  return count;
}

LIBRARY int __heddle_file_flush(Stream *stream) {
  enter(stream);
  int result = flush(stream);
  leave(stream);
  return result;
}

LIBRARY void __heddle_file_buffering(Stream *stream, int mode) {
  enter(stream);
  stream->buffering = mode;
  leave(stream);
}

// ---- Input

static int fill(Stream *stream) {
  if (flush(stream) < 0) return END;
  need_buffer(stream);
  size_t most = stream->buffering == NOT_AT_ALL ? 1 : ROOM;
  long count = read(stream->number, stream->buffer, most);
  stream->at = 0;
  stream->filled = count > 0 ? (size_t)count : 0;
  if (count > 0) return 0;
  if (count == 0) stream->ended = 1;
  else stream->failed = 1;
  return END;
}

static int next(Stream *stream) {
  if (!is_own(stream)) {
    if (stream->descriptor != 0) __heddle_unsupported("reading from stdout or stderr");
    return getchar();
  }
  int c = stream->put_back;
  stream->put_back = NOTHING;
  if (c != NOTHING) return c;
  if (!may_read(stream)) {
    stream->failed = 1;
    *__errno_location() = EBADF;
    return END;
  }
  if (stream->ended) return END;
  if ((stream->waits || stream->at == stream->filled) && fill(stream) < 0) return END;
  return (unsigned char)stream->buffer[stream->at++];
}

static int next_locked(Stream *stream) {
  enter(stream);
  int c = next(stream);
  leave(stream);
  return c;
}

LIBRARY int fgetc(Stream *stream) { return next_locked(stream); }
LIBRARY int getc(Stream *stream) { return next_locked(stream); }
LIBRARY int getc_unlocked(Stream *stream) { return next_locked(stream); }

LIBRARY int ungetc(int c, Stream *stream) {
  if (!is_own(stream)) __heddle_unsupported("ungetc() on a standard stream");
  if (c == END) return END;
  enter(stream);
  if (stream->put_back != NOTHING) __heddle_unsupported("ungetc() of two characters");
  stream->ended = 0;
  stream->put_back = (unsigned char)c;
  leave(stream);
  return (unsigned char)c;
}

// A character of a line. `count` of it were read before.
static int next_of_line(Stream *stream, size_t count, int last) {
  if (is_own(stream)) return next(stream);
  if (stream->descriptor != 0) __heddle_unsupported("reading from stdout or stderr");
  __heddle_short_lines();
  if (__VERIFIER_nondet_bool()) return END;
  return count < 2 && __VERIFIER_nondet_bool() ? __VERIFIER_nondet_uchar() : last;
}

LIBRARY char *fgets(char *to, int size, Stream *stream) {
  int count = 0;
  enter(stream);
  while (count + 1 < size) {
    int c = next_of_line(stream, (size_t)count, '\n');
    if (c == END) break;
    to[count++] = (char)c;
    if (c == '\n') break;
  }
  leave(stream);
  if (size <= 0 || (count == 0 && size > 1)) return NULL;
  to[count] = 0;
  return to;
}

static void need_room(char **line, size_t *room, size_t size) {
  if (*line && *room >= size) return;
  size_t larger = *line && *room ? *room * 2 + 2 : 120;
  *line = realloc(*line, larger);
  *room = larger;
}

LIBRARY long getdelim(char **line, size_t *room, int last, Stream *stream) {
  size_t count = 0;
  need_room(line, room, 1);
  enter(stream);
  for (;;) {
    int c = next_of_line(stream, count, last);
    if (c == END) break;
    need_room(line, room, count + 2);
    (*line)[count++] = (char)c;
    if (c == last) break;
  }
  leave(stream);
  if (count == 0) return -1;
  (*line)[count] = 0;
  return (long)count;
}

LIBRARY long getline(char **line, size_t *room, Stream *stream) {
  return getdelim(line, room, '\n', stream);
}
LIBRARY long __getdelim(char **line, size_t *room, int last, Stream *stream) {
  return getdelim(line, room, last, stream);
}

LIBRARY size_t fread(void *to, size_t size, size_t count, Stream *stream) {
  size_t total, done = 0;
  if (__builtin_mul_overflow(size, count, &total))
    __heddle_unsupported("fread of more than fits into memory");
  enter(stream);
  for (; done < total; done++) {
    int c = next(stream);
    if (c == END) break;
    ((char *)to)[done] = (char)c;
  }
  leave(stream);
  return size ? done / size : 0;
}

// ---- Places in a stream

// Where the next character is read or written, or -1.
static long place(Stream *stream) {
  if (stream->waits && (stream->flags & APPEND)) flush(stream);
  long at = lseek(stream->number, 0, 1);
  if (at < 0) return -1;
  if (stream->waits) return at + (long)stream->filled;
  return at - (long)(stream->filled - stream->at) - (stream->put_back != NOTHING);
}

static int move(Stream *stream, long offset, int from) {
  if (flush(stream) < 0) return END;
  if (from == 1) offset += place(stream), from = 0;
  stream->put_back = NOTHING;
  stream->at = stream->filled = 0;
  if (lseek(stream->number, offset, from) < 0) return END;
  stream->ended = 0;
  return 0;
}

LIBRARY int fseek(Stream *stream, long offset, int from) {
  if (!is_own(stream)) __heddle_unsupported("fseek() on a standard stream");
  enter(stream);
  int result = move(stream, offset, from);
  leave(stream);
  return result;
}

LIBRARY int fseeko(Stream *stream, long offset, int from) { return fseek(stream, offset, from); }

LIBRARY long ftell(Stream *stream) {
  if (!is_own(stream)) __heddle_unsupported("ftell() on a standard stream");
  enter(stream);
  long at = place(stream);
  leave(stream);
  return at;
}

LIBRARY long ftello(Stream *stream) { return ftell(stream); }

LIBRARY void rewind(Stream *stream) {
  if (!is_own(stream)) __heddle_unsupported("rewind() of a standard stream");
  enter(stream);
  move(stream, 0, 0);
  stream->failed = 0;
  leave(stream);
}

// Whether standard input has ended is not kept.
LIBRARY int feof(Stream *stream) {
  if (!is_own(stream)) return __VERIFIER_nondet_bool();
  enter(stream);
  int ended = stream->ended;
  leave(stream);
  return ended;
}

LIBRARY int ferror(Stream *stream) {
  if (!is_own(stream)) return 0;
  enter(stream);
  int failed = stream->failed;
  leave(stream);
  return failed;
}

LIBRARY void clearerr(Stream *stream) {
  if (!is_own(stream)) return;
  enter(stream);
  stream->ended = stream->failed = 0;
  leave(stream);
}

// ---- Formats. What is left of the file is scanned as a text.

int __heddle_scan(const char *text, const char *format, int c23, int *met_end, const char **rest,
                  __builtin_va_list list);
int vscanf(const char *format, __builtin_va_list list);

// The rest of the file, and how long it is.
static char *rest_of(Stream *stream, size_t *length) {
  size_t room = 64;
  char *text = realloc(NULL, room);
  for (*length = 0;; ++*length) {
    if (*length == room) text = realloc(text, room *= 2);
    int c = next(stream);
    text[*length] = c == END ? 0 : (char)c;
    if (c == END) return text;
    if (c == 0) __heddle_unsupported("fscanf() of a file with null characters");
  }
}

static int scan(Stream *stream, const char *format, int c23, __builtin_va_list list) {
  if (!is_own(stream)) return vscanf(format, list);
  enter(stream);
  long start = place(stream);
  if (start < 0) __heddle_unsupported("fscanf() from a pipe");
  if (!may_read(stream) || stream->ended) {
    int c = next(stream);
    leave(stream);
    return c;
  }
  size_t length;
  int met_end = 0;
  char *text = rest_of(stream, &length);
  const char *rest;
  int count = __heddle_scan(text, format, c23, &met_end, &rest, list);
  if (move(stream, start + (rest - text), 0) < 0) __heddle_unsupported("fscanf() that fails");
  stream->ended = met_end;
  leave(stream);
  free(text);
  return count;
}

LIBRARY int vfscanf(Stream *stream, const char *format, __builtin_va_list list) {
  return scan(stream, format, 0, list);
}

#define HAND_ON(c23)                                                                               \
  __builtin_va_list list;                                                                          \
  __builtin_va_start(list, format);                                                                \
  int count = scan(stream, format, c23, list);                                                     \
  __builtin_va_end(list);                                                                          \
  return count;

LIBRARY int fscanf(Stream *stream, const char *format, ...) { HAND_ON(0) }
LIBRARY int __isoc99_fscanf(Stream *stream, const char *format, ...) { HAND_ON(0) }
LIBRARY int __isoc23_fscanf(Stream *stream, const char *format, ...) { HAND_ON(1) }
