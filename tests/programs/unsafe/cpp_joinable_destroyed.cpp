// A thread that is neither joined nor detached when its handle goes.
//@ algorithms: optimal
#include <thread>

static void work() {}

static void start() {
    std::thread t(work);
} //~ VIOLATION: terminate

int main() { start(); }
