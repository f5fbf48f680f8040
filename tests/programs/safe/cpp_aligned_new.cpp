// Slots of their own cache lines, made by the allocation that C++17 has for them.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <new>
#include <thread>

struct alignas(64) Slot {
    std::atomic<int> value{0};
};

int main() {
    Slot *slots = new Slot[2];
    assert(reinterpret_cast<std::uintptr_t>(slots) % alignof(Slot) == 0);
    auto *more = new (std::align_val_t{128}) char[1];
    assert(reinterpret_cast<std::uintptr_t>(more) % 128 == 0);
    std::thread a([&] { slots[0].value++; });
    slots[1].value++;
    a.join();
    assert(slots[0].value + slots[1].value == 2);
    operator delete[](more, std::align_val_t{128});
    delete[] slots;
}
