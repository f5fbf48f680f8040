//@ algorithms: optimal
//@ executions[optimal,sc]: 4096
#define THREADS 15
#include "indexer.h"
