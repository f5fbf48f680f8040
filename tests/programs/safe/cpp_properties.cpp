// Threads, locks and what the library allocates for them and for the end of threads and
// of the process: no race, nothing lost, no overflow.
//@ models: sc tso
//@ algorithms: optimal
//@ args: --check all
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Log {
    std::mutex m;
    std::vector<int> entries;

    void add(int entry) {
        std::lock_guard<std::mutex> guard(m);
        entries.push_back(entry);
    }
};

static Log log_of_all;

struct Own {
    std::unique_ptr<int> value{new int(7)};
};

static thread_local Own own;

int main() {
    std::shared_ptr<int> seven;
    std::thread thread([&seven] {
        seven = std::make_shared<int>(*own.value);
        log_of_all.add(1);
    });
    log_of_all.add(*own.value);
    thread.join();
    assert(*seven == 7 && log_of_all.entries.size() == 2);
}
