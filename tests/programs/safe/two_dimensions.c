// Arrays of arrays, walked by index and by pointer.
#include <assert.h>

static int grid[3][4];

int main(void) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            grid[i][j] = 10 * i + j;
    int *flat = &grid[0][0];
    assert(flat[6] == 12 && grid[2][3] == 23);
    int(*row)[4] = &grid[1];
    assert((*row)[3] == 13 && sizeof *row == 4 * sizeof(int));
    return 0;
}
