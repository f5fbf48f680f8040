// An atomic access of 16 bytes drains the store buffer before it, as `lock cmpxchg16b` does;
// its own stores are in memory at once.
//@ models: sc tso pso
//@ algorithms: naive optimal
//@ variant[tso,pso]: PLAIN
//@ variant: BEFORE
//@ variant: WITHIN
#include "litmus.h"

typedef unsigned __int128 Wide;

static Wide other;

#ifdef BEFORE
static shared x, y;
#define store(variable) W(variable, 1); __atomic_load_n(&other, __ATOMIC_RELAXED)
#define load(variable) R(variable)
#elif defined WITHIN
static Wide x, y;
#define store(variable) __atomic_store_n(&variable, 1, __ATOMIC_RELAXED)
#define load(variable) (int)__atomic_load_n(&variable, __ATOMIC_RELAXED)
#else
static shared x, y;
#define store(variable) W(variable, 1)
#define load(variable) R(variable)
#endif

thread(p0, store(x); r = load(y))
thread(p1, store(y); r = load(x))

litmus2(r0 == 0 && r1 == 0)  //~ VIOLATION: assertion
