// n writers and a reader: (n + 3) · 2^(n - 2) executions.
//@ algorithms: dpor optimal
//@ executions[optimal,sc]: 64
#define WRITERS 5
#include "last_zero.h"
