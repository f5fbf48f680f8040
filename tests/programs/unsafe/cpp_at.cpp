// The library throws, and nobody catches it.
#include <vector>

int main() {
    std::vector<int> values(3);
    return values.at(3); //~ VIOLATION: terminate
}
