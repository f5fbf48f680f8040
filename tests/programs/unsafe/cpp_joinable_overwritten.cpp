// A joinable thread is assigned to.
//@ algorithms: optimal
#include <thread>

static void work() {}

int main() {
    std::thread t(work);
    t = std::thread(work); //~ VIOLATION: terminate
    t.join();
}
