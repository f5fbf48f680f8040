// recursive_mutex, timed_mutex, shared_mutex, scoped_lock over two, std::lock.
//@ algorithms: dpor optimal
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::recursive_mutex again;
static std::shared_mutex shared;
static std::mutex a, b;
static int x, y;

static int depth(int n) {
    std::lock_guard<std::recursive_mutex> guard(again);
    return n == 0 ? 0 : 1 + depth(n - 1);
}

static void writer() {
    std::unique_lock<std::shared_mutex> lock(shared);
    x = 1;
    y = 1;
}

static void reader() {
    std::shared_lock<std::shared_mutex> lock(shared);
    assert(x == y);
}

static void swapper() {
    std::scoped_lock both(b, a);
    std::swap(x, y);
}

int main() {
    assert(depth(2) == 2);
    std::thread one(writer), two(reader);
    one.join();
    two.join();
    std::thread three(swapper);
    std::lock(a, b);
    x = 2;
    a.unlock();
    b.unlock();
    three.join();
    assert(x + y == 3);
    std::timed_mutex timed;
    assert(timed.try_lock());
    timed.unlock();
}
