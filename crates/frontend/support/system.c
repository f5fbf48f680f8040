// What a program asks the system about itself, in C, for programs under check: one process
// on two processors. Every function is weak, so that one of the program wins.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

void __heddle_unsupported(const char *what);
int *__errno_location(void);

#define EINVAL 22

enum { PROCESS = 1000, PROCESSORS = 2, PAGE = 4096 };

LIBRARY int getpid(void) { return PROCESS; }
LIBRARY int getppid(void) { return 1; }
LIBRARY int getpagesize(void) { return PAGE; }
LIBRARY int get_nprocs(void) { return PROCESSORS; }
LIBRARY int get_nprocs_conf(void) { return PROCESSORS; }

// As Linux numbers them.
enum { CLOCK_TICKS = 2, OPEN_FILES = 4, PAGE_SIZE = 30, CONFIGURED = 83, ONLINE = 84 };

LIBRARY long sysconf(int name) {
  switch (name) {
  case CLOCK_TICKS: return 100;
  case OPEN_FILES: return 1024;
  case PAGE_SIZE: return PAGE;
  case CONFIGURED:
  case ONLINE: return PROCESSORS;
  default: __heddle_unsupported("sysconf() of this name"); return -1;
  }
}

#define PR_SET_NAME 15

// Declared with `...`; a call passes what it has.
LIBRARY int prctl(int option, unsigned long argument) {
  if (option != PR_SET_NAME) __heddle_unsupported("prctl() of this option");
  return 0;
}

static int all_processors(size_t size, unsigned char *set) {
  if (size < sizeof(long)) return EINVAL;
  for (size_t i = 0; i < size; i++) set[i] = i == 0 ? (1 << PROCESSORS) - 1 : 0;
  return 0;
}

// Where threads run makes no difference: any of them may be the next.
static int no_processor(size_t size, const unsigned char *set) {
  for (size_t i = 0; i < size; i++)
    if (set[i] & (i == 0 ? (1 << PROCESSORS) - 1 : 0)) return 0;
  return EINVAL;
}

static int with_errno(int error) {
  if (error == 0) return 0;
  *__errno_location() = error;
  return -1;
}

LIBRARY int pthread_getaffinity_np(unsigned long thread, size_t size, void *set) {
  return all_processors(size, set);
}

LIBRARY int pthread_setaffinity_np(unsigned long thread, size_t size, const void *set) {
  return no_processor(size, set);
}

LIBRARY int sched_getaffinity(int process, size_t size, void *set) {
  return with_errno(all_processors(size, set));
}

LIBRARY int sched_setaffinity(int process, size_t size, const void *set) {
  return with_errno(no_processor(size, set));
}

LIBRARY int __sched_cpucount(size_t size, const void *set) {
  int count = 0;
  for (size_t i = 0; i < size; i++) count += __builtin_popcount(((const unsigned char *)set)[i]);
  return count;
}

LIBRARY int pthread_setconcurrency(int level) { return level < 0 ? EINVAL : 0; }
LIBRARY int pthread_getconcurrency(void) { return 0; }

// Any processor: a thread may be moved at any time.
unsigned char __VERIFIER_nondet_uchar(void);

LIBRARY int sched_getcpu(void) { return __VERIFIER_nondet_uchar() % PROCESSORS; }

// Priorities decide nothing: any thread may be the next. Whether a process may have others
// than the usual one is up to the system.
struct sched_param {
  int priority;
};

enum { USUAL = 0, EPERM = 1 };

static int set_policy(int policy, const struct sched_param *to) {
  int priority = to->priority;
  if (policy == USUAL) return priority == 0 ? 0 : EINVAL;
  return __VERIFIER_nondet_uchar() & 1 ? 0 : EPERM;
}

LIBRARY int pthread_setschedparam(unsigned long thread, int policy, const struct sched_param *to) {
  return set_policy(policy, to);
}
LIBRARY int pthread_setschedprio(unsigned long thread, int priority) {
  return priority == 0 || __VERIFIER_nondet_uchar() & 1 ? 0 : EPERM;
}
LIBRARY int sched_setscheduler(int process, int policy, const struct sched_param *to) {
  return with_errno(set_policy(policy, to));
}
LIBRARY int sched_get_priority_max(int policy) { return policy == 1 || policy == 2 ? 99 : 0; }
LIBRARY int sched_get_priority_min(int policy) { return policy == 1 || policy == 2 ? 1 : 0; }

LIBRARY unsigned getuid(void) { return 1000; }
LIBRARY unsigned geteuid(void) { return 1000; }
LIBRARY unsigned getgid(void) { return 1000; }

// Other processes do not exist, so nothing is called before or after one is made.
LIBRARY int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void)) {
  return 0;
}

// Addresses say nothing about where they were called from.
LIBRARY int backtrace(void **slots, int count) { return 0; }
LIBRARY void backtrace_symbols_fd(void *const *slots, int count, int number) {}

LIBRARY unsigned htonl(unsigned value) { return __builtin_bswap32(value); }
LIBRARY unsigned ntohl(unsigned value) { return __builtin_bswap32(value); }
LIBRARY unsigned short htons(unsigned short value) { return __builtin_bswap16(value); }
LIBRARY unsigned short ntohs(unsigned short value) { return __builtin_bswap16(value); }

#define ENOTTY 25
#define EBADF 9

// No stream is a terminal.
LIBRARY int isatty(int number) {
  *__errno_location() = number < 0 ? EBADF : ENOTTY;
  return 0;
}

// Advice changes nothing, but that pages which are not needed may be empty afterwards.
#define MADV_DONTNEED 4
#define MADV_FREE 8
#define MADV_REMOVE 9

static int advise(int advice) {
  if (advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE)
    __heddle_unsupported("madvise() that empties pages");
  return 0;
}

LIBRARY int madvise(void *start, size_t size, int advice) { return advise(advice); }

// POSIX's advice never loses what is there.
LIBRARY int posix_madvise(void *start, size_t size, int advice) { return 0; }

struct utsname {
  char system[65], node[65], release[65], version[65], machine[65], domain[65];
};

static void write_name(char *to, const char *name) {
  while ((*to++ = *name++)) {}
}

LIBRARY int uname(struct utsname *to) {
  write_name(to->system, "Linux");
  write_name(to->node, "localhost");
  write_name(to->release, "6.1.0");
  write_name(to->version, "#1 SMP");
  write_name(to->machine, sizeof(long) == 8 ? "x86_64" : "i686");
  write_name(to->domain, "(none)");
  return 0;
}

LIBRARY int gethostname(char *to, size_t size) {
  if (size < sizeof("localhost")) return with_errno(36);
  write_name(to, "localhost");
  return 0;
}

// The only language is that of C.
LIBRARY char *setlocale(int category, const char *name) {
  static char language[] = "C";
  int known = name == NULL || *name == '\0' || (name[0] == 'C' && name[1] == '\0');
  return known ? language : NULL;
}

struct rlimit {
  unsigned long now, most;
};

// There are no limits, and none can be set.
LIBRARY int getrlimit(int resource, struct rlimit *to) {
  to->now = to->most = ~0ul;
  return 0;
}

LIBRARY int setrlimit(int resource, const struct rlimit *to) {
  return to->now > to->most ? with_errno(EINVAL) : 0;
}
