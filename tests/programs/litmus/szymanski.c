// Szymanski's algorithm for two threads: one variable a thread, so all that PSO
// adds is the work (E) that must be in memory before the exit. With A and without
// B both may see the other as it was before the door, and wait for each other.
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: VOLATILE
//@ variant[tso,pso]: RELACQ
//@ variant: SEQCST
//@ variant[pso]: A=full B=full C=full D=full
//@ variant: A=full B=full C=full D=full E=full
//@ variant: A=full B=full C=full D=full E=release
//@ fences: A B C D E
//@ enough[tso]: A B
//@ enough[pso]: A B E
#include "litmus.h"

enum { OUTSIDE, WANTS, WAITS, AT_DOOR, INSIDE };

static shared flag[2];
static int counter;

static void work(int me) {
    int other = 1 - me, seen;
    W(flag[me], WANTS);
    A;
    while (R(flag[other]) >= AT_DOOR)
        ;
    W(flag[me], AT_DOOR);
    B;
    if (R(flag[other]) == WANTS) {
        W(flag[me], WAITS);
        C;
        while (R(flag[other]) != INSIDE)  //~ VIOLATION: deadlock
            ;
    }
    W(flag[me], INSIDE);
    D;
    if (me == 1)
        while (R(flag[0]) >= WAITS)
            ;
    counter++;
    E;
    if (me == 0)
        do
            seen = R(flag[1]);
        while (seen == WAITS || seen == AT_DOOR);
    W(flag[me], OUTSIDE);
}

thread(p0, work(0))
thread(p1, work(1))

litmus2(counter != 2)  //~ VIOLATION: assertion
