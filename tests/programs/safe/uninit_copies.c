// Copies, masks and shifts of what was never written decide nothing.
//@ args: --check assert,uninit
//@ lazy: skip  it does not look for undefined values
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

struct wide {
    char tag;
    int64_t value;
};

static _Atomic(uint32_t) word;

int main(void) {
    struct wide made, copy;
    made.tag = 2;
    made.value = -1;
    copy = made;
    unsigned char bytes[sizeof made];
    memcpy(bytes, &copy, sizeof made);
    assert(bytes[0] == 2 && bytes[8] == 0xff);
    uint32_t part;
    ((unsigned char *)&part)[1] = 7;
    atomic_store(&word, part);
    assert((atomic_load(&word) >> 8 & 0xff) == 7);
    part = part << 16 & 0xff000000;
    assert(part == 0x07000000);
    return 0;
}
