// A mutex is unlocked by who does not hold it.
//@ algorithms: optimal
#include <mutex>

int main() {
    std::mutex m;
    std::unique_lock<std::mutex> lock(m);
    m.unlock();
    lock.unlock(); //~ VIOLATION: mutex-misuse
}
