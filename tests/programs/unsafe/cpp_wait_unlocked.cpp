// A wait with a lock that is not held.
//@ algorithms: optimal
#include <condition_variable>
#include <mutex>

int main() {
    std::mutex m;
    std::condition_variable ready;
    std::unique_lock<std::mutex> lock(m, std::defer_lock);
    ready.wait(lock); //~ VIOLATION: mutex-misuse
}
