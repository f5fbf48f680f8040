// Three threads that touch a variable again and again, for a while.
#include <pthread.h>
#include <unistd.h>

static int shared;

static void *work(void *arg) {
    for (int i = 0; i < 40; i++) {
        shared += 1;
        usleep(5000);
    }
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_create(&c, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
