// The variables of main are gone when it returns.
//@ args: --check leak
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = strdup("text"); //~ VIOLATION: memory-leak
    return text[0] != 't';
}
