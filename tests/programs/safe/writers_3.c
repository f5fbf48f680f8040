// n threads write one variable once each: n! executions.
//@ executions[optimal,sc]: 6
#define THREADS 3
#include "writers.h"
