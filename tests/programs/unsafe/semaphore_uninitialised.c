// A semaphore that nobody initialised.
#include <semaphore.h>

static sem_t ready;

int main(void) {
    sem_post(&ready); //~ VIOLATION: mutex-misuse
    return 0;
}
