// Constructors of globals run before main, destructors after it, the last one first.
//@ algorithms: optimal
#include <cassert>

static int log_of_ends[3], ended;

struct Logger {
    int id;
    explicit Logger(int n) : id(n) {}
    ~Logger() {
        log_of_ends[ended++] = id;
        if (ended == 2) assert(log_of_ends[0] == 2 && log_of_ends[1] == 1);
    }
};

static Logger first(1), second(2);

int main() { assert(first.id == 1 && second.id == 2 && ended == 0); }
