// What was registered runs when exit is called, the last one first.
#include <assert.h>
#include <stdlib.h>

static int calls;

static void last(void) { assert(calls == 0); } //~ VIOLATION: assertion
static void first(void) { calls++; }

int main(void) {
    atexit(last);
    atexit(first);
    exit(0);
}
