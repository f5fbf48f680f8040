// Files live in memory: what one thread writes, another reads.
//@ verdict: bounded
//@ lazy: skip  formulas of what is read back from files do not replay
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *work(void *unused) {
    FILE *log = fopen("log", "w");
    fprintf(log, "%s %d\n", "items", 42);
    fputs("second\n", log);
    fclose(log);
    return unused;
}

int main(void) {
    assert(fopen("log", "r") == NULL && errno == ENOENT);
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    FILE *log = fopen("log", "r");
    char word[8], line[16];
    int count;
    assert(fscanf(log, "%7s %d\n", word, &count) == 2 && count == 42 && strcmp(word, "items") == 0);
    assert(fgets(line, sizeof line, log) && strcmp(line, "second\n") == 0);
    assert(fgetc(log) == EOF && feof(log));
    rewind(log);
    assert(fseek(log, 2, SEEK_SET) == 0 && fgetc(log) == 'e' && ftell(log) == 3);
    fclose(log);
    int number = open("log", O_RDONLY);
    char byte;
    assert(number > 2 && read(number, &byte, 1) == 1 && byte == 'i' && write(number, "x", 1) == -1);
    assert(close(number) == 0 && close(number) == -1 && unlink("log") == 0);
    assert(access("log", F_OK) == -1);
}
