// n threads write one variable once each: n! executions.
//@ algorithms: dpor optimal
//@ executions[optimal,sc]: 120
#define THREADS 5
#include "writers.h"
