// n writers and a reader: (n + 3) · 2^(n - 2) executions.
//@ algorithms: dpor optimal
//@ executions[optimal,sc]: 28
#define WRITERS 4
#include "last_zero.h"
