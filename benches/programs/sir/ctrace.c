// A library for traces: per unit a level, a switch and a count of what is open decide whether
// something is written (twelve words in all); where it goes, how much there is and who wrote it
// last (seven words) decide nothing. One thread traces, the other opens and closes units.
// Is something written to a unit that is closed?
#include <assert.h>
#include <pthread.h>
#define UNITS 4
static int level[UNITS] = {1, 1, 1, 1}, on[UNITS], users[UNITS];
static int position, lines, bytes, writer, stamp, lost, total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *trace(void *p) {
    for (int i = 0; i < N; i++) {
        int unit = i % UNITS;
        pthread_mutex_lock(&lock);
        int open = on[unit] && level[unit] > 0;
        if (open) users[unit] += 1;
        pthread_mutex_unlock(&lock);
        if (!open) {
            lost += 1;
            continue;
        }
        position += 8;
        bytes += 8;
        lines += 1;
        writer = 1;
        stamp = position;
        assert(on[unit]);
        pthread_mutex_lock(&lock);
        users[unit] -= 1;
        pthread_mutex_unlock(&lock);
        total += 1;
    }
    return p;
}

static void *administer(void *p) {
    for (int i = 0; i < N; i++) {
        int unit = i % UNITS;
        pthread_mutex_lock(&lock);
        on[unit] = 1;
        pthread_mutex_unlock(&lock);
        stamp = i;
        writer = 2;
        total += 1;
        position = 0;
        pthread_mutex_lock(&lock);
#ifndef BROKEN
        if (users[unit] == 0)
#endif
            on[unit] = 0;
        pthread_mutex_unlock(&lock);
        lost = 0;
        bytes = 0;
    }
    return p;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, trace, 0);
    pthread_create(&t, 0, administer, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
