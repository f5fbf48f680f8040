// What `new` leaves open is the same for two threads. The storage of an optional is open, too,
// until there is a value.
//@ models: sc tso pso
//@ algorithms: dpor optimal guided stateful
//@ verdict: bounded
#include <cassert>
#include <optional>
#include <thread>

struct Plain {
    int value;
};

int main() {
    int *number = new int;
    std::optional<Plain> maybe;
    maybe.emplace();
    Plain *plain = new Plain;
    bool negative = false, small = false;
    std::thread other([&] {
        negative = *number < 0;
        small = plain->value < 10;
    });
    bool mine = *number < 0, less = plain->value < 10;
    other.join();
    assert(negative == mine && small == less);
    assert(maybe->value == 0);
    delete number;
    delete plain;
}
