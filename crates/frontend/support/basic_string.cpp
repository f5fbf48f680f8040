// std::string, whose members the GNU C++ library keeps in its shared object. For C++
// programs under check.

#include <string>

template class std::allocator<char>;
template class std::basic_string<char>;
