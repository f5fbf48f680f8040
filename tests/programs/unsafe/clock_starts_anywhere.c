// Nothing says that the clock begins early.
#include <assert.h>
#include <time.h>

int main(void) {
    assert(time(0) < 1000); //~ VIOLATION: assertion
    return 0;
}
