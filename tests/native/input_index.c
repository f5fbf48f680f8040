// Figure 2 of the paper: two threads write to places that inputs choose. Only if both are
// the same does their order matter.
#include <assert.h>
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

int cell[4];
unsigned p, q;

void *writer(void *unused) {
  cell[p] = 1;
  return 0;
}

void *reader(void *unused) {
  int seen = cell[q];
  assert(p != q || seen == 1);
  return 0;
}

int main(void) {
  p = __VERIFIER_nondet_uint() % 4;
  q = __VERIFIER_nondet_uint() % 4;
  pthread_t one, two;
  pthread_create(&one, 0, writer, 0);
  pthread_create(&two, 0, reader, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
