// The library throws for the program.
//@ algorithms: optimal
#include <vector>

int main() {
    std::vector<int> values(3);
    return values.at(3); //~ UNSUPPORTED: std::out_of_range thrown here
}
