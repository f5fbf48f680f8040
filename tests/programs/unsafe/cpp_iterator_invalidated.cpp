// A vector grows under another thread's feet.
//@ algorithms: optimal
#include <thread>
#include <vector>

static std::vector<int> values{1, 2};

int main() {
    std::thread writer([] { values.push_back(3); });
    int &first = values.front();
    first = 5; //~ VIOLATION: use-after-free
    writer.join();
}
