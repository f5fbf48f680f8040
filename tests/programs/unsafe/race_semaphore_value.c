// sem_getvalue stores the count like any assignment.
//@ args: --check all
#include <pthread.h>
#include <semaphore.h>

static sem_t tickets;
static int left;

static void *count(void *arg) {
    sem_getvalue(&tickets, &left); //~ VIOLATION: data-race
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&tickets, 0, 3);
    pthread_create(&t, 0, count, 0);
    int seen = left; //~ VIOLATION: data-race
    pthread_join(t, 0);
    return seen;
}
