// A pool of threads with a queue under a lock: what the library does to the queue makes no steps.
//@ models: sc
//@ algorithms: stateful
//@ engines: explore
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
    std::vector<std::thread> threads;
    std::deque<std::function<void()>> jobs;
    std::mutex lock;
    std::condition_variable changed;
    bool closing = false;

    void work() {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock<std::mutex> guard(lock);
                changed.wait(guard, [this] { return closing || !jobs.empty(); });
                if (jobs.empty())
                    return;
                job = std::move(jobs.front());
                jobs.pop_front();
            }
            job();
        }
    }

  public:
    explicit Pool(int count) {
        for (int i = 0; i < count; i++)
            threads.emplace_back(&Pool::work, this);
    }
    void add(std::function<void()> job) {
        std::lock_guard<std::mutex> guard(lock);
        jobs.push_back(std::move(job));
        changed.notify_one();
    }
    ~Pool() {
        {
            std::lock_guard<std::mutex> guard(lock);
            closing = true;
        }
        changed.notify_all();
        for (std::thread &thread : threads)
            thread.join();
    }
};

static std::mutex sum_lock;
static int sum;

int main() {
    {
        Pool pool(2);
        for (int i = 1; i <= 2; i++)
            pool.add([i] {
                std::lock_guard<std::mutex> guard(sum_lock);
                sum += i;
            });
    }
    assert(sum == 3);
}
