// Not reached: no reason to stop.
//@ verdict: safe
extern int mystery(int);

int main(void) {
    volatile int never = 0;
    if (never)
        return mystery(3);
    return 0;
}
