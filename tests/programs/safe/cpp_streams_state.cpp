// Manipulators, states of streams, and what is typed at std::cin: any number, none, or the end.
//@ engines: lazy
#include <cassert>
#include <iomanip>
#include <iostream>
#include <random>
#include <thread>

int main() {
    std::thread other([] { std::cout << std::boolalpha << true << std::setw(3) << 7 << '\n'; });
    std::cout << std::hex << std::setprecision(2) << 1.5 << std::endl;
    other.join();
    assert(std::cout.good() && !std::cout.fail() && std::cout);
    int number = 5;
    if (std::cin >> number)
        assert(std::cin.good());
    else if (std::cin.eof())
        assert(number == 5 && !std::cin);
    else
        assert(number == 0 && std::cin.fail());
    std::cin.clear();
    assert(std::cin.rdstate() == std::ios::goodbit);
    std::random_device device;
    assert(device() <= device.max());
    return 0;
}
