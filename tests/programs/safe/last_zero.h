// The reader looks for the last zero while writers fill the array (lastzero of
// Abdulla, Aronis, Jonsson and Sagonas, POPL 2014).
#include <assert.h>
#include <pthread.h>

static int a[WRITERS + 1];

static void *reader(void *arg) {
    (void)arg;
    int i = WRITERS;
    while (a[i] != 0)
        i--;
    assert(i >= 0);
    return 0;
}

static void *writer(void *arg) {
    long j = (long)arg;
    a[j] = a[j - 1] + 1;
    return 0;
}

int main(void) {
    pthread_t threads[WRITERS + 1];
    pthread_create(&threads[0], 0, reader, 0);
    for (long j = 1; j <= WRITERS; j++)
        pthread_create(&threads[j], 0, writer, (void *)j);
    for (int j = 0; j <= WRITERS; j++)
        pthread_join(threads[j], 0);
    return 0;
}
