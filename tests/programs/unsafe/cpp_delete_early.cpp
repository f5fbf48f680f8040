// shared_ptr would have kept it: a plain pointer to it does not.
#include <memory>
#include <thread>

int main() {
    auto owner = std::make_shared<int>(1);
    std::thread t([plain = owner.get()] {
        *plain = 2; //~ VIOLATION: use-after-free
    });
    owner.reset();
    t.join();
}
