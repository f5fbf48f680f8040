// An index beyond the vector.
typedef int four __attribute__((vector_size(16)));

static volatile int last = 4;

int main(void) {
    four v = {1, 2, 3, 4};
    return v[last]; //~ VIOLATION: out-of-bounds
}
