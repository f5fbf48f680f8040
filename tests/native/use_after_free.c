// A thread frees what another one is about to look at. The block is marked first, so
// that a native run notices.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct box {
    int alive;
};

static struct box *box;

static void *owner(void *arg) {
    (void)arg;
    struct box *mine = box;
    box = 0;
    mine->alive = 0;
    free(mine);
    return 0;
}

static void *user(void *arg) {
    (void)arg;
    struct box *seen = box;
    if (seen) assert(seen->alive);
    return 0;
}

int main(void) {
    box = malloc(sizeof *box);
    if (!box) return 1;
    box->alive = 1;
    pthread_t a, b;
    pthread_create(&a, 0, owner, 0);
    pthread_create(&b, 0, user, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
