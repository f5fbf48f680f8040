// A string longer than its buffer.
#include <string.h>

int main(void) {
    char name[6];
    strcpy(name, "heddle"); //~ VIOLATION: out-of-bounds
    return name[0];
}
