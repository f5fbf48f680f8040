#include <assert.h>
#include <klee/klee.h>

static unsigned long long any(void)
{
    unsigned long long value;
    klee_make_symbolic(&value, sizeof value, "choice");
    return value;
}

#define assume(condition) do { if (!(condition)) klee_silent_exit(0); } while (0)
#define violation(text) assert(!text)
