// One thread allocates, another one writes if it finds the block; the result is read at
// the end.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Not static, or compilers see that nobody needs the block and leave it out.
char *text;

static void *allocate(void *arg) {
    text = calloc(1, sizeof "Bigshot");
    return arg;
}

static void *write_it(void *arg) {
    if (text) strcpy(text, "Bigshot");
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, allocate, 0);
    pthread_create(&b, 0, write_it, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (text) assert(text[0] == 0 || text[0] == 'B');
    return 0;
}
