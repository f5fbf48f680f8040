// A constructor lets another thread call a virtual function that is not there yet.
#include <thread>

struct Task {
    std::thread runner;
    Task() : runner([this] {
        run(); //~ VIOLATION: terminate
    }) {}
    virtual void run() = 0;
    virtual ~Task() { runner.join(); }
};

struct Hello : Task {
    void run() override {}
};

int main() { Hello hello; }
