// pthread_exit in C++ runs destructors and cleanup handlers on its way; `catch (...)` throws it
// again.
#include <cassert>
#include <cxxabi.h>
#include <pthread.h>

static int trail;

struct Mark {
    int digit;
    ~Mark() { trail = trail * 10 + digit; }
};

static void clean(void *digit) { trail = trail * 10 + *static_cast<int *>(digit); }

static void leave() {
    Mark three{3};
    int two = 2;
    pthread_cleanup_push(clean, &two);
    pthread_exit(&trail);
    pthread_cleanup_pop(0);
}

static void *work(void *) {
    Mark seven{7};
    try {
        leave();
    } catch (int) {
        assert(false);
    } catch (abi::__forced_unwind &) {
        trail = trail * 10 + 5;
        throw;
    }
    return nullptr;
}

static void *other(void *) {
    try {
        leave();
    } catch (...) {
        throw;
    }
    return nullptr;
}

int main() {
    pthread_t thread;
    void *result;
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_join(thread, &result);
    assert(trail == 2357 && result == &trail);
    trail = 0;
    pthread_create(&thread, nullptr, other, nullptr);
    pthread_join(thread, &result);
    assert(trail == 23);
}
