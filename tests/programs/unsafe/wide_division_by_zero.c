// Division of integers of 128 bits.
static volatile unsigned long none;

int main(void) {
    unsigned __int128 x = (unsigned __int128)1 << 70;
    return (int)(x / none); //~ VIOLATION: division-by-zero
}
