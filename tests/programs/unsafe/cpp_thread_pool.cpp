// The pool says that it closes without the lock: a worker may look before and sleep
// after.
//@ models: sc
//@ algorithms: dpor optimal
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool {
    std::mutex m;
    std::condition_variable changed;
    std::queue<std::function<void()>> jobs;
    std::atomic<bool> closing{false};
    std::vector<std::thread> workers;

    void work() {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock<std::mutex> lock(m);
                changed.wait(lock, [this] { return closing || !jobs.empty(); }); //~ VIOLATION: deadlock
                if (jobs.empty()) return;
                job = std::move(jobs.front());
                jobs.pop();
            }
            job();
        }
    }

  public:
    explicit Pool(int count) {
        for (int i = 0; i < count; i++) workers.emplace_back([this] { work(); });
    }
    ~Pool() {
        closing = true;
        changed.notify_all();
        for (std::thread &worker : workers) worker.join();
    }
    void submit(std::function<void()> job) {
        {
            std::lock_guard<std::mutex> guard(m);
            jobs.push(std::move(job));
        }
        changed.notify_one();
    }
};

int main() {
    std::atomic<int> done{0};
    {
        Pool pool(1);
        pool.submit([&done] { done += 1; });
    }
    assert(done == 1);
}
