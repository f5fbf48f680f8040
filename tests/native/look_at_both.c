// Two threads write a variable each, a third one looks at both and tells what it saw: 1
// for the first, 2 for the second. How many arguments there are says who is late.
#include <pthread.h>
#include <unistd.h>

static int a, b;

static void *first(void *arg) {
    usleep((unsigned)(unsigned long)arg);
    a = 1;
    return 0;
}

static void *second(void *arg) {
    usleep((unsigned)(unsigned long)arg);
    b = 1;
    return 0;
}

static void *third(void *arg) {
    (void)arg;
    unsigned long seen = (unsigned long)a;
    return (void *)(seen + 2 * (unsigned long)b);
}

int main(int argc, char **argv) {
    (void)argv;
    unsigned long late_first = argc == 2 ? 50000 : argc == 4 ? 2000000 : 0;
    unsigned long late_second = argc == 3 ? 50000 : argc == 4 ? 300000 : 0;
    pthread_t one, two, three;
    void *seen;
    pthread_create(&one, 0, first, (void *)late_first);
    pthread_create(&two, 0, second, (void *)late_second);
    pthread_create(&three, 0, third, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, &seen);
    return (int)(unsigned long)seen;
}
