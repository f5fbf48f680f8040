// A detached thread looks at a variable of a function that has returned.
#include <thread>

static void start() {
    int local = 3;
    std::thread t([&local] {
        local++; //~ VIOLATION: use-after-free
    });
    t.detach();
}

int main() { start(); }
