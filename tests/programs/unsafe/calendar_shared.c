// gmtime() gives every thread the same structure.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *work(void *arg) {
    time_t when = *(time_t *)arg;
    struct tm *date = gmtime(&when);
    assert(date->tm_year == (when == 0 ? 70 : 124)); //~ VIOLATION: assertion
    return 0;
}

int main(void) {
    time_t first = 0, second = 1709251199;
    pthread_t a, b;
    pthread_create(&a, 0, work, &first);
    pthread_create(&b, 0, work, &second);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
