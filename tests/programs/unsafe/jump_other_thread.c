// A thread jumps into a function that another one runs, if it is there already.
#include <pthread.h>
#include <setjmp.h>

static jmp_buf where;
static int ready;

static void *work(void *unused) {
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        longjmp(where, 1); //~ VIOLATION: use-after-free
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    if (setjmp(where) == 0) __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    pthread_join(thread, 0);
}
