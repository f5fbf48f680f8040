// Flags after -- reach the compiler.
//@ cflags: -DANSWER=42 -std=c11
_Static_assert(ANSWER == 42, "defined on the command line");

int main(void) { return 0; }
