// std::scoped_lock backs off from a taken mutex, but one that is never released stays
// in its way.
//@ algorithms: optimal
#include <mutex>
#include <thread>

static std::mutex first, second;

int main() {
    std::thread forgetful([] { second.lock(); });
    forgetful.join();
    std::scoped_lock both(first, second); //~ VIOLATION: deadlock
}
