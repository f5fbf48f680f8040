// Which mutex is given back depends on what others have counted meanwhile.
#include <pthread.h>

static pthread_mutex_t locks[2];
static int turn;

static void *add(void *arg) {
    (void)arg;
    int at = turn & 1;
    pthread_mutex_lock(&locks[at]);
    turn++;
    at = turn & 2 ? 1 - at : at;
    pthread_mutex_unlock(&locks[at]); //~ VIOLATION: mutex-misuse
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
