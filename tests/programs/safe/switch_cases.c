// switch with gaps, fall-through and a default.
#include <assert.h>

static int classify(int c) {
    int score = 0;
    switch (c) {
    case -1:
        return -1;
    case 3:
        score += 1;
        // fall through
    case 4:
        score += 10;
        break;
    case 1000:
        score = 1000;
        break;
    default:
        score = 7;
    }
    return score;
}

int main(void) {
    assert(classify(-1) == -1 && classify(3) == 11 && classify(4) == 10);
    assert(classify(1000) == 1000 && classify(5) == 7);
    return 0;
}
