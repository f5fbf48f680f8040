// A class with a lock_guard around every change.
#include <cassert>
#include <mutex>
#include <thread>

class Dial {
  public:
    void turn() {
        std::lock_guard<std::mutex> guard(lock);
#ifdef BROKEN
        at = at + 1;
#else
        at = (at + 1) % 12;
#endif
        assert(at < 12);
    }

  private:
    std::mutex lock;
    unsigned at = 0;
};

static Dial dial;

static void spin() {
    for (;;)
        dial.turn();
}

int main() {
    std::thread a(spin), b(spin);
    a.join();
    b.join();
    return 0;
}
