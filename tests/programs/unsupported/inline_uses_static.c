// C does not allow an inline function to use a variable that only its file knows.
static int hidden;

inline int next(void) { return ++hidden; }

int main(void) {
    hidden = 1;
    return next(); //~ UNSUPPORTED: next()
}
