// An initialisation that ends with an exception is tried again, by whoever comes next.
//@ algorithms: dpor optimal guided
#include <cassert>
#include <mutex>
#include <thread>

static int calls;

static int start() {
    if (++calls == 1) throw calls;
    return calls;
}

static int use() {
    try {
        static int value = start();
        return value;
    } catch (int) {
        return 0;
    }
}

int main() {
    int first = 0, second = 0;
    std::thread one([&first] { first = use(); }), other([&second] { second = use(); });
    one.join();
    other.join();
    assert(calls == 2 && first + second == 2);

    std::once_flag flag;
    int runs = 0;
    for (int turn = 0; turn < 3; turn++) {
        try {
            std::call_once(flag, [&runs] { if (++runs == 1) throw runs; });
        } catch (int) {
            assert(turn == 0);
        }
    }
    assert(runs == 2);
}
