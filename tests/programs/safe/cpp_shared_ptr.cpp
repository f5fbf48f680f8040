// The last owner destroys, whoever that is.
//@ algorithms: dpor optimal
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static std::atomic<int> destroyed;

struct Thing {
    int value = 1;
    ~Thing() { destroyed++; }
};

int main() {
    auto thing = std::make_shared<Thing>();
    std::weak_ptr<Thing> weak = thing;
    std::thread t([thing] { assert(thing->value == 1); });
    thing.reset();
    if (auto again = weak.lock()) assert(again->value == 1);
    t.join();
    assert(destroyed == 1 && weak.expired());
}
