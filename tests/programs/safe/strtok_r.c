// Each thread knows where it is.
//@ algorithms: dpor optimal
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *work(void *text) {
    char *rest;
    long words = 0;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(0, " ", &rest)) words++;
    return (void *)words;
}

int main(void) {
    static char first[] = "a b", second[] = " c  d ";
    pthread_t thread;
    void *words;
    pthread_create(&thread, 0, work, first);
    assert(work(second) == (void *)2);
    pthread_join(thread, &words);
    assert(words == (void *)2);
    return 0;
}
