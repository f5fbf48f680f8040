// A detached thread uses a global that main's end destroys.
#include <memory>
#include <thread>

static std::unique_ptr<int> shared = std::make_unique<int>(1);

int main() {
    std::thread([] {
        int *value = shared.get();
        if (value) *value = 2; //~ VIOLATION: use-after-free
    }).detach();
}
