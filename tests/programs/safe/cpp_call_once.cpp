// std::call_once: one of the threads calls, the others wait for its end.
//@ models: sc pso
//@ algorithms: optimal
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag flag;
static int calls, result;

static void user(int n) {
    std::call_once(flag, [n] {
        calls++;
        result = 5;
    });
    assert(result == 5);
}

int main() {
    std::thread one(user, 1), two(user, 2);
    one.join();
    two.join();
    assert(calls == 1);
}
