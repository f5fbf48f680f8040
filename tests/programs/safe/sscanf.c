// Numbers and words out of a string.
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    int number, count, end;
    unsigned char small;
    char word[8];
    count = sscanf("x=12, name 0xff!", "x=%d, %7s %hhx%n", &number, word, &small, &end);
    assert(count == 3 && number == 12 && !strcmp(word, "name") && small == 255 && end == 15);
    assert(sscanf("abc1", "%*[a-c]%i", &number) == 1 && number == 1);
    assert(sscanf("", "%d", &number) == -1 && sscanf("z", "%d", &number) == 0);
    return 0;
}
