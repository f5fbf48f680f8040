// A format that asks for more than is modelled.
#include <stdio.h>
#include <wchar.h>

int main(void) {
    printf("%1$d", 1); //~ UNSUPPORTED: printf with arguments by position
    return 0;
}
