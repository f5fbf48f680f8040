// The flag goes up before the object is complete.
#include <assert.h>
#include <pthread.h>

struct settings {
    int level;
};

static struct settings storage;
static struct settings *settings;

static void *init(void *arg) {
    (void)arg;
    if (!settings) {
        settings = &storage;
        settings->level = 3;
    }
    return 0;
}

static void *use(void *arg) {
    (void)arg;
    struct settings *mine = settings;
    if (mine)
        assert(mine->level == 3); //~ VIOLATION: assertion
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, init, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
