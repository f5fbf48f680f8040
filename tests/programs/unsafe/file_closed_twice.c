// A stream is gone once it is closed.
//@ models: sc
#include <stdio.h>

int main(void) {
    FILE *log = fopen("log", "w");
    fclose(log);
    fputs("late", log); //~ VIOLATION: use-after-free
}
