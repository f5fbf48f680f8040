// Two views of the same bytes, of different width.
#include <assert.h>
#include <stdint.h>

union word {
    uint32_t whole;
    uint16_t halves[2];
    uint8_t bytes[4];
    float real;
};

static union word word;

int main(void) {
    word.whole = 0x11223344;
    assert(word.bytes[0] == 0x44 && word.bytes[3] == 0x11);
    word.halves[0] = 0xbeef;
    assert(word.whole == 0x1122beef);
    word.real = 1.0f;
    assert(word.whole == 0x3f800000);
    return 0;
}
