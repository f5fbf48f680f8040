// A pointer to a local variable of a function that has returned.
static int *escape(int *p) { return p; }

static int *make(void) {
    int local = 5;
    return escape(&local);
}

int main(void) {
    int *p = make();
    return *p; //~ VIOLATION: use-after-free
}
