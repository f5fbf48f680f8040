// Peterson's algorithm. TSO needs a fence at B, before a thread looks at the
// other's flag. PSO needs the flag in memory before the turn (A) and the work
// before the flag is taken back (C).
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: VOLATILE
//@ variant[tso,pso]: RELACQ
//@ variant: SEQCST
//@ variant[tso,pso]: A=full C=full
//@ variant[pso]: B=full
//@ variant[pso]: A=full B=full
//@ variant[pso]: B=full C=full
//@ variant: A=full B=full C=full
//@ variant: A=release B=full C=release
//@ fences: A B C
//@ enough[tso]: B
//@ enough[pso]: A B C
#include "litmus.h"

static shared wants[2], turn;
static int counter;

static void work(int me) {
    int other = 1 - me;
    W(wants[me], 1);
    A;
    W(turn, other);
    B;
    while (R(wants[other]) && R(turn) == other)
        ;
    counter++;
    C;
    W(wants[me], 0);
}

thread(p0, work(0))
thread(p1, work(1))

litmus2(counter != 2)  //~ VIOLATION: assertion
