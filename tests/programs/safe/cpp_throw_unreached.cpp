// Code that could throw and catch is fine as long as it does not.
//@ algorithms: optimal
#include <cassert>
#include <stdexcept>
#include <vector>

struct Closer {
    int &closed;
    ~Closer() { closed++; }
};

static int checked(int n) {
    if (n < 0) throw std::runtime_error("negative");
    return n;
}

int main() {
    int closed = 0;
    std::vector<int> values{1, 2, 3};
    try {
        Closer closer{closed};
        checked(values.at(2));
    } catch (const std::exception &) {
        assert(0);
    }
    assert(closed == 1);
}
