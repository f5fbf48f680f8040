// Nobody keeps the promise.
//@ algorithms: optimal
#include <future>

int main() {
    std::promise<int> promise;
    std::future<int> value = promise.get_future();
    return value.get(); //~ VIOLATION: deadlock
}
