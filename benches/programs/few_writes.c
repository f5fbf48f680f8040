// Two threads write once each and look often.
#include <assert.h>
#include <pthread.h>
static int x, y;
static void *a(void *p) { x = 1; int s = 0; for (int i = 0; i < 6; i++) s += y; assert(s < 100); return p; }
static void *b(void *p) { y = 1; int s = 0; for (int i = 0; i < 6; i++) s += x; assert(s < 6 || y); return p; }
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0);
    pthread_join(s, 0); pthread_join(t, 0);
    assert(x + y == 2);
    return 0;
}
