unsigned long long nondet_ulonglong(void);

#define any() nondet_ulonglong()
#define assume(condition) __CPROVER_assume(condition)
#define violation(text) do { __CPROVER_assert(0, text); __CPROVER_assume(0); } while (0)
