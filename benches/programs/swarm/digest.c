// Two threads fold each other's digest into their own, N times each, without a lock. What comes
// out depends on every interleaving; with WANTED_I and WANTED_J the assertion fails only if they
// take turns at every fold. Hard for whoever goes through all states, and for formulas, since
// digests are mixed by multiplication; easy where threads are preempted at one place only.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 12
#endif

static unsigned i = 1, j = 1;

static unsigned mix(unsigned digest) {
    digest ^= digest >> 15;
    digest *= 0x2c1b3c6du;
    digest ^= digest >> 12;
    digest *= 0x297a2d39u;
    return digest ^ digest >> 15;
}

static void *fold_j(void *arg) {
    for (int k = 0; k < N; k++)
        i = mix(i + j);
    return arg;
}

static void *fold_i(void *arg) {
    for (int k = 0; k < N; k++)
        j = mix(j + i);
    return arg;
}

int main(void) {
    pthread_t a, b;
#ifdef PRINT
    // What the assertion is to look for.
    int printf(const char *, ...);
    for (int k = 0; k < N; k++) {
        i = mix(i + j);
        j = mix(j + i);
    }
    printf("-DWANTED_I=%uu -DWANTED_J=%uu\n", i, j);
    return 0;
#endif
    pthread_create(&a, 0, fold_j, 0);
    pthread_create(&b, 0, fold_i, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef WANTED_I
    assert(i != WANTED_I || j != WANTED_J);
#endif
    return 0;
}
