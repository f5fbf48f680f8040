// A variable that one of two threads writes without its lock.
//@ models: sc tso pso
//@ algorithms: optimal
//@ args: --check race
#include <mutex>
#include <thread>

static std::mutex m;
static int balance;

static void deposit() {
    std::lock_guard<std::mutex> guard(m);
    balance += 50; //~ VIOLATION: data-race
}

static void reset() {
    balance = 0; //~ VIOLATION: data-race
}

int main() {
    std::thread one(deposit), two(reset);
    one.join();
    two.join();
}
