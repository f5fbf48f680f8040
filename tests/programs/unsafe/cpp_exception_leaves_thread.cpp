// An exception that leaves a thread ends the program, if the threads come in this order.
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<bool> closed;

static void push() {
    if (closed) throw std::runtime_error("queue is closed"); //~ VIOLATION: terminate
}

int main() {
    std::thread producer(push);
    closed = true;
    try {
        producer.join();
    } catch (...) {
    }
}
