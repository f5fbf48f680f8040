// What the library throws, with its messages.
//@ verdict: bounded
#include <cassert>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

template <class Error, class Action> static bool throws(Action action, const char *message) {
    try {
        action();
    } catch (const Error &error) {
        return message == nullptr || strcmp(error.what(), message) == 0;
    }
    return false;
}

static void *volatile sink;
static volatile unsigned long far_too_many = ~0ul / 4;

int main() {
    std::string text("short");
    std::function<void()> empty;
    std::weak_ptr<int> gone;
    std::thread none;
    assert(throws<std::out_of_range>([&] { text.at(9) = 'x'; }, nullptr));
    assert(throws<std::logic_error>([&] { text.substr(9); }, nullptr));
    assert(throws<std::bad_function_call>(empty, "bad_function_call"));
    assert(throws<std::bad_weak_ptr>([&] { std::shared_ptr<int> held(gone); }, "bad_weak_ptr"));
    assert(throws<std::bad_alloc>([&] { sink = new char[far_too_many]; }, "std::bad_alloc"));
    assert(throws<std::length_error>([&] { text.resize(~0ul); }, nullptr));
    assert(throws<std::system_error>([&] { none.join(); }, "Invalid argument"));
    try {
        throw std::system_error(EDEADLK, std::generic_category(), "lock");
    } catch (const std::system_error &error) {
        assert(error.code() == std::errc::resource_deadlock_would_occur);
        assert(std::string(error.what()) == std::string("lock: ") + strerror(EDEADLK));
    }
    std::runtime_error first("a message of more than fifteen characters"), second("b");
    second = first;
    assert(strcmp(second.what(), first.what()) == 0);
}
