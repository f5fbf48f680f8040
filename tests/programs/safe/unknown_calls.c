// Functions that nobody has written may be let do nothing. What the verdict rests on is named.
//@ args: --unknown-calls ignore
//@ verdict: bounded
#include <assert.h>
#include <pthread.h>

struct pair {
    long first;
    char *second;
};
int level(const char *name);
double weight(void);
struct pair both(int n);
void log_it(const char *format, ...);
static int (*pointer)(const char *) = level;

static void *work(void *arg) {
    log_it("%p", arg);
    assert(level("x") == 0 && pointer("y") == 0);
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    assert(weight() == 0);
    assert(both(3).second == 0);
    pthread_join(a, 0);
    return 0;
}
