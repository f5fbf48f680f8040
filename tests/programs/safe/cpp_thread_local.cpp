// Every thread has a thread_local of its own, made at its first use and destroyed at
// the thread's end.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> alive;

struct Scratch {
    int used = 0;
    Scratch() { alive++; }
    ~Scratch() { alive--; }
};

static thread_local Scratch scratch;

static void work() {
    for (int i = 0; i < 3; i++) scratch.used++;
    assert(scratch.used == 3);
}

int main() {
    std::thread one(work), two(work);
    one.join();
    two.join();
    assert(alive == 0);
    work();
    assert(alive == 1);
}
