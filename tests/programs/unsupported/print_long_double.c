// A format that asks for more than is modelled.
#include <stdio.h>
#include <wchar.h>

int main(void) {
    printf("%Lf", 1.0L); //~ UNSUPPORTED: long double
    return 0;
}
