// Every run ends at an assumption: nothing was shown about the program.
//@ verdict: unknown
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
static int x;

static void *work(void *arg) {
    x = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    __VERIFIER_assume(x == 2); //~ UNSUPPORTED: fails in all of them
    assert(0);
}
