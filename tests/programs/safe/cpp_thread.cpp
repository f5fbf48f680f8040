// std::thread with a function, a lambda, a member function, std::ref; moved, in a
// vector, joined.
//@ models: sc tso pso
//@ algorithms: optimal
// Three threads take the lock once each: 3! orders.
//@ executions[optimal,sc]: 6
#include <cassert>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

static std::mutex m;
static int sum;

static void add(int n, int &seen) {
    std::lock_guard<std::mutex> guard(m);
    sum += n;
    seen = n;
}

struct Adder {
    int step;
    void add(int times) {
        std::lock_guard<std::mutex> guard(m);
        sum += step * times;
    }
};

int main() {
    int seen = 0;
    Adder adder{2};
    std::thread first(add, 1, std::ref(seen));
    std::thread moved = std::move(first);
    assert(!first.joinable() && moved.joinable());
    std::vector<std::thread> more;
    more.emplace_back(&Adder::add, &adder, 3);
    more.emplace_back([] {
        std::unique_lock<std::mutex> lock(m);
        sum += 10;
    });
    moved.join();
    for (std::thread &thread : more) thread.join();
    assert(seen == 1 && sum == 17);
    assert(!moved.joinable());
}
