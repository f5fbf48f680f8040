// Files, pipes and event counters behind descriptors, in C, for programs under check. Files
// live in memory; there are none but those that the program makes itself, and no operation
// on one fails, which is a bound of the verdict. Every function is weak, so that one of the
// program wins.
//
// Each operation is one step for all threads, as POSIX asks. What it does to memory of the
// program's is outside of that step, so that races on it are seen. Threads are ordered only
// by what they find behind the same descriptor. A thread that has to wait (for bytes in a
// pipe, for a counter) looks again after each change there.

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define LIBRARY __attribute__((weak))

typedef struct {
  long __words[4];
} Semaphore;

// Models of the checker.
int sem_init(Semaphore *semaphore, int shared, unsigned count);
int sem_wait(Semaphore *semaphore);
int sem_timedwait(Semaphore *semaphore, const void *deadline);
int sem_post(Semaphore *semaphore);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
_Bool __VERIFIER_nondet_bool(void);
unsigned char __VERIFIER_nondet_uchar(void);
void __heddle_put(int c);
void __heddle_put_end(int stream);
void __heddle_own_files(void);
void __heddle_short_lines(void);
void __heddle_unsupported(const char *what);
int *__errno_location(void);
void *realloc(void *block, size_t bytes);
void free(void *block);

// As Linux numbers them.
enum { ENOENT = 2, EBADF = 9, EAGAIN = 11, EEXIST = 17, EINVAL = 22, EMFILE = 24, ESPIPE = 29 };
enum { WRITE_ONLY = 01, READ_WRITE = 02, CREATE = 0100, EXCLUSIVE = 0200, TRUNCATE = 01000 };
enum { APPEND = 02000, NONBLOCK = 04000, CLOSE_ON_EXEC = 02000000 };
enum { COUNTS_DOWN = 1 };

typedef struct {
  char *data;
  size_t size, room;
} Bytes;

typedef struct Node {
  char *name;  // null if it has none any more
  Bytes bytes;
  int opened;
  struct Node *next;
} Node;

typedef struct {
  Bytes bytes;
  size_t at;  // what comes before was read
  int ends[2];  // the descriptors, -1 once closed
} Pipe;

typedef struct Waiter {
  Semaphore *woken;
  struct Waiter *next;
} Waiter;

enum { FREE, REGULAR, READ_END, WRITE_END, COUNTER };

typedef struct {
  int kind, flags;
  Node *node;
  size_t at;
  Pipe *pipe;
  uint64_t count;
  int counts_down;
  Waiter *waiters;
} Open;

enum { FIRST = 3, MOST = 64 };
// A write of at most so many bytes to a pipe is one step, and a pipe takes at least so many:
// Linux has 16 pages for them, each of which may stay half empty.
enum { AT_ONCE = 4096, CAPACITY = 32768 };

static Node *nodes;
static Open opened[MOST];

static void enter(void) { __VERIFIER_atomic_begin(); }

static long leave(long result) {
  __VERIFIER_atomic_end();
  return result;
}

static long fail(int error) {
  *__errno_location() = error;
  return leave(-1);
}

static int is_standard(int number) { return number >= 0 && number < FIRST; }

static Open *open_at(int number) {
  if (number < FIRST || number >= MOST || opened[number].kind == FREE) return NULL;
  return &opened[number];
}

static int free_number(void) {
  for (int number = FIRST; number < MOST; number++)
    if (opened[number].kind == FREE) return number;
  return -1;
}

static void wake(Open *open) {
  while (open->waiters) {
    Waiter *waiter = open->waiters;
    open->waiters = waiter->next;
    sem_post(waiter->woken);
  }
}

static void forget(Open *open, const Waiter *waiter) {
  for (Waiter **at = &open->waiters; *at; at = &(*at)->next) {
    if (*at != waiter) continue;
    *at = waiter->next;
    return;
  }
}

// Until something has changed behind the descriptor. Leaves the step.
static void wait_at(Open *open) {
  Semaphore woken;
  Waiter waiter = {&woken, open->waiters};
  sem_init(&woken, 0, 0);
  open->waiters = &waiter;
  leave(0);
  sem_wait(&woken);
}

static void reserve(Bytes *bytes, size_t size) {
  if (size <= bytes->room) return;
  bytes->room = size < 64 ? 64 : size * 2;
  bytes->data = realloc(bytes->data, bytes->room);
  if (!bytes->data) __heddle_unsupported("a file for which there is no memory");
}

// ---- Names

static int is_equal(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

static int starts(const char *text, const char *start) {
  while (*start && *text == *start) text++, start++;
  return !*start;
}

// A private copy. Two names that look different are taken for two files.
static char *copy_name(const char *name) {
  size_t length = 0;
  while (name[length]) length++;
  char *copy = realloc(NULL, length + 1);
  for (size_t i = 0; i <= length; i++) copy[i] = name[i];
  if (starts(copy, "/dev/") || starts(copy, "/proc/") || starts(copy, "/sys/"))
    __heddle_unsupported("a file of the system's");
  for (size_t i = 0; i < length; i++) {
    if (i && copy[i - 1] != '/') continue;
    if (starts(copy + i, "./") || starts(copy + i, "../") || (i && copy[i] == '/'))
      __heddle_unsupported("a file name with empty parts, . or ..");
  }
  return copy;
}

static Node *find(const char *name) {
  for (Node *node = nodes; node; node = node->next)
    if (node->name && is_equal(node->name, name)) return node;
  return NULL;
}

// A file without a name goes when nobody has it open.
static void drop(Node *gone) {
  if (gone->name || gone->opened) return;
  for (Node **at = &nodes; *at; at = &(*at)->next) {
    if (*at != gone) continue;
    *at = gone->next;
    free(gone->bytes.data);
    free(gone);
    return;
  }
}

// Says whether the name is kept.
static long open_named(char *name, int flags, int *kept) {
  enter();
  Node *node = name ? find(name) : NULL;
  if (node && (flags & CREATE) && (flags & EXCLUSIVE)) return fail(EEXIST);
  if (name && (!*name || (!node && !(flags & CREATE)))) return fail(ENOENT);
  int number = free_number();
  if (number < 0) return fail(EMFILE);
  if (!node) {
    node = realloc(NULL, sizeof *node);
    *node = (Node){name, {NULL, 0, 0}, 0, nodes};
    nodes = node;
    *kept = 1;
  }
  if (flags & TRUNCATE) node->bytes.size = 0;
  node->opened++;
  opened[number] = (Open){.kind = REGULAR, .flags = flags, .node = node};
  return leave(number);
}

// Without a name, a file that has none.
LIBRARY int __heddle_open(const char *name, int flags) {
  __heddle_own_files();
  int kept = 0;
  if (!name) return (int)open_named(NULL, flags, &kept);
  char *copy = copy_name(name);
  int number = (int)open_named(copy, flags, &kept);
  if (!kept) free(copy);
  return number;
}

LIBRARY int open(const char *name, int flags, ...) { return __heddle_open(name, flags); }
LIBRARY int open64(const char *name, int flags, ...) { return __heddle_open(name, flags); }
LIBRARY int creat(const char *name, unsigned mode) {
  return __heddle_open(name, WRITE_ONLY | CREATE | TRUNCATE);
}

static int remove_named(const char *name) {
  enter();
  Node *node = find(name);
  if (!node) return (int)fail(ENOENT);
  free(node->name);
  node->name = NULL;
  drop(node);
  return (int)leave(0);
}

LIBRARY int unlink(const char *name) {
  __heddle_own_files();
  char *copy = copy_name(name);
  int result = remove_named(copy);
  free(copy);
  return result;
}

LIBRARY int remove(const char *name) { return unlink(name); }

LIBRARY int access(const char *name, int mode) {
  __heddle_own_files();
  char *copy = copy_name(name);
  enter();
  int result = (int)(find(copy) ? leave(0) : fail(ENOENT));
  free(copy);
  return result;
}

// ---- Descriptors

// Linux lets a thread that waits go on waiting when its descriptor is closed.
static void close_end(Pipe *pipe, int end) {
  int other = pipe->ends[!end];
  pipe->ends[end] = -1;
  if (other >= 0) {
    wake(&opened[other]);
    return;
  }
  free(pipe->bytes.data);
  free(pipe);
}

LIBRARY int close(int number) {
  if (is_standard(number)) __heddle_unsupported("close() of a standard descriptor");
  enter();
  Open *open = open_at(number);
  if (!open) return (int)fail(EBADF);
  if (open->waiters) __heddle_unsupported("close() of a descriptor that a thread waits for");
  if (open->kind == READ_END || open->kind == WRITE_END)
    close_end(open->pipe, open->kind == WRITE_END);
  if (open->kind == REGULAR) {
    open->node->opened--;
    drop(open->node);
  }
  open->kind = FREE;
  return (int)leave(0);
}

LIBRARY long lseek(int number, long offset, int from) {
  enter();
  Open *open = open_at(number);
  if (!open && !is_standard(number)) return fail(EBADF);
  if (!open || open->kind != REGULAR) return fail(ESPIPE);
  long base = from == 0 ? 0 : from == 1 ? (long)open->at : (long)open->node->bytes.size;
  if (from < 0 || from > 2 || base + offset < 0) return fail(EINVAL);
  open->at = (size_t)(base + offset);
  return leave(base + offset);
}

LIBRARY long lseek64(int number, long offset, int from) { return lseek(number, offset, from); }

static int may(const Open *open, int writes) {
  if (open->kind == COUNTER) return 1;
  int mode = open->flags & (WRITE_ONLY | READ_WRITE);
  return mode == READ_WRITE || (mode == WRITE_ONLY) == writes;
}

LIBRARY int ftruncate(int number, long size) {
  enter();
  Open *open = open_at(number);
  if (!open && !is_standard(number)) return (int)fail(EBADF);
  if (!open || open->kind != REGULAR || !may(open, 1) || size < 0) return (int)fail(EINVAL);
  Bytes *bytes = &open->node->bytes;
  reserve(bytes, (size_t)size);
  for (size_t i = bytes->size; i < (size_t)size; i++) bytes->data[i] = 0;
  bytes->size = (size_t)size;
  return (int)leave(0);
}

static int new_pair(int *ends, int flags) {
  if (flags & ~(NONBLOCK | CLOSE_ON_EXEC)) __heddle_unsupported("pipe2() with these flags");
  int numbers[2];
  enter();
  Pipe *pipe = realloc(NULL, sizeof *pipe);
  for (int end = 0; end < 2; end++) {
    int number = free_number();
    if (number < 0) {
      if (end) opened[numbers[0]].kind = FREE;
      free(pipe);
      return (int)fail(EMFILE);
    }
    opened[number] = (Open){
        .kind = end ? WRITE_END : READ_END, .flags = flags | (end ? WRITE_ONLY : 0), .pipe = pipe};
    numbers[end] = number;
  }
  *pipe = (Pipe){.ends = {numbers[0], numbers[1]}};
  leave(0);
  ends[0] = numbers[0];
  ends[1] = numbers[1];
  return 0;
}

LIBRARY int pipe(int *ends) { return new_pair(ends, 0); }
LIBRARY int pipe2(int *ends, int flags) { return new_pair(ends, flags); }

LIBRARY int eventfd(unsigned count, int flags) {
  enter();
  if (flags & ~(COUNTS_DOWN | NONBLOCK | CLOSE_ON_EXEC)) return (int)fail(EINVAL);
  int number = free_number();
  if (number < 0) return (int)fail(EMFILE);
  opened[number] = (Open){.kind = COUNTER,
                          .flags = (flags & ~COUNTS_DOWN) | READ_WRITE,
                          .counts_down = flags & COUNTS_DOWN,
                          .count = count};
  return (int)leave(number);
}

// ---- Reading and writing

// Any bytes, up to as many as a line of two characters has, or the end.
static long read_input(char *to, size_t size) {
  __heddle_short_lines();
  long count = 0;
  while (count < 3 && (size_t)count < size && __VERIFIER_nondet_bool())
    to[count++] = (char)__VERIFIER_nondet_uchar();
  return count;
}

static int can_read(const Open *open) {
  if (open->kind == COUNTER) return open->count > 0;
  return open->kind != READ_END || open->pipe->at < open->pipe->bytes.size;
}

// Leaves the step.
static long take_bytes(const Bytes *bytes, size_t *at, char *to, size_t size) {
  size_t count = *at < bytes->size ? bytes->size - *at : 0;
  if (count > size) count = size;
  if (!count) return leave(0);
  char *copy = realloc(NULL, count);
  for (size_t i = 0; i < count; i++) copy[i] = bytes->data[(*at)++];
  leave(0);
  for (size_t i = 0; i < count; i++) to[i] = copy[i];
  free(copy);
  return (long)count;
}

static long take_count(Open *open, void *to) {
  uint64_t count = open->counts_down ? 1 : open->count;
  open->count -= count;
  wake(open);
  leave(0);
  __builtin_memcpy(to, &count, sizeof count);
  return sizeof count;
}

LIBRARY long read(int number, void *to, size_t size) {
  if (number == 0) return read_input(to, size);
  if (is_standard(number)) __heddle_unsupported("read() from a descriptor for output");
  for (;;) {
    enter();
    Open *open = open_at(number);
    if (!open || !may(open, 0)) return fail(EBADF);
    if (open->kind == COUNTER && size < sizeof open->count) return fail(EINVAL);
    if (!size) return leave(0);
    if (can_read(open)) {
      if (open->kind == COUNTER) return take_count(open, to);
      if (open->kind == REGULAR) return take_bytes(&open->node->bytes, &open->at, to, size);
      return take_bytes(&open->pipe->bytes, &open->pipe->at, to, size);
    }
    if (open->kind == READ_END && open->pipe->ends[1] < 0) return leave(0);
    if (open->flags & NONBLOCK) return fail(EAGAIN);
    wait_at(open);
  }
}

static long put_bytes(Open *open, const char *from, size_t size) {
  Bytes *bytes = &open->node->bytes;
  if (open->flags & APPEND) open->at = bytes->size;
  reserve(bytes, open->at + size);
  for (; bytes->size < open->at; bytes->size++) bytes->data[bytes->size] = 0;
  for (size_t i = 0; i < size; i++) bytes->data[open->at++] = from[i];
  if (open->at > bytes->size) bytes->size = open->at;
  return leave((long)size);
}

static long send_bytes(Pipe *pipe, const char *from, size_t size) {
  if (pipe->ends[0] < 0) __heddle_unsupported("a write to a pipe that nobody reads");
  if (size > AT_ONCE) __heddle_unsupported("a write of over 4096 bytes to a pipe");
  if (pipe->bytes.size - pipe->at + size > CAPACITY) __heddle_unsupported("a pipe that is full");
  reserve(&pipe->bytes, pipe->bytes.size + size);
  for (size_t i = 0; i < size; i++) pipe->bytes.data[pipe->bytes.size++] = from[i];
  if (size) wake(&opened[pipe->ends[0]]);
  return leave((long)size);
}

static long add_count(int number, uint64_t value) {
  for (;;) {
    enter();
    Open *open = open_at(number);
    if (!open || open->kind != COUNTER) return fail(EBADF);
    if (value <= UINT64_MAX - 1 - open->count) {
      open->count += value;
      wake(open);
      return leave(sizeof value);
    }
    if (open->flags & NONBLOCK) return fail(EAGAIN);
    wait_at(open);
  }
}

static long show(int stream, const char *from, size_t size) {
  for (size_t i = 0; i < size; i++) __heddle_put(from[i]);
  __heddle_put_end(stream);
  return (long)size;
}

static long write_copy(int number, const char *copy, size_t size) {
  enter();
  Open *open = open_at(number);
  if (!open || !may(open, 1)) return fail(EBADF);
  if (open->kind == REGULAR) return put_bytes(open, copy, size);
  if (open->kind == WRITE_END) return send_bytes(open->pipe, copy, size);
  uint64_t value;
  if (size != sizeof value) return fail(EINVAL);
  __builtin_memcpy(&value, copy, sizeof value);
  if (value == UINT64_MAX) return fail(EINVAL);
  leave(0);
  return add_count(number, value);
}

LIBRARY long write(int number, const void *from, size_t size) {
  if (number == 0) __heddle_unsupported("write() to standard input");
  if (is_standard(number)) return show(number, from, size);
  char *copy = realloc(NULL, size ? size : 1);
  for (size_t i = 0; i < size; i++) copy[i] = ((const char *)from)[i];
  long result = write_copy(number, copy, size);
  free(copy);
  return result;
}

LIBRARY int eventfd_read(int number, uint64_t *to) { return read(number, to, 8) == 8 ? 0 : -1; }
LIBRARY int eventfd_write(int number, uint64_t value) {
  return write(number, &value, sizeof value) == sizeof value ? 0 : -1;
}

// How the flags of a descriptor are read and set; nothing else.
LIBRARY int fcntl(int number, int command, ...) {
  enum { GET_DESCRIPTOR = 1, SET_DESCRIPTOR, GET_FLAGS, SET_FLAGS, SETTABLE = APPEND | NONBLOCK };
  int argument = 0;
  va_list list;
  va_start(list, command);
  if (command == SET_DESCRIPTOR || command == SET_FLAGS) argument = va_arg(list, int);
  va_end(list);
  if (command < GET_DESCRIPTOR || command > SET_FLAGS)
    __heddle_unsupported("fcntl() of this command");
  if (is_standard(number)) __heddle_unsupported("fcntl() of a standard descriptor");
  enter();
  Open *open = open_at(number);
  if (!open) return (int)fail(EBADF);
  switch (command) {
  case GET_DESCRIPTOR: return (int)leave((open->flags & CLOSE_ON_EXEC) != 0);
  case GET_FLAGS:
    return (int)leave(open->flags & (WRITE_ONLY | READ_WRITE | SETTABLE));
  case SET_FLAGS: open->flags = (open->flags & ~SETTABLE) | (argument & SETTABLE); break;
  default: open->flags = (open->flags & ~CLOSE_ON_EXEC) | (argument & 1 ? CLOSE_ON_EXEC : 0);
  }
  return (int)leave(0);
}

LIBRARY int fsync(int number) {
  enter();
  return (int)(open_at(number) ? leave(0) : fail(EBADF));
}

// ---- Waiting for several

struct pollfd {
  int fd;
  short events, revents;
};

enum { IN = 1, OUT = 4, ERROR = 8, HANG_UP = 0x10, INVALID = 0x20 };

// What one descriptor is asked for, and who waits at it.
typedef struct {
  int number, events, found;
  Waiter waiter;
} Asked;

static int look_at(Asked *asked) {
  asked->found = 0;
  if (asked->number < 0) return 0;
  const Open *open = open_at(asked->number);
  if (!open) asked->found = is_standard(asked->number) ? asked->events & OUT : INVALID;
  else {
    const Pipe *pipe = open->kind == READ_END || open->kind == WRITE_END ? open->pipe : NULL;
    if (open->kind != WRITE_END && can_read(open)) asked->found |= asked->events & IN;
    if (open->kind == REGULAR || (open->kind == COUNTER && open->count < UINT64_MAX - 1) ||
        (open->kind == WRITE_END && pipe->bytes.size - pipe->at < CAPACITY))
      asked->found |= asked->events & OUT;
    if (open->kind == READ_END && pipe->ends[1] < 0) asked->found |= HANG_UP;
    if (open->kind == WRITE_END && pipe->ends[0] < 0) asked->found |= ERROR;
  }
  return asked->found != 0;
}

static int look_at_all(Asked *asked, unsigned long count) {
  int ready = 0;
  for (unsigned long i = 0; i < count; i++) ready += look_at(&asked[i]);
  return ready;
}

static int wait_for_any(Asked *asked, unsigned long count, int timeout) {
  for (;;) {
    enter();
    int ready = look_at_all(asked, count);
    if (ready || timeout == 0) return (int)leave(ready);
    Semaphore woken;
    sem_init(&woken, 0, 0);
    for (unsigned long i = 0; i < count; i++) {
      Open *open = open_at(asked[i].number);
      if (!open) continue;
      asked[i].waiter = (Waiter){&woken, open->waiters};
      open->waiters = &asked[i].waiter;
    }
    leave(0);
    if (timeout < 0) sem_wait(&woken);
    else if (sem_timedwait(&woken, NULL) != 0) timeout = 0;
    enter();
    for (unsigned long i = 0; i < count; i++) {
      Open *open = open_at(asked[i].number);
      if (open) forget(open, &asked[i].waiter);
    }
    leave(0);
  }
}

LIBRARY int poll(struct pollfd *asked, unsigned long count, int timeout) {
  Asked *copy = realloc(NULL, count ? count * sizeof *copy : 1);
  for (unsigned long i = 0; i < count; i++) {
    if (asked[i].fd == 0) __heddle_unsupported("poll() of standard input");
    if (asked[i].events & ~(IN | OUT | ERROR | HANG_UP))
      __heddle_unsupported("poll() for other events than input and output");
    copy[i] = (Asked){asked[i].fd, asked[i].events, 0, {NULL, NULL}};
  }
  int ready = wait_for_any(copy, count, timeout);
  for (unsigned long i = 0; i < count; i++) asked[i].revents = (short)copy[i].found;
  free(copy);
  return ready;
}
