// A C++ function as the entry, by its name in the source.
//@ args: --entry check_all
#include <cassert>

namespace bank {
void check_all() { assert(2 > 1); }
} // namespace bank

int main() { assert(0); }
