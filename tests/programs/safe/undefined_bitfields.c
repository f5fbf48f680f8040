// Bit-fields of one word are set one by one, some never: those that were set are known.
#include <assert.h>

struct flags {
    unsigned ready : 1;
    unsigned count : 7;
    signed level : 4;
    unsigned rest : 20;
};

int main(void) {
    struct flags flags;
    flags.count = 100;
    flags.level = -3;
    assert(flags.count == 100);
    assert(flags.level == -3);
    flags.count++;
    struct flags copy = flags;
    assert(copy.count == 101 && copy.level == -3);
    copy.ready = 1;
    assert(copy.ready);
    return 0;
}
