// The reader needs what the writer writes. If it takes the mutex first, which it does
// unless the flag is set by then, it can't wait for that without blocking the writer.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int flag, other, data;

static void *setter(void *arg) {
    flag = 1;
    return arg;
}

static void *writer(void *arg) {
    pthread_mutex_lock(&mutex);
    data = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *reader(void *arg) {
    int locks = !flag;
    if (locks) pthread_mutex_lock(&mutex);
    else other = 1;
    assert(data == 1);
    if (locks) pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t one, two, three;
    pthread_create(&one, 0, setter, 0);
    pthread_create(&two, 0, writer, 0);
    pthread_create(&three, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);
    return 0;
}
