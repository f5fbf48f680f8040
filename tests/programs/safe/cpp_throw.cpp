// An exception is caught in the thread that throws it.
#include <stdexcept>
#include <thread>

static int checked(int n) {
    if (n < 0) throw std::runtime_error("negative");
    return n;
}

int main() {
    std::thread t([] {
        try {
            checked(1);
            checked(-1);
        } catch (const std::exception &) {
        }
    });
    t.join();
}
