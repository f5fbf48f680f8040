// What is printed or printed to is read and written like anything else.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *text = malloc(4);
    if (!text) return 0;
    sprintf(text, "%d", 12345); //~ VIOLATION: out-of-bounds
    return 0;
}
