// A pointer into an array of variable length is used after the array's block.
static int last(int n) {
    int *kept = 0;
    for (int i = 1; i <= n; i++) {
        int parts[i];
        parts[i - 1] = i;
        kept = &parts[i - 1];
    }
    return *kept; //~ VIOLATION: use-after-free
}

int main(void) {
    return last(3) - 3;
}
