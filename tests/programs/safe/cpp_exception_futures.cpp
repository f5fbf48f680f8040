// Exceptions that go from thread to thread, and those of promises themselves.
//@ algorithms: optimal
//@ stateful: skip  long
//@ lazy: skip  long
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread worker([&promise] {
        try {
            std::vector<int> values(2);
            promise.set_value(values.at(2));
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    });
    bool caught = false;
    try {
        future.get();
    } catch (const std::out_of_range &) {
        caught = true;
    }
    worker.join();
    assert(caught);

    auto result = std::async(std::launch::async, []() -> int { throw std::logic_error("no"); });
    try {
        result.get();
        caught = false;
    } catch (const std::logic_error &error) {
        assert(error.what()[0] == 'n');
    }
    assert(caught);

    std::future<int> broken;
    { std::promise<int> lost; broken = lost.get_future(); }
    try {
        broken.get();
        caught = false;
    } catch (const std::future_error &error) {
        assert(error.code() == std::future_errc::broken_promise);
    }
    try {
        promise.get_future();
        caught = false;
    } catch (const std::future_error &error) {
        assert(error.code() == std::future_errc::future_already_retrieved);
    }
    assert(caught);
}
