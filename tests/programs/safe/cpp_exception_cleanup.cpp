// Locks are released and objects destroyed on the way from throw to catch, in each thread
// for itself.
//@ algorithms: dpor optimal guided
// One for each order in which they get the lock.
//@ executions[optimal,sc]: 2
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int balance = 3, failures;

struct TooLittle { int missing; };

struct Count {
    int &count;
    explicit Count(int &count) : count(count) { count++; }
    ~Count() { count--; }
};

static void take(int amount, int &open) {
    Count counted(open);
    if (balance < amount) throw TooLittle{amount - balance};
    balance -= amount;
}

static void withdraw(int amount) {
    int open = 0;
    std::lock_guard<std::mutex> held(mutex);
    try {
        Count counted(open);
        take(amount, open);
    } catch (const TooLittle &error) {
        assert(error.missing == 1);
        failures++;
    }
    assert(open == 0);
}

int main() {
    std::thread one(withdraw, 2), other(withdraw, 2);
    one.join();
    other.join();
    assert(balance == 1 && failures == 1);
}
