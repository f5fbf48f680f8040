// A second join throws.
//@ algorithms: optimal
#include <thread>

int main() {
    std::thread t([] {});
    t.join();
    t.join(); //~ UNSUPPORTED: exceptions are not supported: std::system_error thrown here
}
