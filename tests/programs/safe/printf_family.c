// The printf family, with every common conversion.
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char text[64];
    int n = snprintf(text, sizeof text, "%d %u %x %c %s %%", -5, 7u, 255, 'z', "word");
    assert(n == (int)strlen(text));
    assert(strcmp(text, "-5 7 ff z word %") == 0);
    assert(sprintf(text, "[%5d|%-5d|%05d|%+d]", 42, 42, 42, 42) == 23);
    assert(strcmp(text, "[   42|42   |00042|+42]") == 0);
    sprintf(text, "%ld %lld %zu %.2f", 1L << 40, -1LL, sizeof text, 1.5);
    assert(strcmp(text, "1099511627776 -1 64 1.50") == 0);
    assert(snprintf(text, 4, "abcdef") == 6);
    assert(strcmp(text, "abc") == 0);
    printf("%s\n", text);
    puts("done");
    return 0;
}
