// What is printed or printed to is read and written like anything else.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *text = malloc(4);
    if (!text) return 0;
    text[0] = text[1] = text[2] = text[3] = 'x';
    printf("%s\n", text); //~ VIOLATION: out-of-bounds
    return 0;
}
