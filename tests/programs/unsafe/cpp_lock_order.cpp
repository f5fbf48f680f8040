// Two locks in two orders.
#include <mutex>
#include <thread>

static std::mutex first, second;

static void forth() {
    std::lock_guard<std::mutex> one(first);
    std::lock_guard<std::mutex> two(second); //~ VIOLATION: deadlock
}

static void back() {
    std::lock_guard<std::mutex> two(second);
    std::lock_guard<std::mutex> one(first); //~ VIOLATION: deadlock
}

int main() {
    std::thread a(forth), b(back);
    a.join();
    b.join();
}
