// C11's threads, mutexes, condition variables and once flags.
//@ verdict: bounded
//@ lazy: bounded  one wake-up a thread
//@ models: sc tso
//@ cflags: -std=c11
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t own;
static int ready;

static void set_up(void) {
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    tss_create(&own, 0);
}

static int produce(void *arg) {
    call_once(&once, set_up);
    assert(tss_get(own) == 0);
    tss_set(own, arg);
    mtx_lock(&lock);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return tss_get(own) == arg ? -3 : 0;
}

int main(void) {
    thrd_t t;
    int result;
    assert(thrd_create(&t, produce, &ready) == thrd_success);
    call_once(&once, set_up);
    mtx_lock(&lock);
    while (!ready)
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    assert(thrd_join(t, &result) == thrd_success);
    assert(result == -3);
    assert(mtx_trylock(&lock) == thrd_success);
    assert(mtx_trylock(&lock) == thrd_busy);
    mtx_unlock(&lock);
    cnd_destroy(&changed);
    mtx_destroy(&lock);
    return 0;
}
