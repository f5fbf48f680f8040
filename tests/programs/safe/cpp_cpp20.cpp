// C++20: std::jthread joins by itself; semaphores, latches.
//@ verdict: bounded
//@ cflags: -std=c++20
//@ algorithms: optimal
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>

static std::binary_semaphore handed{0};
static int data;

int main() {
    {
        std::jthread t([] {
            data = 1;
            handed.release();
        });
        handed.acquire();
        assert(data == 1);
    }
    std::latch both(1);
    std::jthread t([&both] {
        data = 2;
        both.count_down();
    });
    both.wait();
    assert(data == 2);
}
