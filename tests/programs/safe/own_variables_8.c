// Threads that share nothing: every interleaving is the same one.
//@ algorithms: dpor optimal
//@ executions[dpor,sc]: 1
//@ executions[optimal,sc]: 1
#define THREADS 8
#include "own_variables.h"
