// Neither is what comes out when an address is hashed.
//@ verdict: bounded
//@ lazy: bounded  addresses as modelled
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    if (!p)
        exit(1);
    assert(((uintptr_t)p >> 4) % 7 < 7);
    free(p);
    return 0;
}
