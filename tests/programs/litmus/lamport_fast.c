// Lamport's fast mutex for two threads. TSO needs fences between x and y (A)
// and between y and x (B); PSO also needs the work before y is given back (D).
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: VOLATILE
//@ variant[tso,pso]: B=full C=full D=full
//@ variant[tso,pso]: A=full C=full D=full
//@ variant[pso]: A=full B=full C=full
//@ variant: A=full B=full C=full D=full
//@ variant: SEQCST
//@ fences: A B C D
//@ enough[tso]: A B
//@ enough[pso]: A B D
#include "litmus.h"

static shared b[3], x, y;
static int counter;

static void work(int me) {
    for (;;) {
        W(b[me], 1);
        W(x, me);
        A;
        if (R(y)) {
            W(b[me], 0);
            while (R(y))
                ;
            continue;
        }
        W(y, me);
        B;
        if (R(x) == me)
            break;
        W(b[me], 0);
        C;
        while (R(b[3 - me]))
            ;
        if (R(y) == me)
            break;
        while (R(y))
            ;
    }
    counter++;
    D;
    W(y, 0);
    W(b[me], 0);
}

thread(p0, work(1))
thread(p1, work(2))

litmus2(counter != 2)  //~ VIOLATION: assertion
