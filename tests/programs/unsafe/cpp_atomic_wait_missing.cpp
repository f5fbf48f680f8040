// C++20: the value changes, but nobody says so.
//@ cflags: -std=c++20
//@ algorithms: dpor optimal
//@ lazy: bounded  needs more rounds
#include <atomic>
#include <thread>

static std::atomic<int> stage;

int main() {
    std::thread t([] { stage.store(1); });
    stage.wait(0); //~ VIOLATION: deadlock
    t.join();
}
