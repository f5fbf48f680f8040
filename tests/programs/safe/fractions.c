// Numbers with a fraction from text, rounded as IEEE 754 asks.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int main(void) {
    char *end;
    const char *text = " -12.5e1x";
    assert(strtod(text, &end) == -125 && *end == 'x');
    assert(atof("0.1") == 0.1 && strtof(".1", NULL) == 0.1f && atof("1e23") == 1e23);
    assert(strtod("none", &end) == 0 && *end == 'n' && strtod("2e", &end) == 2 && *end == 'e');
    double none = strtod("nan", NULL);
    assert(strtod("-inf", NULL) < -1e308 && none != none);
    errno = 0;
    assert(strtod("1e400", NULL) > 1e308 && errno == ERANGE);
}
