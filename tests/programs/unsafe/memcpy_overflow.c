// memcpy of more than there is room for.
#include <string.h>

static char to[4], from[16];

int main(void) {
    memcpy(to, from, sizeof from); //~ VIOLATION: out-of-bounds
    return to[0];
}
