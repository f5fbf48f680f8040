// Dates and times of day, each thread with a buffer of its own.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static void *work(void *arg) {
    time_t when = *(time_t *)arg;
    struct tm date;
    char text[32];
    assert(gmtime_r(&when, &date) == &date);
    assert(timegm(&date) == when);
    assert(strftime(text, sizeof text, "%F %T", &date) == 19);
    assert(strcmp(text, when == 0 ? "1970-01-01 00:00:00" : "2024-02-29 23:59:59") == 0);
    return 0;
}

int main(void) {
    time_t first = 0, second = 1709251199;
    pthread_t a, b;
    pthread_create(&a, 0, work, &first);
    pthread_create(&b, 0, work, &second);
    pthread_join(a, 0);
    pthread_join(b, 0);

    char text[64];
    assert(strcmp(ctime_r(&second, text), "Thu Feb 29 23:59:59 2024\n") == 0);
    struct tm date = {.tm_year = 123, .tm_mon = 13, .tm_mday = 29, .tm_sec = 86399};
    assert(mktime(&date) == second && date.tm_mon == 1 && date.tm_wday == 4 && date.tm_yday == 59);
    assert(strftime(text, sizeof text, "%A %d %B, week %V; %I %p", &date) == 36);
    assert(strcmp(text, "Thursday 29 February, week 09; 11 PM") == 0);
    assert(strftime(text, 4, "%Y", &date) == 0);
    long far = 0x7fffffffffffffff;
    errno = 0;
    assert(gmtime(&far) == 0 && errno == EOVERFLOW);
    return 0;
}
