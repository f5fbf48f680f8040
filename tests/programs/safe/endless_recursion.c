// Recursion without end is cut at the stack limit: a bound, not a violation.
//@ verdict: bounded
static int down(int n) { return down(n + 1) + 1; }

int main(void) { return down(0); }
