// Messages about errors, as <err.h>, <error.h> and <syslog.h> write them, in C, for programs
// under check. Every function is weak, so that one of the program wins. The system's log is
// the standard error.

#include <stdarg.h>
#include <stddef.h>

#define LIBRARY __attribute__((weak))

int dprintf(int number, const char *format, ...);
int vdprintf(int number, const char *format, va_list list);
char *strerror(int number);
_Noreturn void exit(int status);
int *__errno_location(void);

enum { ERROR_OUTPUT = 2 };

static void begin(void) { dprintf(ERROR_OUTPUT, "program: "); }

// With what the error number says, unless it is negative.
static void say(const char *format, va_list list, int number) {
  begin();
  if (format != NULL) vdprintf(ERROR_OUTPUT, format, list);
  if (number >= 0) dprintf(ERROR_OUTPUT, format ? ": %s" : "%s", strerror(number));
  dprintf(ERROR_OUTPUT, "\n");
}

LIBRARY void vwarn(const char *format, va_list list) { say(format, list, *__errno_location()); }
LIBRARY void vwarnx(const char *format, va_list list) { say(format, list, -1); }

LIBRARY void verr(int status, const char *format, va_list list) {
  vwarn(format, list);
  exit(status);
}

LIBRARY void verrx(int status, const char *format, va_list list) {
  vwarnx(format, list);
  exit(status);
}

#define HAND_ON(call)     \
  va_list list;           \
  va_start(list, format); \
  call;                   \
  va_end(list);

LIBRARY void warn(const char *format, ...) { HAND_ON(vwarn(format, list)) }
LIBRARY void warnx(const char *format, ...) { HAND_ON(vwarnx(format, list)) }
LIBRARY void err(int status, const char *format, ...) { HAND_ON(verr(status, format, list)) }
LIBRARY void errx(int status, const char *format, ...) { HAND_ON(verrx(status, format, list)) }

LIBRARY void error(int status, int number, const char *format, ...) {
  HAND_ON(say(format, list, number == 0 ? -1 : number))
  if (status != 0) exit(status);
}

LIBRARY void vsyslog(int priority, const char *format, va_list list) { say(format, list, -1); }
LIBRARY void syslog(int priority, const char *format, ...) { HAND_ON(say(format, list, -1)) }
LIBRARY void openlog(const char *name, int options, int facility) {}
LIBRARY void closelog(void) {}
LIBRARY int setlogmask(int mask) { return 0xff; }
