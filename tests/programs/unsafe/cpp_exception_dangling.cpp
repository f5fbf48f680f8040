// The exception is gone with its handler; what it said is kept.
#include <cstdio>
#include <stdexcept>

int main() {
    const char *message = "";
    try {
        throw std::runtime_error("a");
    } catch (const std::exception &error) {
        message = error.what();
    }
    return message[0] == 'a'; //~ VIOLATION: use-after-free
}
