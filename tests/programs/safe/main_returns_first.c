// The end of the process takes main's variables away from nobody.
#include <pthread.h>

static void *work(void *arg) {
    int *given = arg;
    *given = *given + 1;
    return 0;
}

int main(void) {
    pthread_t t;
    int mine = 0;
    pthread_create(&t, 0, work, &mine);
    return 0;
}
