/* Threads run one after the other. What went wrong counts if all guesses were right. */
static UNUSED _Bool failed;
static UNUSED _Bool ended[THREADS];

#define POINT(thread, at, here, there) if (ended[thread] || !pass(thread)) return
#define DONE(thread) passed(thread)
#define END(here)
#define FAIL(thread, text) do { failed = 1; ended[thread] = 1; } while (0)
/* When a store reaches memory: its thread may have gone on by then. */
#define FAIL_LATE(thread, text) failed = 1

static UNUSED void simulate(void)
{
    start();
    guess();
    for (unsigned thread = 0; thread < THREADS; thread++) {
        run(thread);
        end(thread);
    }
    compare();
    if (failed)
        violation("a violation");
}
