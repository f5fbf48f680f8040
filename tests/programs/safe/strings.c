// string.h and ctype.h do what the standard says.
#include <assert.h>
#include <ctype.h>
#include <string.h>

int main(void) {
    char a[16], b[16];
    memset(a, 'x', sizeof a);
    strcpy(a, "hedd");
    strcat(a, "le");
    assert(strlen(a) == 6 && strcmp(a, "heddle") == 0);
    memcpy(b, a, 7);
    assert(memcmp(a, b, 7) == 0);
    memmove(b + 1, b, 6);
    assert(strncmp(b, "hheddle", 7) == 0);
    assert(strchr(a, 'd') == a + 2 && strrchr(a, 'd') == a + 3);
    assert(strchr(a, 'z') == 0);
    assert(strncmp("abc", "abd", 2) == 0 && strcmp("abc", "abd") < 0);
    assert(isdigit('7') && !isdigit('x') && isalpha('x') && isspace(' '));
    assert(toupper('a') == 'A' && tolower('Q') == 'q');
    return 0;
}
