// std::osyncstream: output of threads that is not torn, and numbers of threads.
//@ cflags: -std=c++20
#include <cassert>
#include <iostream>
#include <syncstream>
#include <thread>

static int total;

static void work(int number) {
    std::osyncstream{std::cout} << "worker " << number << '\n';
    std::osyncstream out(std::cout);
    out << std::this_thread::get_id() << std::endl;
    out.emit();
    total += number;
}

int main() {
    std::jthread first(work, 1);
    first.join();
    work(2);
    assert(total == 3);
    return 0;
}
