// Every form of operator new and delete.
//@ verdict: bounded
//@ algorithms: optimal
#include <cassert>
#include <cstdint>
#include <memory>
#include <new>

struct alignas(64) Wide {
    char bytes[64];
};

struct Base {
    virtual ~Base() = default;
    virtual int id() const = 0;
};

struct Derived : Base {
    int n;
    explicit Derived(int i) : n(i) {}
    int id() const override { return n; }
};

int main() {
    Base *base = new Derived(3);
    assert(base->id() == 3);
    delete base;
    int *many = new int[4]{1, 2, 3, 4};
    assert(many[3] == 4);
    delete[] many;
    int *maybe = new (std::nothrow) int(5);
    assert(maybe != nullptr && *maybe == 5);
    delete maybe;
    Wide *wide = new Wide;
    assert(reinterpret_cast<std::uintptr_t>(wide) % 64 == 0);
    delete wide;
    delete[] new Wide[2];
    std::unique_ptr<Base> owned = std::make_unique<Derived>(7);
    assert(owned->id() == 7);
    alignas(Derived) char room[sizeof(Derived)];
    Derived *placed = new (room) Derived(9);
    placed->~Derived();
}
