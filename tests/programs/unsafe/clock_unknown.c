// A clock that is none, a time that is none: these calls fail, and change nothing.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

int main(void) {
    struct timespec time = {7, 1};
    assert(clock_gettime(999, &time) == -1 && errno == EINVAL && time.tv_sec == 7);
    assert(clock_getres(999, &time) == -1 && clock_getres(CLOCK_REALTIME, &time) == 0);
    struct timespec late = {0, 1000000000};
    assert(nanosleep(&late, 0) == -1 && clock_nanosleep(CLOCK_REALTIME, 0, &late, 0) == EINVAL);
    assert(timespec_get(&time, 0) == 0);
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&mutex);
    assert(pthread_cond_timedwait(&condition, &mutex, &late) == EINVAL);
    pthread_mutex_unlock(&mutex);
    assert(clock_gettime(999, &time) == 0); //~ VIOLATION: assertion
    return 0;
}
