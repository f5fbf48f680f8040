// What is printed or printed to is read and written like anything else.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *text = malloc(4);
    if (!text) return 0;
    free(text);
    printf("%s", text); //~ VIOLATION: use-after-free
    return 0;
}
