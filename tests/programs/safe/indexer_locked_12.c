// One execution: the lock is around what does not matter.
//@ algorithms: guided
//@ args: --check assert,memory
//@ executions[guided,sc]: 1
#define THREADS 12
#include "indexer_locked.h"
