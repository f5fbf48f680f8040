/* Threads take turns, round after round (Figures 2.8 and 2.9). */
static UNUSED word memory[CELLS];
/* The next point of each thread, and the one before which its turn ends. */
static UNUSED unsigned next[THREADS];
static UNUSED unsigned stop;
/* How many turns there were, and whose moved last. */
static UNUSED unsigned turn;
static UNUSED unsigned mover;

#define POINT(thread, at, here, there) here: UNUSED; if (next[thread] > (at) || (at) >= stop) goto there
#define DONE(thread)
#define END(here) here: UNUSED;
#define LOAD(thread, cell) memory[cell]
#define STORE(thread, cell, value) memory[cell] = (value)
#define FAIL(thread, text) violation(text)
#define FAIL_LATE(thread, text) violation(text)

/* Stores that wait: the turn at the start of which they reach memory. One of this turn is
   in memory at once. */
#define NOW(thread) turn
#define NEVER (ROUNDS * THREADS + 1)
#define DELAY(thread) (turn + (unsigned)choose(NEVER - turn + 1))
#define WAITS(arrival, now) ((arrival) > (now))
#define LAND(thread, arrival, cell, value) if ((arrival) == turn) memory[cell] = (value)
#define LIFE_AT(thread, arrival, cell) ((arrival) == turn && memory[cell] == 1)

/* A thread moves: the one that moved before it was left at a point where it may be. */
static UNUSED void move(unsigned thread)
{
    if (mover != thread && next[mover] > 0 && next[mover] < points[mover])
        assume(OPEN(mover, next[mover]));
    mover = thread;
}

static UNUSED void simulate(void)
{
    start();
    for (turn = 0; turn <= ROUNDS * THREADS; turn++) {
        unsigned thread = turn % THREADS;
        arrive();
        stop = next[thread] + (unsigned)choose(points[thread] - next[thread] + 1);
        if (stop > next[thread]) {
            move(thread);
            run(thread);
        }
        next[thread] = stop;
    }
}
