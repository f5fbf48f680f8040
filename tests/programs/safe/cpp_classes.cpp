// C++: classes with static instances, templates, references, virtual calls.
#include <atomic>
#include <cassert>
#include <pthread.h>

template <typename T> struct Counter {
    std::atomic<T> value;
    explicit Counter(T start) : value(start) {}
    void add(T n) { value.fetch_add(n); }
};

struct Shape {
    virtual int area() const = 0;
};

struct Square : Shape {
    int side;
    explicit Square(int s) : side(s) {}
    int area() const override { return side * side; }
};

static Counter<long> counter(5);
static Square square(3);

static void apply(Counter<long> &c, const Shape &shape) { c.add(shape.area()); }

static void *work(void *) {
    apply(counter, square);
    return nullptr;
}

int main() {
    pthread_t a, b;
    pthread_create(&a, nullptr, work, nullptr);
    pthread_create(&b, nullptr, work, nullptr);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    assert(counter.value == 23);
    return 0;
}
