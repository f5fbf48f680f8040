// Options of the command line, short and long.
#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *arguments[] = {"program", "-v", "-n3", "--size=4", "--", "rest", NULL};
    int count = 6;
    static const struct option options[] = {{"size", required_argument, 0, 's'}, {0, 0, 0, 0}};
    int verbose = 0, number = 0, size = 0, option;
    while ((option = getopt_long(count, arguments, "vn:", options, NULL)) != -1) {
        if (option == 'v') verbose = 1;
        if (option == 'n') number = atoi(optarg);
        if (option == 's') size = (int)strtod(optarg, NULL);
    }
    assert(verbose && number == 3 && size == 4);
    assert(optind == count - 1 && strcmp(arguments[optind], "rest") == 0);
}
