// A detached thread may outlive main's interest in it; its closure lives as long as
// it runs.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static std::atomic<int> seen;

int main() {
    auto value = std::make_unique<int>(7);
    std::thread t([value = std::move(value)] { seen = *value; });
    t.detach();
    assert(!t.joinable());
    int now = seen;
    assert(now == 0 || now == 7);
}
