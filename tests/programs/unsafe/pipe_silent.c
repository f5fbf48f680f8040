// Nobody writes to the pipe that main reads from.
#include <unistd.h>

int main(void) {
    int ends[2];
    char byte;
    pipe(ends);
    read(ends[0], &byte, 1); //~ VIOLATION: deadlock
}
