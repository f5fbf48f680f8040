// A bounded buffer between a producer and a consumer.
//@ models: sc pso
//@ algorithms: optimal
#include <array>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

template <typename T, unsigned N> class Buffer {
    std::mutex m;
    std::condition_variable filled, emptied;
    std::array<T, N> slots;
    unsigned first = 0, count = 0;

  public:
    void put(const T &value) {
        std::unique_lock<std::mutex> lock(m);
        emptied.wait(lock, [this] { return count < N; });
        slots[(first + count++) % N] = value;
        filled.notify_one();
    }
    T take() {
        std::unique_lock<std::mutex> lock(m);
        filled.wait(lock, [this] { return count > 0; });
        T value = slots[first];
        first = (first + 1) % N;
        count--;
        emptied.notify_one();
        return value;
    }
};

int main() {
    Buffer<int, 1> buffer;
    std::thread producer([&buffer] {
        for (int i = 0; i < 3; i++) buffer.put(i);
    });
    for (int i = 0; i < 3; i++) assert(buffer.take() == i);
    producer.join();
}
