// What a program asks about itself.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

int main(void) {
    cpu_set_t set;
    pthread_mutexattr_t kind;
    int found;
    assert(getpid() > 0 && getpid() != getppid() && sysconf(_SC_NPROCESSORS_ONLN) >= 1);
    assert(sysconf(_SC_PAGESIZE) == getpagesize() && !strcmp(strerror(EINVAL), "Invalid argument"));
    assert(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) >= 1);
    CPU_ZERO(&set);
    assert(sched_setaffinity(0, sizeof set, &set) == -1 && errno == EINVAL);
    CPU_SET(0, &set);
    assert(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0);
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    assert(pthread_mutexattr_gettype(&kind, &found) == 0 && found == PTHREAD_MUTEX_RECURSIVE);
    assert(ffs(0) == 0 && ffs(12) == 3 && ffsl(1L << 40) == 41);
    assert(fma(2, 3, 4) == 10 && atan2(0, 1) == 0 && cbrt(27) == 3 && exp2(5) == 32);
    return 0;
}
