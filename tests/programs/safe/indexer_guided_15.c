// What is in the table does not matter to the assertion: one execution (Kusano and
// Wang, Figure 1). Whether the search for a free cell ends is not asked.
//@ algorithms: guided
//@ args: --check assert,memory
//@ executions[guided,sc]: 1
#define THREADS 15
#include "indexer.h"
