// Nobody has filled the buffer if the other thread comes first.
#include <pthread.h>
#include <setjmp.h>

static struct {
    int is_there;
    jmp_buf where;
} handler;

static void *work(void *is_there) {
    if (setjmp(handler.where) == 0 && *(int *)is_there)
        longjmp(handler.where, 1);
    return 0;
}

int main(void) {
    longjmp(handler.where, 1); //~ VIOLATION: out-of-bounds
}
