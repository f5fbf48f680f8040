// Before the start of an array on the stack.
static int last(const int *a, int n) { return a[n - 1]; } //~ VIOLATION: out-of-bounds

int main(void) {
    int a[3] = {1, 2, 3};
    return last(a, 0);
}
