// What error numbers are called, in C, for programs under check. Weak, so that the program's
// own wins.

#define LIBRARY __attribute__((weak))

#include <stddef.h>

void __heddle_unsupported(const char *what);

// The numbers are those of Linux.
LIBRARY char *strerror(int number) {
  switch (number) {
  case 0: return "Success";
  case 1: return "Operation not permitted";
  case 2: return "No such file or directory";
  case 3: return "No such process";
  case 4: return "Interrupted system call";
  case 5: return "Input/output error";
  case 9: return "Bad file descriptor";
  case 11: return "Resource temporarily unavailable";
  case 12: return "Cannot allocate memory";
  case 13: return "Permission denied";
  case 14: return "Bad address";
  case 16: return "Device or resource busy";
  case 17: return "File exists";
  case 22: return "Invalid argument";
  case 33: return "Numerical argument out of domain";
  case 34: return "Numerical result out of range";
  case 35: return "Resource deadlock avoided";
  case 95: return "Operation not supported";
  case 110: return "Connection timed out";
  default: __heddle_unsupported("strerror() of this number"); return "";
  }
}

#define ERANGE 34

// That of POSIX: the error number, and what fits.
LIBRARY int __xpg_strerror_r(int number, char *to, size_t size) {
  const char *text = strerror(number);
  size_t n = 0;
  for (; text[n] && n + 1 < size; n++) to[n] = text[n];
  if (size > 0) to[n] = '\0';
  return text[n] ? ERANGE : 0;
}

// That of the GNU C library, which has a text of its own.
LIBRARY char *strerror_r(int number, char *to, size_t size) { return strerror(number); }
