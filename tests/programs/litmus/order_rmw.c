// A read-modify-write or an exchange, successful or not, of whatever order,
// drains the store buffer and acts on memory.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: A=none
//@ variant: A=add
//@ variant: A=swap
//@ variant: A=succeeds
//@ variant: A=cas_fails
#include "litmus.h"

static atomic_int word;
static int expected;
#define add atomic_fetch_add_explicit(&word, 1, memory_order_relaxed)
#define swap atomic_exchange_explicit(&word, 1, memory_order_relaxed)
#define cas(e)                                                                 \
    expected = e, atomic_compare_exchange_strong_explicit(                     \
        &word, &expected, 1, memory_order_relaxed, memory_order_relaxed)
#define succeeds cas(0)
#define cas_fails cas(7)

static shared x, y;

thread(p0, W(x, 1); A; r = R(y))
thread(p1, W(y, 1); full; r = R(x))

litmus2(r0 == 0 && r1 == 0)  //~ VIOLATION: assertion
