// What a program asks about the system and its strings, beside threads.
#define _GNU_SOURCE
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

static int by_sign(const void *a, const void *b, void *data) {
    return (*(const int *)a - *(const int *)b) * *(int *)data;
}

static int same(const void *a, const void *b) {
    return *(const int *)a != *(const int *)b;
}

static void *work(void *arg) {
    int numbers[] = {2, 3, 1}, down = -1, wanted = 1;
    size_t count = 3;
    qsort_r(numbers, count, sizeof(int), by_sign, &down);
    assert(numbers[0] == 3 && numbers[2] == 1);
    assert(lfind(&wanted, numbers, &count, sizeof(int), same) == &numbers[2]);
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);

    char text[8] = "ab", bytes[4];
    assert(stpncpy(text, "xyz", 2) == text + 2);
    assert(memccpy(bytes, "abcd", 'b', 4) == bytes + 2);
    assert(index("abc", 'b') && rindex("abcb", 'b') && bcmp("a", "b", 1) != 0);
    explicit_bzero(text, sizeof text);
    assert(text[0] == 0);

    struct utsname system;
    struct rlimit limit;
    assert(uname(&system) == 0 && strcmp(system.sysname, "Linux") == 0);
    assert(gethostname(text, 2) != 0 && !isatty(0));
    assert(getrlimit(RLIMIT_NOFILE, &limit) == 0 && setrlimit(RLIMIT_NOFILE, &limit) == 0);
    assert(strcmp(setlocale(LC_ALL, 0), "C") == 0 && setlocale(LC_ALL, "eo") == 0);
    assert(madvise(bytes, 4, MADV_WILLNEED) == 0);
    assert(getentropy(bytes, 257) != 0);
    assert(lldiv(-7, 2).quot == -3 && lldiv(-7, 2).rem == -1);
    assert(syscall(SYS_getpid) == getpid());
    pthread_join(a, 0);
    return 0;
}
