// Functions that are inline in the sense of C99: no file defines them.
#include <assert.h>
#include <string.h>

int count;
static int bumps;

// Not inline: the one that there is.
void bump(void) { bumps++; }

inline int twice(int x) { return 2 * x; }

inline int four_times(int x) {
    char text[] = "abc";
    count++;
    bump();
    return twice(twice(x)) + (int)strlen(text) - 3;
}

int main(void) {
    assert(four_times(3) == 12 && count == 1 && bumps == 1);
    return 0;
}
