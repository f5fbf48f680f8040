// A release store keeps earlier stores before it, not later ones behind it; a
// release fence keeps all earlier stores before all later ones.
//@ models: sc tso pso
//@ algorithms: naive optimal
//@ variant[pso]: STORE_FIRST
//@ variant[pso]: STORE_FIRST A=acquire
//@ variant: STORE_FIRST A=release
//@ variant: STORE_LAST
#include "litmus.h"

static atomic_int x, y;

#ifdef STORE_LAST
#define second memory_order_release
#define first memory_order_relaxed
#else
#define second memory_order_relaxed
#define first memory_order_release
#endif

thread(p0, atomic_store_explicit(&x, 1, first); A; atomic_store_explicit(&y, 1, second))
thread(p1, r = y; r = 10 * r + x)

litmus2(r1 == 10)  //~ VIOLATION: assertion
