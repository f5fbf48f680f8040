// The indexer with N threads.
#define THREADS N
#include "../../tests/programs/safe/indexer.h"
