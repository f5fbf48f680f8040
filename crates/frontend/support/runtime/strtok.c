// strtok, which keeps where it is for all threads. Weak, so that the program's own wins.

#define LIBRARY __attribute__((weak))

char *strtok_r(char *s, const char *separators, char **rest);

static char *rest;

LIBRARY char *strtok(char *s, const char *separators) { return strtok_r(s, separators, &rest); }
