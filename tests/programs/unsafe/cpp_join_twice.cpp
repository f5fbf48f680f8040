// A second join throws, and nobody catches it.
#include <thread>

int main() {
    std::thread t([] {});
    t.join();
    t.join(); //~ VIOLATION: terminate
}
