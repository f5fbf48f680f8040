// Memory and string functions of the C library, in C, for programs under check.
//
// Every function is weak, so that one of the program wins. Copies move as many
// bytes at once as alignment allows, so that a pointer or an integer is never torn
// into bytes. The file must not need anything but the compiler's own headers.

#include <stddef.h>
#include <stdint.h>

#define LIBRARY __attribute__((weak))

void *malloc(size_t size);

typedef unsigned char byte;

#define ALIGNED(a, b, bytes) ((((uintptr_t)(a) | (uintptr_t)(b)) & ((bytes) - 1)) == 0)

#define COPY_FORWARD(type)                                    \
  while (n >= sizeof(type) && ALIGNED(d, s, sizeof(type))) {  \
    *(type *)d = *(const type *)s;                            \
    d += sizeof(type);                                        \
    s += sizeof(type);                                        \
    n -= sizeof(type);                                        \
  }

// Copies up to the next address where wider accesses may fit again.
#define COPY_STEP(type)                                       \
  if (n >= sizeof(type) && ALIGNED(d, s, sizeof(type))) {     \
    *(type *)d = *(const type *)s;                            \
    d += sizeof(type);                                        \
    s += sizeof(type);                                        \
    n -= sizeof(type);                                        \
    continue;                                                 \
  }

LIBRARY void *memcpy(void *restrict to, const void *restrict from, size_t n) {
  byte *d = to;
  const byte *s = from;
  while (n > 0) {
    COPY_FORWARD(uintptr_t)
    COPY_STEP(uint32_t)
    COPY_STEP(uint16_t)
    if (n > 0) {
      *d++ = *s++;
      n--;
    }
  }
  return to;
}

#define COPY_BACKWARD(type)                                   \
  if (n >= sizeof(type) && ALIGNED(d, s, sizeof(type))) {     \
    d -= sizeof(type);                                        \
    s -= sizeof(type);                                        \
    n -= sizeof(type);                                        \
    *(type *)d = *(const type *)s;                            \
    continue;                                                 \
  }

LIBRARY void *memmove(void *to, const void *from, size_t n) {
  byte *d = to;
  const byte *s = from;
  if ((uintptr_t)d - (uintptr_t)s >= n) {
    while (n > 0) {
      COPY_FORWARD(uintptr_t)
      COPY_STEP(uint32_t)
      COPY_STEP(uint16_t)
      if (n > 0) {
        *d++ = *s++;
        n--;
      }
    }
    return to;
  }
  d += n;
  s += n;
  while (n > 0) {
    COPY_BACKWARD(uintptr_t)
    COPY_BACKWARD(uint32_t)
    COPY_BACKWARD(uint16_t)
    *--d = *--s;
    n--;
  }
  return to;
}

#define FILL_STEP(type)                                       \
  if (n >= sizeof(type) && ALIGNED(d, 0, sizeof(type))) {     \
    *(type *)d = (type)word;                                  \
    d += sizeof(type);                                        \
    n -= sizeof(type);                                        \
    continue;                                                 \
  }

LIBRARY void *memset(void *to, int value, size_t n) {
  byte *d = to;
  uintptr_t word = (byte)value * ((uintptr_t)-1 / 255);
  while (n > 0) {
    FILL_STEP(uintptr_t)
    FILL_STEP(uint32_t)
    FILL_STEP(uint16_t)
    *d++ = (byte)word;
    n--;
  }
  return to;
}

LIBRARY int memcmp(const void *a, const void *b, size_t n) {
  const byte *x = a, *y = b;
  for (size_t i = 0; i < n; i++) {
    byte left = x[i], right = y[i];
    if (left != right) return left < right ? -1 : 1;
  }
  return 0;
}

LIBRARY void *memchr(const void *from, int value, size_t n) {
  const byte *s = from;
  for (size_t i = 0; i < n; i++)
    if (s[i] == (byte)value) return (void *)(s + i);
  return NULL;
}

LIBRARY size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n]) n++;
  return n;
}

LIBRARY size_t strnlen(const char *s, size_t limit) {
  size_t n = 0;
  while (n < limit && s[n]) n++;
  return n;
}

LIBRARY char *strcpy(char *restrict to, const char *restrict from) {
  char *d = to;
  char c;
  do {
    c = *from++;
    *d++ = c;
  } while (c);
  return to;
}

LIBRARY char *stpcpy(char *restrict to, const char *restrict from) {
  char c;
  for (;;) {
    c = *from++;
    *to = c;
    if (!c) return to;
    to++;
  }
}

LIBRARY char *strncpy(char *restrict to, const char *restrict from, size_t n) {
  size_t i = 0;
  char c = 1;
  for (; i < n; i++) {
    if (c) c = from[i];
    to[i] = c;
  }
  return to;
}

LIBRARY char *strcat(char *restrict to, const char *restrict from) {
  char *d = to;
  char c;
  while (*d) d++;
  do {
    c = *from++;
    *d++ = c;
  } while (c);
  return to;
}

LIBRARY char *strncat(char *restrict to, const char *restrict from, size_t n) {
  char *d = to;
  while (*d) d++;
  for (size_t i = 0; i < n; i++) {
    char c = from[i];
    if (!c) break;
    *d++ = c;
  }
  *d = 0;
  return to;
}

LIBRARY int strcmp(const char *a, const char *b) {
  for (;; a++, b++) {
    byte left = (byte)*a, right = (byte)*b;
    if (left != right) return left < right ? -1 : 1;
    if (!left) return 0;
  }
}

LIBRARY int strncmp(const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    byte left = (byte)a[i], right = (byte)b[i];
    if (left != right) return left < right ? -1 : 1;
    if (!left) return 0;
  }
  return 0;
}

static byte lower(byte c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

LIBRARY int strcasecmp(const char *a, const char *b) {
  for (;; a++, b++) {
    byte left = lower((byte)*a), right = lower((byte)*b);
    if (left != right) return left < right ? -1 : 1;
    if (!left) return 0;
  }
}

LIBRARY int strncasecmp(const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    byte left = lower((byte)a[i]), right = lower((byte)b[i]);
    if (left != right) return left < right ? -1 : 1;
    if (!left) return 0;
  }
  return 0;
}

LIBRARY char *strchr(const char *s, int value) {
  for (;; s++) {
    char c = *s;
    if (c == (char)value) return (char *)s;
    if (!c) return NULL;
  }
}

LIBRARY char *strrchr(const char *s, int value) {
  const char *last = NULL;
  for (;; s++) {
    char c = *s;
    if (c == (char)value) last = s;
    if (!c) return (char *)last;
  }
}

LIBRARY char *strstr(const char *text, const char *word) {
  for (;; text++) {
    size_t i = 0;
    while (word[i] && text[i] == word[i]) i++;
    if (!word[i]) return (char *)text;
    if (!*text) return NULL;
  }
}

LIBRARY size_t strspn(const char *s, const char *accept) {
  size_t n = 0;
  for (;; n++) {
    size_t i = 0;
    while (accept[i] && accept[i] != s[n]) i++;
    if (!s[n] || !accept[i]) return n;
  }
}

LIBRARY size_t strcspn(const char *s, const char *reject) {
  size_t n = 0;
  for (;; n++) {
    size_t i = 0;
    while (reject[i] && reject[i] != s[n]) i++;
    if (!s[n] || reject[i]) return n;
  }
}

LIBRARY char *strdup(const char *s) {
  size_t n = 0;
  while (s[n]) n++;
  char *copy = malloc(n + 1);
  if (!copy) return NULL;
  for (size_t i = 0; i <= n; i++) copy[i] = s[i];
  return copy;
}

LIBRARY char *strndup(const char *s, size_t limit) {
  size_t n = 0;
  while (n < limit && s[n]) n++;
  char *copy = malloc(n + 1);
  if (!copy) return NULL;
  for (size_t i = 0; i < n; i++) copy[i] = s[i];
  copy[n] = 0;
  return copy;
}

LIBRARY char *strpbrk(const char *s, const char *accept) {
  for (;; s++) {
    size_t i = 0;
    while (accept[i] && accept[i] != *s) i++;
    if (!*s) return NULL;
    if (accept[i]) return (char *)s;
  }
}

LIBRARY char *strchrnul(const char *s, int value) {
  while (*s && *s != (char)value) s++;
  return (char *)s;
}

LIBRARY char *strcasestr(const char *text, const char *word) {
  for (;; text++) {
    size_t i = 0;
    while (word[i] && lower((byte)text[i]) == lower((byte)word[i])) i++;
    if (!word[i]) return (char *)text;
    if (!*text) return NULL;
  }
}

static int is_among(char c, const char *all) {
  while (*all && *all != c) all++;
  return *all != 0;
}

LIBRARY char *strsep(char **rest, const char *separators) {
  char *token = *rest;
  if (!token) return NULL;
  char *end = token;
  while (*end && !is_among(*end, separators)) end++;
  *rest = *end ? end + 1 : NULL;
  if (*end) *end = 0;
  return token;
}

LIBRARY char *strtok_r(char *restrict s, const char *restrict separators, char **restrict rest) {
  if (!s) s = *rest;
  while (*s && is_among(*s, separators)) s++;
  char *end = s;
  while (*end && !is_among(*end, separators)) end++;
  *rest = *end ? end + 1 : end;
  if (*end) *end = 0;
  return end == s ? NULL : s;
}

LIBRARY void *mempcpy(void *restrict to, const void *restrict from, size_t n) {
  return (byte *)memcpy(to, from, n) + n;
}

LIBRARY void *memrchr(const void *s, int value, size_t n) {
  const byte *from = s;
  while (n-- > 0)
    if (from[n] == (byte)value) return (void *)(from + n);
  return NULL;
}

LIBRARY void *memmem(const void *text, size_t length, const void *word, size_t n) {
  const byte *from = text, *wanted = word;
  for (size_t at = 0; at + n <= length; at++) {
    size_t i = 0;
    while (i < n && from[at + i] == wanted[i]) i++;
    if (i == n) return (void *)(from + at);
  }
  return NULL;
}

LIBRARY void bzero(void *s, size_t n) { memset(s, 0, n); }

LIBRARY int ffs(int n) { return n ? __builtin_ctz((unsigned)n) + 1 : 0; }
LIBRARY int ffsl(long n) { return n ? __builtin_ctzl((unsigned long)n) + 1 : 0; }
LIBRARY int ffsll(long long n) { return n ? __builtin_ctzll((unsigned long long)n) + 1 : 0; }

LIBRARY size_t strlcpy(char *restrict to, const char *restrict from, size_t size) {
  size_t n = 0;
  for (; from[n]; n++)
    if (n + 1 < size) to[n] = from[n];
  if (size > 0) to[n < size ? n : size - 1] = '\0';
  return n;
}

LIBRARY size_t strlcat(char *restrict to, const char *restrict from, size_t size) {
  size_t before = strnlen(to, size);
  return before == size ? size + strlen(from) : before + strlcpy(to + before, from, size - before);
}

LIBRARY void *memccpy(void *restrict to, const void *restrict from, int last, size_t n) {
  byte *d = to;
  const byte *s = from;
  for (size_t i = 0; i < n; i++)
    if ((d[i] = s[i]) == (byte)last) return d + i + 1;
  return NULL;
}

LIBRARY char *stpncpy(char *restrict to, const char *restrict from, size_t n) {
  size_t length = strnlen(from, n);
  strncpy(to, from, n);
  return to + length;
}

// Older names.
LIBRARY void bcopy(const void *from, void *to, size_t n) { memmove(to, from, n); }
LIBRARY int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }
LIBRARY char *index(const char *s, int value) { return strchr(s, value); }
LIBRARY char *rindex(const char *s, int value) { return strrchr(s, value); }

LIBRARY void explicit_bzero(void *s, size_t n) { memset(s, 0, n); }
