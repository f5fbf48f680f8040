// Names that CBMC and ESBMC have for what SV-COMP calls __VERIFIER_…, and assert without its
// header. Functions of these names that the program has are its own.
//@ models: sc tso pso
#include <pthread.h>

void __CPROVER_assume(_Bool);
void __CPROVER_assert(_Bool, const char *);
void __CPROVER_atomic_begin(void);
void __CPROVER_atomic_end(void);
void __ESBMC_assume(_Bool);
void __ESBMC_assert(_Bool, const char *);
void __ESBMC_atomic_begin(void);
void __ESBMC_atomic_end(void);
void assert(int);
_Bool nondet_bool(void);
unsigned char nondet_uchar(void);
int nondet_of_mine(void) { return 3; }
void __VERIFIER_nondet_memory(void *, unsigned long);

static int counter, other;

static void *work(void *arg) {
    __CPROVER_atomic_begin();
    counter++;
    __CPROVER_atomic_end();
    __ESBMC_atomic_begin();
    other++;
    __ESBMC_atomic_end();
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    __CPROVER_assert(counter == 2, "counted");
    __ESBMC_assert(other == 2, "counted");
    unsigned char small = nondet_uchar();
    __CPROVER_assume(small < 4);
    __ESBMC_assume(small != 2);
    assert(small == 0 || small == 1 || small == 3);
    _Bool flag = nondet_bool();
    assert(flag == 0 || flag == 1);
    assert(nondet_of_mine() == 3);
    unsigned char byte = 1;
    __VERIFIER_nondet_memory(&byte, 0);
    assert(byte == 1);
    return 0;
}
