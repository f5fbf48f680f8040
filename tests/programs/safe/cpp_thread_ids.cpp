// Threads have different ids; a thread's own is the one its handle has.
//@ algorithms: optimal
#include <cassert>
#include <chrono>
#include <thread>

static std::thread::id own;

int main() {
    std::thread t([] {
        own = std::this_thread::get_id();
        std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    });
    std::thread::id id = t.get_id();
    t.join();
    assert(own == id && own != std::this_thread::get_id());
    assert(t.get_id() == std::thread::id());
}
