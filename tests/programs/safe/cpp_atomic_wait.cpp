// C++20: atomic::wait sleeps until it is notified of another value.
//@ verdict: bounded
//@ cflags: -std=c++20
//@ algorithms: dpor optimal
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> stage;
static int data;

int main() {
    std::thread t([] {
        data = 1;
        stage.store(1);
        stage.notify_one();
    });
    stage.wait(0);
    assert(data == 1);
    t.join();
}
