/* The memory at the start of each round is guessed (section 3.3.1.1 of the thesis). */
static UNUSED word memory[CELLS];
static UNUSED word guessed[ROUNDS + 1][CELLS];
static UNUSED word copies[ROUNDS + 1][CELLS];
static UNUSED unsigned round_of[THREADS];

#define LOAD(thread, cell) copies[round_of[thread]][cell]
#define STORE(thread, cell, value) copies[round_of[thread]][cell] = (value)

static UNUSED void guess(void)
{
    for (unsigned round = 0; round <= ROUNDS; round++)
        for (unsigned cell = 0; cell < CELLS; cell++) {
            guessed[round][cell] = round == 0 ? memory[cell] : bits(widths[cell]);
            copies[round][cell] = guessed[round][cell];
        }
}

/* The thread goes on in this round or in a later one, or not at all. The main thread has a
   turn after the last round. */
static UNUSED _Bool pass(unsigned thread)
{
    unsigned last = thread == 0 ? ROUNDS : ROUNDS - 1;
    round_of[thread] += (unsigned)choose(last - round_of[thread] + 2);
    return round_of[thread] <= last;
}

static UNUSED void passed(unsigned thread) { (void)thread; }

static UNUSED void end(unsigned thread) { (void)thread; }

static UNUSED void compare(void)
{
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned cell = 0; cell < CELLS; cell++)
            assume(copies[round][cell] == guessed[round + 1][cell]);
}
