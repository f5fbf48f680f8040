// Bit-fields are packed, sign-extended and do not spill into each other.
#include <assert.h>

struct packet {
    unsigned version : 4;
    signed delta : 5;
    unsigned flag : 1;
    unsigned length : 22;
};

static struct packet packet = {1, -3, 1, 1000};

int main(void) {
    assert(sizeof(struct packet) == 4);
    assert(packet.version == 1 && packet.delta == -3 && packet.flag == 1);
    packet.version = 17;
    packet.delta = 15;
    packet.length--;
    assert(packet.version == 1 && packet.delta == 15);
    assert(packet.flag == 1 && packet.length == 999);
    return 0;
}
