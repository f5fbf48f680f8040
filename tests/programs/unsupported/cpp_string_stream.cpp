// Streams other than the standard ones are not modelled.
//@ algorithms: optimal
#include <sstream>

int main() {
    std::ostringstream out; //~ UNSUPPORTED: which has no body and no model
    out << 3;
}
