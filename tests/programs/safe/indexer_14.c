//@ algorithms: optimal
//@ executions[optimal,sc]: 512
#define THREADS 14
#include "indexer.h"
