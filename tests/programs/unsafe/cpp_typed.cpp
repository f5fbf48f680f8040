// A program of C++20, with a number that somebody types.
//@ engines: lazy
#include <cassert>
#include <iostream>
#include <thread>

int main() {
    int typed = 0;
    std::cin >> typed;
    int doubled = 0;
    {
        std::jthread other([&] { doubled = typed * 2; });
    }
    assert(doubled != 84); //~ VIOLATION: assertion
    return 0;
}
