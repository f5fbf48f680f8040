// Jumps in C++ beside exceptions: a jump passes handlers by, and an exception passes calls of
// setjmp by.
#include <cassert>
#include <csetjmp>

static std::jmp_buf out;
static int steps;

static void jump() noexcept { std::longjmp(out, 2); }

static void guarded() {
    try {
        jump();
    } catch (...) {
        assert(false);
    }
}

static void thrown() {
    std::jmp_buf unused;
    if (setjmp(unused) == 0) throw 3;
    assert(false);
}

int main() {
    switch (setjmp(out)) {
    case 0:
        guarded();
        break;
    case 2:
        steps++;
        break;
    }
    try {
        thrown();
    } catch (int number) {
        steps += number;
    }
    assert(steps == 4);
}
