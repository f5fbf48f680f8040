// Where it all begins: before the program's own constructors.

static void begin_thread(int slot, uint64_t seed) {
  self.slot = slot;
  self.random = seed;
  if (slot != NO_SLOT) atomic_store(&slots[slot].exists, 1);
  count_from(0);
}

__attribute__((constructor(101))) static void begin(void) {
  atomic_store(&current, &no_schedule);
  const char *action = getenv("HEDDLE_ON_LEAVE");
  continues = action != NULL && strcmp(action, "continue") == 0;
  const char *seconds = getenv("HEDDLE_WATCH");
  if (seconds != NULL) patience = (unsigned)strtoul(seconds, NULL, 10);
  const char *delays = getenv("HEDDLE_TEST_DELAY");
  unsigned seed = 0;
  if (delays != NULL) sscanf(delays, "%u:%u:%u", &seed, &delay, &delay_most);
  find_schedule();
  const char *runs = getenv("HEDDLE_TEST_RUNS");
  if (runs != NULL) seed = repeat(runs);
  begin_thread(atomic_load(&current)->header != NULL ? 0 : NO_SLOT, seed);
}
