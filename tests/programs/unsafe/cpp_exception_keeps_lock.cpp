// A lock that is released by hand stays locked when an exception passes.
#include <mutex>
#include <thread>

static std::mutex mutex;
static int left = 1;

static void take() {
    mutex.lock(); //~ VIOLATION: deadlock
    if (left == 0) throw left;
    left--;
    mutex.unlock();
}

static void work() {
    for (int turn = 0; turn < 2; turn++) {
        try {
            take();
        } catch (int) {
        }
    }
}

int main() {
    std::thread worker(work);
    worker.join();
    std::thread late(take);
    late.join();
}
