// Values of every kind, shown as their types say.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

enum colour { RED, GREEN = 5 };

static int number = -1;
static unsigned char byte = 200;
static char letter = 'a';
static bool flag;
static double real;
static enum colour colour;
static int *pointer;
static int row[3];
static void *(*handler)(void *);

static void *work(void *arg) {
    number = -2;
    byte = 255;
    letter = 'z';
    flag = true;
    real = 2.5;
    colour = GREEN;
    pointer = &row[1];
    handler = work;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    bool all = number == -2 && byte == 255 && letter == 'z' && flag && real > 2 &&
               colour == GREEN && pointer == row + 1 && handler == work;
    assert(!all); //~ VIOLATION: assertion
    pthread_join(t, 0);
    return 0;
}

//@ lazy: unknown  floating point
