// A run that is stuck is complete, though nobody looks for that here.
//@ args: --check assert
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern _Bool __VERIFIER_nondet_bool(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&lock);
    __VERIFIER_assume(__VERIFIER_nondet_bool());
    pthread_mutex_lock(&lock);
    return 0;
}
