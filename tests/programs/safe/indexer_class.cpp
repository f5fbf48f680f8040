// The indexer with a class that locks, in C++. One execution.
//@ algorithms: guided
//@ args: --check assert,memory
//@ executions[guided,sc]: 1
#include <pthread.h>

class Mutex {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

public:
    void lock() { pthread_mutex_lock(&mutex); }
    void unlock() { pthread_mutex_unlock(&mutex); }
};

class Table {
    Mutex mutex;
    int cells[128] = {};

public:
    bool take(int at, int message) {
        mutex.lock();
        bool free = cells[at] == 0;
        if (free)
            cells[at] = message;
        mutex.unlock();
        return free;
    }
};

static Table table;

static void *insert(void *arg) {
    int id = static_cast<int>(reinterpret_cast<long>(arg));
    for (int m = 1; m <= 4; m++) {
        int message = m * 11 + id;
        int at = message * 7 % 128;
        while (!table.take(at, message))
            at = (at + 1) % 128;
    }
    return nullptr;
}

int main() {
    pthread_t threads[13];
    for (long i = 0; i < 13; i++)
        pthread_create(&threads[i], nullptr, insert, reinterpret_cast<void *>(i));
    for (auto thread : threads)
        pthread_join(thread, nullptr);
}
