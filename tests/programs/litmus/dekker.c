// Dekker's algorithm; the first thread goes in twice. TSO needs a fence after
// each store that says a thread wants to go in (A, and B after giving way). PSO
// also needs the work and the turn in memory before the flag is taken back (C):
// else an increment is lost, or the other's later turn is overwritten and a thread
// waits for ever.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: VOLATILE
//@ variant[tso,pso]: RELACQ
//@ variant: SEQCST
//@ variant[tso,pso]: B=full C=full
//@ variant[tso,pso]: A=full C=full
//@ variant[pso]: A=full B=full
//@ variant: A=full B=full C=full
//@ variant: A=full B=full C=release
//@ fences: A B C
//@ enough[tso]: A B
//@ enough[pso]: A B C
#include "litmus.h"

static shared wants[2], turn;
static int counter;

static void work(int me) {
    int other = 1 - me;
    W(wants[me], 1);
    A;
    while (R(wants[other])) {
        if (R(turn) != me) {
            W(wants[me], 0);
            while (R(turn) != me)  //~ VIOLATION: deadlock
                ;
            W(wants[me], 1);
            B;
        }
    }
    counter++;
    W(turn, other);
    C;
    W(wants[me], 0);
}

thread(p0, work(0); work(0))
thread(p1, work(1))

litmus2(counter != 3)  //~ VIOLATION: assertion
