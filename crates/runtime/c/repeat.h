// Test mode: many runs, each in a process of its own that is forked before the program
// begins, which takes a tenth of the time that starting it takes.
//
//     HEDDLE_TEST_RUNS=SEED:COUNT:SECONDS:MOST
//
// Runs have the seeds from SEED on; every second one is delayed (see waste_time), each in
// another way. One that does not end within SECONDS fails. After MOST failures no more
// follow. Says how many failed, and how the first one did.

static void begin_run(unsigned seed, unsigned seconds) {
  // Sleeps end when they should, not fifty microseconds later.
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  alarm(seconds);
  int nowhere = open("/dev/null", O_RDWR);
  for (int file = 0; file < 3; file++) dup2(nowhere, file);
  delay = seed % 2 ? seed * 37 % 900 : 0;
  delay_most = seed % 60;
  draw_inputs(seed);
}

static void tell_end(char *text, size_t room, unsigned seed, int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    snprintf(text, room, "; run %u does not end", seed);
  else if (WIFSIGNALED(status))
    snprintf(text, room, "; run %u ends by signal %d", seed, WTERMSIG(status));
  else
    snprintf(text, room, "; run %u ends with code %d", seed, WEXITSTATUS(status));
}

// Returns in the process of a run, with its seed; the others end here.
static unsigned repeat(const char *wanted) {
  unsigned first = 0, count = 0, seconds = 0, most = 0;
  if (sscanf(wanted, "%u:%u:%u:%u", &first, &count, &seconds, &most) != 4)
    die(EXIT_BAD_SCHEDULE, "HEDDLE_TEST_RUNS is SEED:COUNT:SECONDS:MOST");
  unsigned made = 0, failed = 0;
  char how[80] = "";
  for (; made < count && failed < most; made++) {
    unsigned seed = first + made;
    pid_t child = fork();
    if (child == 0) {
      begin_run(seed, seconds);
      return seed;
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0)
      die(EXIT_BAD_SCHEDULE, "cannot start a run: %s", strerror(errno));
    if (status != 0 && failed++ == 0) tell_end(how, sizeof how, seed, status);
  }
  fprintf(stderr, "heddle: %u of %u runs failed%s\n", failed, made, how);
  _exit(0);
}
