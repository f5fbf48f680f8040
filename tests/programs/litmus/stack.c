// A bounded stack behind a spin lock that is given back with a store: PSO needs
// the stack in memory before that (A).
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[pso]: VOLATILE
//@ variant: RELACQ
//@ variant: SEQCST
//@ variant: A=full
//@ variant: A=release
#include "litmus.h"

static shared locked;
static int stack[2], top;

static void lock(void) {
    while (__atomic_exchange_n((int *)&locked, 1, __ATOMIC_ACQUIRE))
        ;
}

static void unlock(void) {
    A;
    W(locked, 0);
}

static void push(int value) {
    lock();
    stack[top++] = value;
    unlock();
}

static int pop(void) {
    int value = -1;
    lock();
    if (top)
        value = stack[--top];
    unlock();
    return value;
}

thread(p0, push(1); push(2))
thread(p1, r = pop())

litmus2(r1 == 0)  //~ VIOLATION: assertion
