// Atomic accesses of 16 bytes.
static unsigned __int128 shared;

int main(void) {
    return (int)__atomic_load_n(&shared, __ATOMIC_SEQ_CST); //~ UNSUPPORTED: atomic access to type i128
}
