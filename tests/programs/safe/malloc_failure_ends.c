// A program that only says so and ends when an allocation fails is right if none does.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static void die(const char *what) {
    perror(what);
    exit(1);
}

int main(void) {
    int *p = malloc(sizeof *p);
    if (!p)
        die("malloc");
    int *q = malloc(sizeof *q);
    if (q == NULL) {
        free(p);
        return 1;
    }
    *p = *q = 1;
    assert(*p == *q);
    free(p);
    free(q);
    return 0;
}
