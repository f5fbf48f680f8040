// Where schedules come from: the executable itself, a file (HEDDLE_SCHEDULE), or a file
// that is mapped and whose schedule may be replaced by a weaker one while the program
// runs (HEDDLE_CONTROL).

#define CONTROL_MAGIC 0x4c4f52544e4f4344ull // "DCONTROL"

// The beginning of a control file; see crates/runtime/src/control.rs.
typedef struct {
  uint64_t magic;
  uint64_t bytes;
  uint32_t slots, unused;
  // Where the slots stand, and the schedule that counts; 0 for none at all.
  uint64_t slots_at;
  _Atomic uint64_t schedule_at;
  _Atomic uint32_t updates;
  _Atomic uint32_t watched;
} Control;

static Control *control;
// Where the schedule that counts now stands.
static uint64_t applied_at;

static Schedule *new_schedule(const void *at, uint64_t bytes, const char *from) {
  Schedule *schedule = malloc(sizeof *schedule);
  const char *problem = schedule == NULL ? "out of memory" : read_schedule(at, bytes, schedule);
  if (problem != NULL) die(EXIT_BAD_SCHEDULE, "%s: %s", from, problem);
  return schedule;
}

static const void *map_file(const char *path, uint64_t *bytes, bool shared) {
  int file = open(path, shared ? O_RDWR : O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0)
    die(EXIT_BAD_SCHEDULE, "%s: %s", path, strerror(errno));
  *bytes = (uint64_t)status.st_size;
  if (*bytes == 0) die(EXIT_BAD_SCHEDULE, "%s: the file is empty", path);
  int protection = shared ? PROT_READ | PROT_WRITE : PROT_READ;
  void *at = mmap(NULL, *bytes, protection, shared ? MAP_SHARED : MAP_PRIVATE, file, 0);
  close(file);
  if (at == MAP_FAILED) die(EXIT_BAD_SCHEDULE, "%s: %s", path, strerror(errno));
  return at;
}

static void use_schedule(Schedule *schedule) {
  slot_count = schedule->header->threads;
  replays = (schedule->header->flags & REPLAY) != 0;
  if (slots == NULL) {
    slots = aligned_alloc(LINE, sizeof(Slot) * (slot_count + 1));
    if (slots == NULL) die(EXIT_BAD_SCHEDULE, "out of memory");
    memset(slots, 0, sizeof(Slot) * (slot_count + 1));
  }
  atomic_store(&current, schedule);
}

// Waits for new schedules. They are checked by whoever writes them; here only that they
// are whole.
static void *watch_control(void *unused) {
  for (;;) {
    uint32_t updates = atomic_load(&control->updates);
    uint64_t at = atomic_load(&control->schedule_at);
    if (at == applied_at) {
      atomic_store(&control->watched, updates);
      futex(&control->updates, FUTEX_WAIT, updates, NULL);
      continue;
    }
    applied_at = at;
    const Schedule *schedule = &no_schedule;
    if (at != 0 && at < control->bytes)
      schedule = new_schedule((char *)control + at, control->bytes - at, "the control file");
    atomic_store(&current, schedule);
    ring_all();
    atomic_store(&control->watched, updates);
  }
}

static void start_watching(void) {
  pthread_t watcher;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 65536);
  if (pthread_create(&watcher, &attributes, watch_control, NULL) != 0)
    die(EXIT_BAD_SCHEDULE, "cannot start a thread");
}

static void open_control(const char *path) {
  uint64_t bytes;
  control = (Control *)map_file(path, &bytes, true);
  if (bytes < sizeof *control || control->magic != CONTROL_MAGIC || control->bytes != bytes)
    die(EXIT_BAD_SCHEDULE, "%s: not a control file of heddle", path);
  slots = (Slot *)((char *)control + control->slots_at);
  uint64_t at = applied_at = atomic_load(&control->schedule_at);
  if (at != 0) use_schedule(new_schedule((char *)control + at, bytes - at, path));
  slot_count = control->slots;
  _Static_assert(sizeof(Slot) == 128, "as crates/runtime/src/control.rs has it");
  start_watching();
}

static void find_schedule(void) {
  const char *path = getenv("HEDDLE_CONTROL");
  if (path != NULL && *path != 0) return open_control(path);
  path = getenv("HEDDLE_SCHEDULE");
  if (path != NULL && *path != 0) {
    uint64_t bytes;
    const void *at = map_file(path, &bytes, false);
    return use_schedule(new_schedule(at, bytes, path));
  }
  if (heddle_embedded_bytes != 0)
    use_schedule(new_schedule(heddle_embedded_schedule, heddle_embedded_bytes,
                              "the schedule inside the program"));
}
