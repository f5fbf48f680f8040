// As cleanup_order.c, in C whose functions can be left by exceptions: the handlers are objects that
// are cleaned up.
//@ cflags: -fexceptions
#include <assert.h>
#include <pthread.h>

static int trail;
static pthread_key_t key;

static void add(void *digit) {
    trail = trail * 10 + *(int *)digit;
}

static void inner(int leaves) {
    int three = 3, four = 4;
    pthread_cleanup_push(add, &four);
    pthread_cleanup_pop(0);
    pthread_cleanup_push(add, &three);
    if (leaves) pthread_exit("left");
    pthread_cleanup_pop(1);
}

static void *work(void *leaves) {
    int one = 1, two = 2;
    static int nine = 9;
    pthread_setspecific(key, &nine);
    pthread_cleanup_push(add, &one);
    pthread_cleanup_push(add, &two);
    inner(leaves != 0);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(1);
    return "returned";
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_key_create(&key, add);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &result);
    assert(trail == 319 && *(char *)result == 'r');
    trail = 0;
    pthread_create(&thread, 0, work, &trail);
    pthread_join(thread, &result);
    assert(trail == 3219 && *(char *)result == 'l');
}
