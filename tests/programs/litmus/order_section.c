// An SV-COMP atomic section drains the store buffer when it begins, and its
// stores are in memory when it ends.
//@ models: sc tso pso
//@ algorithms: naive optimal
//@ variant[tso,pso]: PLAIN
//@ variant: BEFORE
//@ variant: WITHIN
#include "litmus.h"

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static shared x, y;

#ifdef BEFORE
#define section(store) store; __VERIFIER_atomic_begin(); __VERIFIER_atomic_end()
#elif defined WITHIN
#define section(store) __VERIFIER_atomic_begin(); store; __VERIFIER_atomic_end()
#else
#define section(store) store
#endif

thread(p0, section(W(x, 1)); r = R(y))
thread(p1, section(W(y, 1)); r = R(x))

litmus2(r0 == 0 && r1 == 0)  //~ VIOLATION: assertion
