// strtol and its kin at their limits: results, errno, and where they stop.
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

int main(void) {
    char *end;
    const char *text = "9223372036854775808z";
    errno = 0;
    assert(strtoll(text, &end, 10) == LLONG_MAX && errno == ERANGE && end == text + 19);
    errno = 0;
    assert(strtoll("-9223372036854775808", &end, 10) == LLONG_MIN && errno == 0 && *end == 0);
    assert(strtoll("-9223372036854775809", &end, 10) == LLONG_MIN && errno == ERANGE);
    errno = 0;
    assert(strtoull("18446744073709551615", &end, 10) == ULLONG_MAX && errno == 0);
    assert(strtoull("18446744073709551616", &end, 10) == ULLONG_MAX && errno == ERANGE);
    errno = 0;
    assert(strtoull("-18446744073709551615", &end, 10) == 1 && errno == 0);
    assert(strtoull("-18446744073709551616", &end, 10) == ULLONG_MAX && errno == ERANGE);

    errno = 0;
    end = (char *)text;
    assert(strtol("12", &end, 1) == 0 && errno == EINVAL && end == text);
    errno = 0;
    assert(strtol("12", &end, 37) == 0 && errno == EINVAL && end == text);
    errno = 0;
    text = "  +";
    assert(strtol(text, &end, 10) == 0 && errno == 0 && end == text);
    text = "\t\n -0Xg";
    assert(strtol(text, &end, 16) == 0 && end == text + 5);
    text = "0779";
    assert(strtol(text, &end, 0) == 077 && end == text + 3);
    text = "zZ!";
    assert(strtol(text, &end, 36) == 35 * 36 + 35 && end == text + 2);
    return 0;
}
