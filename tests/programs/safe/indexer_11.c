// Below 12 threads no two of them meet in the table.
//@ algorithms: dpor optimal
//@ executions[dpor,sc]: 1
//@ executions[optimal,sc]: 1
#define THREADS 11
#include "indexer.h"
