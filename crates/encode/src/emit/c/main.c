#ifdef NATIVE
int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--choices") == 0) {
        choices = fopen(arguments[2], "r");
        if (choices == NULL) {
            perror(arguments[2]);
            return 2;
        }
    } else if (count == 2) {
        seed = strtoull(arguments[1], NULL, 10);
    } else if (count != 1) {
        fprintf(stderr, "usage: %s [SEED | --choices FILE]\n", arguments[0]);
        return 2;
    }
    simulate();
    return 0;
}
#else
int main(void)
{
    simulate();
    return 0;
}
#endif
