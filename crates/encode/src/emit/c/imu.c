/* The sequence of writes to each cell is guessed, with the times at which they reach memory
   (chapter 6 of the thesis). The times of different threads' writes are different: they
   leave different remainders. */
static UNUSED word memory[CELLS];
static UNUSED word sequence[CELLS][WRITES + 1];
static UNUSED unsigned times[CELLS][WRITES + 1];
static UNUSED _Bool matched[CELLS][WRITES + 1];
static UNUSED unsigned writes[CELLS];
static UNUSED unsigned now[THREADS];
/* What the point has left in each cell at once. */
static UNUSED word left[CELLS];
static UNUSED _Bool dirty[CELLS];

#define TIMES (CELLS * WRITES + 1)
#define NEVER (TIMES * THREADS)

static UNUSED void guess(void)
{
    for (unsigned thread = 0; thread < THREADS; thread++)
        now[thread] = 1;
    for (unsigned cell = 0; cell < CELLS; cell++) {
        writes[cell] = (unsigned)choose(WRITES + 1);
        sequence[cell][0] = memory[cell];
        for (unsigned at = 1; at <= WRITES; at++) {
            sequence[cell][at] = at <= writes[cell] ? bits(widths[cell]) : 0;
            times[cell][at] = at <= writes[cell] ? (unsigned)choose(NEVER) : NEVER;
            assume(at > writes[cell] || times[cell][at - 1] < times[cell][at]);
        }
    }
}

static UNUSED word content(unsigned cell, unsigned time)
{
    word value = sequence[cell][0];
    for (unsigned at = 1; at <= WRITES; at++)
        value = at <= writes[cell] && times[cell][at] < time ? sequence[cell][at] : value;
    return value;
}

/* A thread sees others' writes of its own time, which only another thread's can be. */
static UNUSED word load(unsigned thread, unsigned cell)
{
    if (dirty[cell])
        return left[cell];
    return content(cell, now[thread] + (now[thread] % THREADS != thread));
}

static UNUSED void match(unsigned cell, unsigned time, word value)
{
    _Bool found = 0;
    for (unsigned at = 1; at <= WRITES; at++)
        if (at <= writes[cell] && times[cell][at] == time) {
            assume(!matched[cell][at] && sequence[cell][at] == value);
            matched[cell][at] = 1;
            found = 1;
        }
    assume(found);
}

#define LOAD(thread, cell) load(thread, cell)
#define STORE(thread, cell, value) do { left[cell] = (value); dirty[cell] = 1; } while (0)
#define NOW(thread) now[thread]
#define DELAY(thread) delay(thread)
#define WAITS(arrival, time) ((arrival) >= (time))
#define LAND(thread, arrival, cell, value) if ((arrival) < NEVER) match(cell, arrival, value)
#define LIFE_AT(thread, arrival, cell) ((arrival) < NEVER && content(cell, arrival) == 1)

/* When a store of the point reaches memory. */
static UNUSED unsigned delay(unsigned thread)
{
    unsigned arrival = (unsigned)choose(TIMES + 1) * THREADS + thread;
    if (arrival >= NEVER)
        return NEVER;
    assume(arrival >= now[thread]);
    return arrival;
}

static UNUSED _Bool pass(unsigned thread)
{
    unsigned more = (unsigned)choose(NEVER - now[thread] + 1);
    now[thread] += more;
    return now[thread] < NEVER;
}

static UNUSED void passed(unsigned thread)
{
    _Bool wrote = 0;
    for (unsigned cell = 0; cell < CELLS; cell++)
        if (dirty[cell]) {
            assume(now[thread] % THREADS == thread);
            match(cell, now[thread], left[cell]);
            dirty[cell] = 0;
            wrote = 1;
        }
    now[thread] += wrote;
}

static UNUSED void end(unsigned thread) { (void)thread; }

static UNUSED void compare(void)
{
    for (unsigned cell = 0; cell < CELLS; cell++)
        for (unsigned at = 1; at <= WRITES; at++)
            assume(at > writes[cell] || matched[cell][at]);
}
