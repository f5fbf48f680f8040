// What is printed or printed to is read and written like anything else.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *text = malloc(4);
    if (!text) return 0;
    puts((char *)0); //~ VIOLATION: null-dereference
    return 0;
}
