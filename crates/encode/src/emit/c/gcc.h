/* Native: choices are numbers from the file that is named, or random ones from a seed.
   Exits with 1 at a violation, with 3 if the choices are no run, else with 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *choices;
static unsigned long long seed = 1;

static unsigned long long any(void)
{
    unsigned long long value;
    if (choices != NULL) {
        if (fscanf(choices, "%llu", &value) != 1)
            exit(3);
        return value;
    }
    /* splitmix64, by Vigna */
    seed += 0x9e3779b97f4a7c15;
    value = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

#define assume(condition) do { if (!(condition)) exit(3); } while (0)
#define violation(text) do { fprintf(stderr, "%s\n", text); exit(1); } while (0)
#define NATIVE
