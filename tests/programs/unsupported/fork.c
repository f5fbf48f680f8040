// Processes are not threads.
#include <unistd.h>

int main(void) {
    return fork() == 0; //~ UNSUPPORTED: fork
}
