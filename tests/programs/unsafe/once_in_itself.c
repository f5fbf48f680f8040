// The function of a once flag waits for its own end.
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void) {
    pthread_once(&once, initialise); //~ VIOLATION: deadlock
}

int main(void) {
    pthread_once(&once, initialise);
    return 0;
}
