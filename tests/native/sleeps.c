// Says that it runs, then sleeps for longer than anybody waits.
#include <stdio.h>
#include <unistd.h>

int main(void) {
    puts("runs");
    fflush(0);
    sleep(600);
    return 0;
}
