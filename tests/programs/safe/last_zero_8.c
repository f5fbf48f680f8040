// n writers and a reader: (n + 3) · 2^(n - 2) executions.
//@ algorithms: optimal
//@ executions[optimal,sc]: 704
#define WRITERS 8
#include "last_zero.h"
