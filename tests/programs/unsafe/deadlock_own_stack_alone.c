// Main has shown its variable before any thread was there, and waits for it.
//@ models: sc tso pso
static volatile int *where;

int main(void) {
    volatile int flag = 0;
    where = &flag;
    while (!flag) //~ VIOLATION: deadlock
        ;
    return 0;
}
