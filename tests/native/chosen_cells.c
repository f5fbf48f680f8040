// Which cell is written depends on who was first. If it is the one that the reader looks
// at, the reader must see it.
#include <assert.h>
#include <pthread.h>

static int cell[2], pick, seen;

static void *chooser(void *arg) {
    pick = 1;
    return arg;
}

static void *writer(void *arg) {
    cell[pick] = 1;
    return arg;
}

static void *reader(void *arg) {
    seen = cell[1];
    return arg;
}

int main(void) {
    pthread_t one, two, three;
    pthread_create(&one, 0, chooser, 0);
    pthread_create(&two, 0, writer, 0);
    pthread_create(&three, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);
    assert(cell[1] == 0 || seen == 1);
    return 0;
}
