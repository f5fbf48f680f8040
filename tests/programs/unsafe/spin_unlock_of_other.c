// Unlocking a spin lock that another thread holds.
#include <pthread.h>

static pthread_spinlock_t lock;

static void *stranger(void *arg) {
    (void)arg;
    pthread_spin_unlock(&lock); //~ VIOLATION: mutex-misuse
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_spin_init(&lock, 0);
    pthread_spin_lock(&lock);
    pthread_create(&t, 0, stranger, 0);
    pthread_join(t, 0);
    return 0;
}
