// The first and the last thread meet three times: 2^3 orders.
//@ algorithms: dpor optimal
//@ executions[optimal,sc]: 8
#define THREADS 12
#include "indexer.h"
