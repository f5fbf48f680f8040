// What prints, and what it returns. Streams are values.
#define _GNU_SOURCE
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *log_to;

static int say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int count = vfprintf(log_to, format, list);
    va_end(list);
    return count;
}

static char *make(const char *format, ...) {
    char *text = 0;
    va_list list;
    va_start(list, format);
    assert(vasprintf(&text, format, list) == (int)strlen(text));
    va_end(list);
    return text;
}

int main(void) {
    char buffer[16];
    int counted;
    log_to = stderr;
    assert(log_to != stdout && stdin != stdout);
    setvbuf(stdout, 0, _IOLBF, 0);
    assert(say("%s: %d%n\n", "value", -12, &counted) == 11 && counted == 10);
    assert(printf("%c%%\n", 'x') == 3);
    assert(fprintf(stdout, "%5.1f|%-4s|%p\n", 2.25, "ab", (void *)0) == 17);
    assert(dprintf(2, "%zu\n", sizeof buffer) == 3);
    assert(puts("text") >= 0 && fputs("text", log_to) >= 0);
    assert(putchar(200) == 200 && fputc('a', stdout) == 'a' && putc('b', stderr) == 'b');
    assert(fwrite("abcd", 2, 2, stdout) == 2);
    assert(snprintf(buffer, 4, "%d", 123456) == 6 && !strcmp(buffer, "123"));
    assert(snprintf(0, 0, "%s", "abc") == 3);
    assert(sprintf(buffer, "%.*s|%*d", 2, "xyz", -3, 7) == 6 && !strcmp(buffer, "xy|7  "));
    char *text = make("%s %d %s", "a longer text than the first block", 42, "and more");
    assert(!strcmp(text, "a longer text than the first block 42 and more"));
    free(text);
    int (*print)(const char *, ...) = printf;
    assert(print("%s", (char *)0) == 6);
    perror("no error");
    return fflush(0) + fflush(stdout);
}
