// Lamport's bakery for two threads. TSO needs a fence before a thread looks at
// the other's number (A), and its number in memory before it looks at the other's
// door (B or C). PSO needs the number in memory before the door is closed (B), and
// the work before the number is given back (D).
//@ models: sc tso pso
//@ algorithms: optimal
//@ variant[tso,pso]: VOLATILE
//@ variant[tso,pso]: RELACQ
//@ variant: SEQCST
//@ variant[tso,pso]: B=full C=full D=full
//@ variant[pso]: A=full C=full D=full
//@ variant[tso,pso]: A=full B=release D=full
//@ variant: A=full B=full D=full
//@ variant[pso]: A=full B=full C=full
//@ variant: A=full B=full C=full D=full
//@ variant: A=full B=release C=full D=release
//@ fences: A B C D
//@ enough[tso]: A B
//@ enough[tso]: A C
//@ enough[pso]: A B D
#include "litmus.h"

static shared choosing[2], number[2];
static int counter;

static void work(int me) {
    int other = 1 - me, mine, theirs;
    W(choosing[me], 1);
    A;
    mine = R(number[other]) + 1;
    W(number[me], mine);
    B;
    W(choosing[me], 0);
    C;
    while (R(choosing[other]))
        ;
    do
        theirs = R(number[other]);
    while (theirs && (theirs < mine || (theirs == mine && other < me)));
    counter++;
    D;
    W(number[me], 0);
}

thread(p0, work(0))
thread(p1, work(1))

litmus2(counter != 2)  //~ VIOLATION: assertion
