// A loop that waits for memory which nobody else can ever see is no wait: it just never ends.
//@ models: sc tso pso
//@ algorithms: dpor optimal
int main(void) {
    int mine = 0;
    while (__sync_fetch_and_add(&mine, 0) == 0) {
    }
    return 0;
}
