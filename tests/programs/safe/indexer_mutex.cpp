// The indexer in C++. One execution.
//@ algorithms: guided
//@ args: --check assert,memory
//@ executions[guided,sc]: 1
#include <mutex>
#include <pthread.h>

static std::mutex guard;
static int table[128];

static bool take(int at, int message) {
    guard.lock();
    bool free = table[at] == 0;
    if (free)
        table[at] = message;
    guard.unlock();
    return free;
}

static void *insert(void *arg) {
    int id = static_cast<int>(reinterpret_cast<long>(arg));
    for (int m = 1; m <= 4; m++) {
        int message = m * 11 + id;
        int at = message * 7 % 128;
        while (!take(at, message))
            at = (at + 1) % 128;
    }
    return nullptr;
}

int main() {
    pthread_t threads[13];
    for (long i = 0; i < 13; i++)
        pthread_create(&threads[i], nullptr, insert, reinterpret_cast<void *>(i));
    for (auto &thread : threads)
        pthread_join(thread, nullptr);
}
