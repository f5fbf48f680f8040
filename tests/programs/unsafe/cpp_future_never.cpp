// Nobody keeps the promise.
#include <future>

int main() {
    std::promise<int> promise;
    std::future<int> value = promise.get_future();
    return value.get(); //~ VIOLATION: deadlock
}
