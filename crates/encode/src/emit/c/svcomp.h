extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assume(int);

void reach_error(void) { __assert_fail("0", "sequential.c", 1, "reach_error"); }

#define any() ((unsigned long long)__VERIFIER_nondet_ulong())
#define assume(condition) __VERIFIER_assume(condition)
#define violation(text) do { reach_error(); abort(); } while (0)
