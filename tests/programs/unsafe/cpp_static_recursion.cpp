// A static that needs itself to be made.
//@ algorithms: optimal
static int make();

static int &value() {
    static int v = make(); //~ VIOLATION: deadlock
    return v;
}

static int make() { return value() + 1; }

int main() { return value(); }
