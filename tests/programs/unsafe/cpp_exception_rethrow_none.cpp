// There is nothing to throw again.
#include <thread>

static void again() { throw; } //~ VIOLATION: terminate

int main() {
    std::thread thread([] {
        try {
            throw 1;
        } catch (int) {
        }
        again();
    });
    thread.join();
}
