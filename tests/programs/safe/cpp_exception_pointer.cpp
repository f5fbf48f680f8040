// An exception is thrown again in two threads at once; the last one who holds it destroys it.
//@ algorithms: optimal
#include <cassert>
#include <exception>
#include <thread>

static int alive;

struct Error {
    int code;
    explicit Error(int code) : code(code) { alive++; }
    Error(const Error &other) : code(other.code) { alive++; }
    ~Error() { alive--; }
};

static int code_of(const std::exception_ptr &error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error &found) {
        return found.code;
    } catch (...) {
    }
    return 0;
}

int main() {
    std::exception_ptr error;
    assert(!std::current_exception());
    try {
        throw Error(5);
    } catch (...) {
        error = std::current_exception();
        assert(error && alive == 1);
    }
    assert(alive == 1 && !std::current_exception());
    int first = 0, second = 0;
    std::thread one([&first, error] { first = code_of(error); });
    std::thread other([&second, error] { second = code_of(error); });
    one.join();
    other.join();
    assert(first == 5 && second == 5 && alive == 1);
    error = nullptr;
    assert(alive == 0);
    int code = code_of(std::make_exception_ptr(Error(6)));
    assert(code == 6 && alive == 0);
}
