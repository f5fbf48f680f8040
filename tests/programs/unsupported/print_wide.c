// A format that asks for more than is modelled.
#include <stdio.h>
#include <wchar.h>

int main(void) {
    printf("%ls", L"x"); //~ UNSUPPORTED: printf of wide characters
    return 0;
}
