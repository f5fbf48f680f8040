// Memory straight from the system (mmap), in C, for programs under check: anonymous mappings
// that can be read and written, each a block of its own. Weak, so that the program's own wins.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

// Models of the checker.
void *calloc(size_t count, size_t size);
void free(void *block);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __heddle_unsupported(const char *what);
void __heddle_sure_memory(void);
_Bool __VERIFIER_nondet_bool(void);
int *__errno_location(void);
int posix_memalign(void **slot, size_t alignment, size_t size);
void *memset(void *to, int byte, size_t size);

enum { READABLE = 1, WRITABLE = 2, ANONYMOUS = 0x20, FIXED = 0x100010, HUGE = 0x40000, EINVAL = 22, ENOMEM = 12 };
enum { PAGE = 4096 };

typedef struct Mapping {
  char *start;
  size_t size;
  struct Mapping *next;
} Mapping;

// What is mapped is not lost, though nobody has its address.
static Mapping *mappings;

static void *failed(int error) {
  *__errno_location() = error;
  return (void *)-1;
}

static size_t pages(size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }

LIBRARY void *mmap(void *where, size_t size, int access, int flags, int file, long offset) {
  if (!(flags & ANONYMOUS)) __heddle_unsupported("mmap() of a file");
  if (flags & FIXED) __heddle_unsupported("mmap() at a fixed address");
  if (flags & HUGE) __heddle_unsupported("mmap() of huge pages");
  if ((access & (READABLE | WRITABLE)) != (READABLE | WRITABLE))
    __heddle_unsupported("mmap() of memory that is not for reading and writing");
  if (!size) return failed(EINVAL);
  // That it can fail is for the program to see, which does not compare with null.
  __heddle_sure_memory();
  void *block;
  Mapping *mapping = calloc(1, sizeof *mapping);
  if (!mapping || posix_memalign(&block, PAGE, pages(size))) return free(mapping), failed(ENOMEM);
  memset(block, 0, pages(size));
  mapping->start = block;
  mapping->size = pages(size);
  __VERIFIER_atomic_begin();
  mapping->next = mappings;
  mappings = mapping;
  __VERIFIER_atomic_end();
  return block;
}

LIBRARY void *mmap64(void *where, size_t size, int access, int flags, int file, long offset) {
  return mmap(where, size, access, flags, file, offset);
}

LIBRARY int munmap(void *start, size_t size) {
  Mapping *found = NULL;
  __VERIFIER_atomic_begin();
  for (Mapping **at = &mappings; *at; at = &(*at)->next) {
    if ((*at)->start != start) continue;
    found = *at;
    *at = found->next;
    break;
  }
  __VERIFIER_atomic_end();
  if (!found || found->size != pages(size))
    __heddle_unsupported("munmap() of what is no whole mapping");
  free(found->start);
  free(found);
  return 0;
}

LIBRARY int mprotect(void *start, size_t size, int access) {
  if ((access & (READABLE | WRITABLE)) != (READABLE | WRITABLE))
    __heddle_unsupported("mprotect() that takes reading or writing away");
  return 0;
}

// There may be too little memory that can be locked.
static int lock_pages(void) {
  if (__VERIFIER_nondet_bool()) return 0;
  *__errno_location() = ENOMEM;
  return -1;
}

LIBRARY int mlock(const void *start, size_t size) { return lock_pages(); }
LIBRARY int munlock(const void *start, size_t size) { return 0; }
LIBRARY int mlockall(int flags) { return lock_pages(); }
LIBRARY int munlockall(void) { return 0; }
