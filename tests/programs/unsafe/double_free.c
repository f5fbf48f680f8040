// Both threads find the pointer set and free it.
#include <pthread.h>
#include <stdlib.h>

static int *box;

static void *release(void *arg) {
    (void)arg;
    if (box) {
        free(box); //~ VIOLATION: double-free
        box = 0;
    }
    return 0;
}

int main(void) {
    box = malloc(sizeof *box);
    pthread_t a, b;
    pthread_create(&a, 0, release, 0);
    pthread_create(&b, 0, release, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
