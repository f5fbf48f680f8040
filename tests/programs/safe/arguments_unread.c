// Arguments that nobody looks at are no bound.
int main(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return 0;
}
