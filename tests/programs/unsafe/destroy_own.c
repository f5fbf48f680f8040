// Destroying a mutex that one holds oneself.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_destroy(&lock); //~ VIOLATION: mutex-misuse
    return 0;
}
