// `catch (...)` does not throw again what ends the thread.
#include <pthread.h>

static void *work(void *) {
    try {
        pthread_exit(nullptr); //~ VIOLATION: terminate
    } catch (...) {
    }
    return nullptr;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_join(thread, nullptr);
}
