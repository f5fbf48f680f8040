// A jump to what is no label.
int main(void) {
    static void *labels[] = {&&here, 0};
    static volatile int which = 1;
    goto *labels[which]; //~ UNSUPPORTED: computed goto
here:
    return 0;
}
