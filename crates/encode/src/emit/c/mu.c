/* The sequence of all writes is guessed, with what every cell holds after each of them
   (chapter 5 of the thesis, the explicit schema). A position is that of a point: all of its
   writes are there. */
static UNUSED word memory[CELLS];
static UNUSED word after[WRITES + 1][CELLS];
static UNUSED unsigned writer[WRITES + 1];
static UNUSED unsigned writes;
static UNUSED unsigned position[THREADS];
/* What the point sees, and whether the position is its own and it wrote. */
static UNUSED word view[CELLS];
static UNUSED _Bool own;
static UNUSED _Bool wrote;

#define LOAD(thread, cell) view[cell]
#define STORE(thread, cell, value) do { view[cell] = (value); wrote = 1; } while (0)

static UNUSED void guess(void)
{
    writes = (unsigned)choose(WRITES + 1);
    for (unsigned at = 0; at <= WRITES; at++) {
        writer[at] = at == 0 || at > writes ? THREADS : (unsigned)choose(THREADS);
        for (unsigned cell = 0; cell < CELLS; cell++)
            after[at][cell] = at == 0 ? memory[cell] : at > writes ? 0 : bits(widths[cell]);
    }
}

static UNUSED void none_between(unsigned thread, unsigned from, unsigned to)
{
    for (unsigned at = 1; at <= WRITES; at++)
        assume(!(from < at && at < to) || writer[at] != thread);
}

static UNUSED _Bool pass(unsigned thread)
{
    unsigned to = position[thread] + (unsigned)choose(writes - position[thread] + 2);
    if (to > writes)
        return 0;
    none_between(thread, position[thread], to);
    own = to > position[thread] && writer[to] == thread;
    for (unsigned cell = 0; cell < CELLS; cell++)
        view[cell] = after[own ? to - 1 : to][cell];
    wrote = 0;
    position[thread] = to;
    return 1;
}

static UNUSED void passed(unsigned thread)
{
    assume(own == wrote);
    for (unsigned cell = 0; cell < CELLS; cell++)
        assume(!own || after[position[thread]][cell] == view[cell]);
}

static UNUSED void end(unsigned thread) { none_between(thread, position[thread], WRITES + 1); }

static UNUSED void compare(void) {}
