// Two threads write much and never look: what others see of it are a few clusters of writes.
#include <assert.h>
#include <pthread.h>
static int x, y;
static void *a(void *p) { for (int i = 0; i < 8; i++) { x = i; y = i; } return p; }
static void *b(void *p) { for (int i = 0; i < 8; i++) { y = 10 + i; x = 10 + i; } return p; }
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0);
    pthread_join(s, 0); pthread_join(t, 0);
    assert(!(x == 7 && y == 17));
    return 0;
}
