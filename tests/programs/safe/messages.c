// Messages about errors, and an end of the program by one.
#define _GNU_SOURCE
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

static int checked;

static void *work(void *arg) {
    (void)arg;
    errno = ENOENT;
    warn("%s", "file");
    warnx("number %d", 7);
    error(0, EINVAL, "argument %d", 1);
    openlog("program", 0, LOG_USER);
    syslog(LOG_ERR, "value %d", 3);
    closelog();
    checked = 1;
    return 0;
}

static void at_end(void) {
    assert(checked);
}

int main(void) {
    pthread_t a;
    char text[32];
    assert(strcmp(strerror_r(EINVAL, text, sizeof text), "Invalid argument") == 0);
    atexit(at_end);
    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    errx(0, "the end");
    assert(0);
}
