// Unlocking a mutex that nobody holds.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_unlock(&lock); //~ VIOLATION: mutex-misuse
    return 0;
}
