// What `new` leaves open may be negative, in the eyes of another thread, too.
//@ models: sc tso pso
#include <cassert>
#include <thread>

int main() {
    int *number = new int;
    std::thread other([&] {
        assert(*number >= 0); //~ VIOLATION: assertion
    });
    other.join();
    delete number;
}
