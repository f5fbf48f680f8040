// The usual shape of reach_error: defined in the program itself.
extern void abort(void);
#include <assert.h>
void reach_error(void) { assert(0); } //~ VIOLATION: assertion

static void check(int condition) {
    if (!condition) {
    ERROR:
        reach_error(); //~ VIOLATION: assertion
        abort();
    }
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += i;
    check(sum != 3);
    return 0;
}
