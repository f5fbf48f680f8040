// A function-local static is made once, and whoever comes meanwhile waits.
//@ models: sc tso pso
//@ algorithms: optimal
#include <cassert>
#include <thread>

static int made;

struct Settings {
    int level;
    Settings() : level(0) {
        made++;
        level = 3;
    }
};

static Settings &settings() {
    static Settings the;
    return the;
}

int main() {
    std::thread t([] { assert(settings().level == 3); });
    assert(settings().level == 3);
    t.join();
    assert(made == 1);
}
