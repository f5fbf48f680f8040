// strtok keeps where it is for all threads; strtok_r does not (safe/strtok_r.c).
//@ algorithms: dpor optimal
//@ lazy: unknown  what strtok keeps may lead anywhere
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *work(void *text) {
    int words = 0;
    for (char *word = strtok(text, " "); word; word = strtok(0, " ")) words++;
    return (void *)(long)words;
}

int main(void) {
    static char first[] = "a b", second[] = "c d";
    pthread_t thread;
    void *words;
    pthread_create(&thread, 0, work, first);
    assert(work(second) == (void *)2); //~ VIOLATION: assertion
    pthread_join(thread, &words);
    return 0;
}
