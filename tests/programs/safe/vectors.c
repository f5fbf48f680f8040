// Vectors are computed element by element; clang passes small structures as vectors.
#include <assert.h>
#include <pthread.h>

typedef struct {
    float x, y;
} point;
typedef int four __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));
typedef unsigned char bytes __attribute__((vector_size(8)));

static point add(point a, point b) { return (point){a.x + b.x, a.y + b.y}; }

static four table = {1, 2, 3, 4};
static floats kept;
static volatile int second = 1;

static void *work(void *unused) {
    floats f = {1, 2, 3, 4};
    kept = f * f + f;
    return unused;
}

int main(void) {
    pthread_t thread;
    point p = add((point){1, 2}, (point){10, 20});
    assert(p.x == 11 && p.y == 22);

    four a = table, b = {4, 3, 2, 1};
    four less = a < b, sum = a + b * 2, shifted = b << a;
    assert(less[0] == -1 && less[1] == -1 && less[2] == 0 && less[3] == 0);
    assert(sum[0] == 9 && sum[3] == 6 && shifted[0] == 8 && shifted[3] == 16);
    a[second] = 20;
    assert(a[second] == 20 && a[0] == 1 && a[2] == 3 && -a[3] == -4);
    four mixed = __builtin_shufflevector(a, b, 0, 5, 2, 7);
    assert(mixed[0] == 1 && mixed[1] == 3 && mixed[2] == 3 && mixed[3] == 1);
    assert(__builtin_reduce_add(b) == 10 && __builtin_reduce_max(b) == 4);

    bytes parts = (bytes)0x0807060504030201ULL;
    assert(parts[0] == 1 && parts[7] == 8 && (unsigned long long)parts == 0x0807060504030201ULL);
    floats converted = __builtin_convertvector(b, floats);
    assert(converted[0] == 4.0f && ((four)converted)[3] == 0x3f800000);

    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(kept[0] == 2 && kept[3] == 20);
    return 0;
}
