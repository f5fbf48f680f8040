// Threads, by their path: the n-th child of their parent. A thread that the schedule
// does not name has no slot and no constraints.

#define NO_SLOT (-1)
#define LINE 64
#define FOREVER INT64_MAX

enum { RUNS, WAITS_FOR_EVENT, WAITS_FOR_OTHERS, ENDED };

// What other threads see of one. On cache lines of its own.
typedef struct {
  // One more than the last event that was announced; the largest number at the end.
  _Alignas(LINE) _Atomic uint64_t done;
  // Rung whenever something changes that the thread may wait for.
  _Alignas(LINE) _Atomic uint32_t doorbell;
  _Atomic uint32_t parked;
  _Atomic uint32_t state;
  _Atomic uint32_t exists;
  // What it waits for.
  _Atomic uint32_t awaited_thread, awaited_index;
  // One more than the event that the thread stands before, or stood before last; 0 while
  // what that touches is changed.
  _Atomic uint64_t stands, address;
  _Atomic uint32_t bytes;
} Slot;

// What an event touches; no bytes if it is no access.
typedef struct {
  uint64_t address;
  uint32_t bytes;
} Place;

typedef struct {
  int slot;
  uint32_t children;
  // Index of the next event that the schedule speaks of.
  uint64_t next;
  uint32_t inputs;
  uint64_t random;
} Self;

static __thread Self self = {.slot = NO_SLOT};
__thread int64_t heddle_left = FOREVER;

static Slot *slots;
// Threads that the schedule does not know.
static _Atomic uint32_t strangers;
static uint32_t slot_count;

static _Atomic(const Schedule *) current;
static const Schedule no_schedule;
static bool replays;
static bool continues;
// Seconds after which a wait for an event is given up; 0 for never.
static unsigned patience;

// Test mode: every event takes the slow path, and `delay` in 1000 wait up to
// `delay_most` microseconds.
static unsigned delay, delay_most;

static long futex(_Atomic uint32_t *word, int operation, uint32_t value,
                  const struct timespec *timeout) {
  return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

// Who rings has changed something before, and who parks says so before it looks for the
// last time; so one of the two notices the other.
static void ring(Slot *slot) {
  if (!atomic_load(&slot->parked)) return;
  atomic_fetch_add(&slot->doorbell, 1);
  futex(&slot->doorbell, FUTEX_WAKE, INT_MAX, NULL);
}

static void ring_all(void) {
  for (uint32_t at = 0; at < slot_count; at++) ring(&slots[at]);
}

static int find_slot(int parent, uint32_t nth) {
  const Schedule *schedule = atomic_load(&current);
  if (parent == NO_SLOT || schedule->header == NULL) return NO_SLOT;
  for (uint32_t at = 1; at < schedule->header->threads; at++) {
    const ThreadEntry *entry = &schedule->threads[at];
    if ((int)entry->parent == parent && entry->nth == nth) return (int)at;
  }
  return NO_SLOT;
}

static const char *thread_name(int slot, char *text, size_t room) {
  const Schedule *schedule = atomic_load(&current);
  if (slot == NO_SLOT) snprintf(text, room, "a thread that the schedule does not know");
  else if (slot == 0 || schedule->header == NULL) snprintf(text, room, "main");
  else {
    char parent[128];
    const ThreadEntry *entry = &schedule->threads[slot];
    thread_name((int)entry->parent, parent, sizeof parent);
    snprintf(text, room, "%s.%u", parent, entry->nth);
  }
  return text;
}
