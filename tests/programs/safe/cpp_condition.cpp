// std::condition_variable with a predicate: nothing is lost.
//@ models: sc pso
//@ algorithms: optimal
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable ready;
static bool set;
static int value;

int main() {
    std::thread producer([] {
        {
            std::lock_guard<std::mutex> guard(m);
            value = 42;
            set = true;
        }
        ready.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(m);
        ready.wait(lock, [] { return set; });
        assert(value == 42);
    }
    producer.join();
}
