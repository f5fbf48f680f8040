// Lines that are typed are inputs.
//@ verdict: bounded
//@ algorithms: optimal
//@ lazy: skip  inputs of two characters
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[8];
    if (fgets(line, sizeof line, stdin)) assert(strlen(line) < 4);
}
