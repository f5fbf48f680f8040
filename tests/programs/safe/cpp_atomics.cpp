// std::atomic: arithmetic, exchange, pointers, flags, an object that is too large for
// an instruction.
//@ algorithms: optimal
#include <atomic>
#include <cassert>
#include <thread>

struct Big {
    long a, b, c;
};

static std::atomic<int> counter;
static std::atomic<const char *> name{"none"};
static std::atomic<bool> ready;
static std::atomic_flag busy = ATOMIC_FLAG_INIT;
static std::atomic<Big> big{};

static void work() {
    counter.fetch_add(2, std::memory_order_relaxed);
    --counter;
    name.store("some");
    Big now = big.load();
    assert(now.a == now.b && now.b == now.c);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    ready.store(true, std::memory_order_release);
}

int main() {
    std::thread t(work);
    big.store({1, 1, 1});
    while (!ready.load(std::memory_order_acquire)) {
    }
    assert(*name.load() == 's');
    t.join();
    int expected = 1;
    assert(counter.compare_exchange_strong(expected, 5) && counter.exchange(6) == 5);
    assert(!busy.test_and_set() && busy.test_and_set());
}
