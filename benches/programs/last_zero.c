// Last zero with N writers.
#define WRITERS N
#include "../../tests/programs/safe/last_zero.h"
