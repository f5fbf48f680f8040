// Each call has a frame of its own.
#include <assert.h>

static int differs(void *outer) { return __builtin_frame_address(0) != outer; }

int main(void) {
    void *frame = __builtin_frame_address(0), *caller = __builtin_return_address(0);
    assert(frame && frame == __builtin_frame_address(0) && differs(frame));
    (void)caller;
    return 0;
}
