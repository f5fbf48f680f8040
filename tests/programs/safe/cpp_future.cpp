// std::promise, std::async and std::packaged_task.
//@ algorithms: optimal
#include <cassert>
#include <future>
#include <thread>

int main() {
    std::promise<int> promise;
    std::future<int> value = promise.get_future();
    std::thread t([&promise] { promise.set_value(3); });
    assert(value.get() == 3);
    t.join();

    auto later = std::async(std::launch::async, [](int n) { return n + 1; }, 4);
    assert(later.get() == 5);
    auto lazy = std::async(std::launch::deferred, [] { return 6; });
    assert(lazy.get() == 6);

    std::packaged_task<int(int)> task([](int n) { return 2 * n; });
    auto doubled = task.get_future();
    std::thread worker(std::move(task), 4);
    assert(doubled.get() == 8);
    worker.join();
}
