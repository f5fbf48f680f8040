// A thread drops what it allocated; all else is freed or still pointed to.
//@ algorithms: optimal
//@ args: --check leak
#include <memory>
#include <thread>

static std::unique_ptr<int> kept;

int main() {
    auto shared = std::make_shared<int>(1);
    std::thread thread([shared] {
        kept.reset(new int(*shared));
        auto *lost = new int(2); //~ VIOLATION: memory-leak
        *lost = *shared;
    });
    thread.join();
}
