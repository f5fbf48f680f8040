// A thread lends a variable of a function, which may return before the borrower has
// looked at it.
#include <assert.h>
#include <pthread.h>

static int *lent;
static int done;

static void lend(void) {
    int mine = 1;
    lent = &mine;
}

static void *lender(void *arg) {
    lend();
    done = 1;
    return arg;
}

static void *borrower(void *arg) {
    int *seen = lent;
    if (seen) assert(*seen == 1);
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, lender, 0);
    pthread_create(&two, 0, borrower, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
