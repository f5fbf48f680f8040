// A call through a null function pointer.
static void (*volatile callback)(void);

int main(void) {
    callback(); //~ VIOLATION: null-dereference
    return 0;
}
