// An exception must not leave a destructor, though a handler is around it.
struct Logger {
    bool &open;
    ~Logger() { if (open) throw 3; } //~ VIOLATION: terminate
};

int main() {
    bool open = true;
    try {
        Logger logger{open};
    } catch (int) {
    }
}
