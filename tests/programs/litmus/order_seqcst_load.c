// A sequentially consistent load is a load: only the stores drain.
//@ models: sc tso pso
//@ algorithms: naive optimal
//@ variant[tso,pso]: BEFORE=memory_order_relaxed
//@ variant[tso,pso]: BEFORE=memory_order_release
//@ variant: BEFORE=memory_order_seq_cst
#include "litmus.h"

static atomic_int x, y;

thread(p0, atomic_store_explicit(&x, 1, BEFORE); r = atomic_load(&y))
thread(p1, atomic_store_explicit(&y, 1, BEFORE); r = atomic_load(&x))

litmus2(r0 == 0 && r1 == 0)  //~ VIOLATION: assertion
