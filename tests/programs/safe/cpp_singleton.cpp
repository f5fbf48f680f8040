// A double-checked singleton that is right: acquire and release around the pointer.
//@ models: sc tso pso
//@ algorithms: optimal
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Config {
    static std::atomic<Config *> the;
    static std::mutex m;
    int level;
    Config() : level(4) {}

  public:
    static Config &get() {
        Config *config = the.load(std::memory_order_acquire);
        if (!config) {
            std::lock_guard<std::mutex> guard(m);
            config = the.load(std::memory_order_relaxed);
            if (!config) {
                config = new Config;
                the.store(config, std::memory_order_release);
            }
        }
        return *config;
    }
    int value() const { return level; }
};

std::atomic<Config *> Config::the;
std::mutex Config::m;

int main() {
    Config *seen = nullptr;
    std::thread t([&seen] {
        seen = &Config::get();
        assert(seen->value() == 4);
    });
    Config &mine = Config::get();
    assert(mine.value() == 4);
    t.join();
    assert(seen == &mine);
}
