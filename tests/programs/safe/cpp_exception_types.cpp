// Which handler takes which exception: bases with offsets and virtual ones, pointers,
// numbers, all; by value, by reference, thrown again.
#include <cassert>
#include <stdexcept>

struct First { int first = 1; virtual ~First() {} };
struct Second { int second = 2; virtual ~Second() {} };
struct Both : First, Second { int both = 3; };
struct Hidden : private First {};
struct Left : virtual First {};
struct Right : virtual First {};
struct Diamond : Left, Right { Diamond() { first = 7; } };
struct Twice1 : First {};
struct Twice2 : First {};
struct Twice : Twice1, Twice2 {};
struct Own : std::runtime_error {
    int code;
    explicit Own(int code) : std::runtime_error("own"), code(code) {}
};

static Both both;

static void raise(int which) {
    switch (which) {
    case 0: throw 40;
    case 1: throw 'c';
    case 2: throw Both();
    case 3: throw &both;
    case 4: throw Hidden();
    case 5: throw Diamond();
    case 6: throw Twice();
    case 7: throw Own(9);
    case 8: throw "text";
    case 9: throw nullptr;
    }
}

static int kind(int which) {
    try {
        raise(which);
    } catch (int number) {
        return number;
    } catch (Second &second) {
        return 100 + second.second;
    } catch (First &first) {
        return 200 + first.first;
    } catch (Second *second) {
        return second == nullptr ? 301 : 300 + second->second;
    } catch (const std::exception &error) {
        const Own *own = dynamic_cast<const Own *>(&error);
        return own == nullptr ? -1 : 400 + own->code;
    } catch (const void *) {
        return 500;
    } catch (...) {
        return 600;
    }
    return 0;
}

static int twice() {
    try {
        try {
            raise(7);
        } catch (std::runtime_error &error) {
            static_cast<Own &>(error).code++;
            throw;
        }
    } catch (Own copy) {
        return copy.code;
    }
    return 0;
}

int main() {
    assert(kind(0) == 40);
    assert(kind(1) == 600);
    assert(kind(2) == 102);
    assert(kind(3) == 302);
    assert(kind(4) == 600);
    assert(kind(5) == 207);
    assert(kind(6) == 600);
    assert(kind(7) == 409);
    assert(kind(8) == 500);
    assert(kind(9) == 301);
    assert(kind(10) == 0);
    assert(twice() == 10);
    First *first = &both;
    assert(dynamic_cast<Second *>(first)->second == 2);
    assert(dynamic_cast<Left *>(first) == nullptr);
}
