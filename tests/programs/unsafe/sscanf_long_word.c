// The word does not fit, since no width is given.
#include <stdio.h>

static char word[4];

int main(void) {
    return sscanf("four!", "%s", word); //~ VIOLATION: out-of-bounds
}
