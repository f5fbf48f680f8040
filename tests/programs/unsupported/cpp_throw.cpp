// Exceptions stop where they are thrown, not where they could be caught.
//@ algorithms: optimal
#include <stdexcept>
#include <thread>

static int checked(int n) {
    if (n < 0) throw std::runtime_error("negative"); //~ UNSUPPORTED: std::runtime_error thrown here
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
