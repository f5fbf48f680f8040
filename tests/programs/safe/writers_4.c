// n threads write one variable once each: n! executions.
//@ algorithms: dpor optimal
//@ executions[optimal,sc]: 24
#define THREADS 4
#include "writers.h"
