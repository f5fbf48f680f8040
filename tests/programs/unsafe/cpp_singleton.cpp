// A double-checked singleton without release: the pointer may come before what it
// points to.
//@ models: sc tso pso
//@ algorithms: optimal
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Config {
    int level = 4;
};

static std::atomic<Config *> the;
static std::mutex m;

static Config &get() {
    Config *config = the.load(std::memory_order_relaxed);
    if (!config) {
        std::lock_guard<std::mutex> guard(m);
        config = the.load(std::memory_order_relaxed);
        if (!config) {
            config = new Config;
            the.store(config, std::memory_order_relaxed);
        }
    }
    return *config;
}

int main() {
    std::thread t([] { get(); });
    assert(get().level == 4); //~ VIOLATION[pso]: assertion
    t.join();
}
