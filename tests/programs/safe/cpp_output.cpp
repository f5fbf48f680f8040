// Output does not change what a program does.
//@ algorithms: optimal
#include <iostream>
#include <string>
#include <thread>

int main() {
    std::string name("name");
    std::thread t([] { std::cout << "thread " << std::this_thread::get_id() << '\n'; });
    std::cout << name << ' ' << 1 << ' ' << 2.5 << ' ' << 3ul << std::endl;
    std::cerr << "done" << std::flush;
    t.join();
}
