//@ algorithms: dpor optimal
//@ executions[optimal,sc]: 64
#define THREADS 13
#include "indexer.h"
