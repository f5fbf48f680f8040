// Threads that share nothing: every interleaving is the same one.
//@ executions[dpor,sc]: 1
//@ executions[optimal,sc]: 1
#define THREADS 3
#include "own_variables.h"
