unsigned long long nondet_ulonglong(void);

#define any() nondet_ulonglong()
#define assume(condition) __ESBMC_assume(condition)
#define violation(text) do { __ESBMC_assert(0, text); __ESBMC_assume(0); } while (0)
