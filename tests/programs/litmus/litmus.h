// What litmus tests share.
//
// The macros choose the form of the accesses: PLAIN, VOLATILE, RELAXED, RELACQ
// (release stores, acquire loads) or SEQCST. The letters A to E stand for
// what is at a place between accesses: none, full, sync, mfence, release,
// acquire, acqrel, or rmw (of something no other thread uses).
// A thread gives its results back as decimal digits: r0 to r3 in `litmus…`.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#if defined RELAXED || defined RELACQ || defined SEQCST
typedef atomic_int shared;
#ifdef RELAXED
#define STORE memory_order_relaxed
#define LOAD memory_order_relaxed
#elif defined RELACQ
#define STORE memory_order_release
#define LOAD memory_order_acquire
#else
#define STORE memory_order_seq_cst
#define LOAD memory_order_seq_cst
#endif
#define W(x, v) atomic_store_explicit(&x, v, STORE)
#define R(x) atomic_load_explicit(&x, LOAD)
#else
#ifdef VOLATILE
typedef volatile int shared;
#else
typedef int shared;
#endif
#define W(x, v) x = v
#define R(x) x
#endif

#define none
#define full atomic_thread_fence(memory_order_seq_cst)
#define sync __sync_synchronize()
#define mfence __asm__ volatile("mfence" ::: "memory")
#define release atomic_thread_fence(memory_order_release)
#define acquire atomic_thread_fence(memory_order_acquire)
#define acqrel atomic_thread_fence(memory_order_acq_rel)
#define rmw __sync_fetch_and_add(&own[__COUNTER__], 1)
static int own[4] __attribute__((unused));

#ifndef A
#define A none
#endif
#ifndef B
#define B none
#endif
#ifndef C
#define C none
#endif
#ifndef D
#define D none
#endif
#ifndef E
#define E none
#endif

#define thread(name, body)                                                     \
    static void *name(void *arg) {                                             \
        long r = 0;                                                            \
        (void)arg;                                                             \
        body;                                                                  \
        return (void *)r;                                                      \
    }

// With OPEN every outcome passes, so that all executions are counted.
#ifdef OPEN
#define forbid(outcome) (void)(outcome)
#else
#define forbid(outcome) assert(!(outcome))
#endif

#define start(n) pthread_create(&t##n, 0, p##n, 0)
#define finish(n) pthread_join(t##n, (void **)&r##n)

#define litmus2(outcome)                                                       \
    int main(void) {                                                           \
        pthread_t t0, t1;                                                      \
        long r0, r1;                                                           \
        start(0), start(1);                                                    \
        finish(0), finish(1);                                                  \
        forbid(outcome);                                                       \
        return 0;                                                              \
    }

#define litmus3(outcome)                                                       \
    int main(void) {                                                           \
        pthread_t t0, t1, t2;                                                  \
        long r0, r1, r2;                                                       \
        start(0), start(1), start(2);                                          \
        finish(0), finish(1), finish(2);                                       \
        forbid(outcome);                                                       \
        return 0;                                                              \
    }

#define litmus4(outcome)                                                       \
    int main(void) {                                                           \
        pthread_t t0, t1, t2, t3;                                              \
        long r0, r1, r2, r3;                                                   \
        start(0), start(1), start(2), start(3);                                \
        finish(0), finish(1), finish(2), finish(3);                            \
        forbid(outcome);                                                       \
        return 0;                                                              \
    }
