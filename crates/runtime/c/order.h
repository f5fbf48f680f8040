// Waiting for other threads' events, and announcing one's own.
//
// No wake-up is lost: a waiter reads its doorbell, says that it parks, looks once more
// whether it may go on, and sleeps unless the bell has been rung since; whoever changes
// what it looks at rings afterwards.

#define SPINS 64
#define YIELDS 16

// Nobody may be able to move any more: looked at as often.
#define WATCH_NANOSECONDS 200000000
// A wait of this length is worth a word.
#define WARN_SECONDS 10u

// The event of a thread with this index or the next one behind it.
static const EventEntry *find_event(const Schedule *schedule, int slot, uint64_t index) {
  if (schedule->header == NULL || slot == NO_SLOT) return NULL;
  if ((uint32_t)slot >= schedule->header->threads) return NULL;
  const ThreadEntry *thread = &schedule->threads[slot];
  const EventEntry *events = schedule->events + thread->first_event;
  uint32_t low = 0, high = thread->events;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (events[middle].index < index) low = middle + 1;
    else high = middle;
  }
  return low < thread->events ? &events[low] : NULL;
}

static uint64_t limit_of(const Schedule *schedule, int slot) {
  if (!replays || schedule->header == NULL) return UINT64_MAX;
  return slot == NO_SLOT ? 0 : schedule->threads[slot].limit;
}

// From now on the thread has passed `passed` events.
static void count_from(uint64_t passed) {
  const Schedule *schedule = atomic_load_explicit(&current, memory_order_acquire);
  const EventEntry *event = find_event(schedule, self.slot, passed);
  uint64_t limit = limit_of(schedule, self.slot);
  uint64_t next = event == NULL ? limit : event->index < limit ? event->index : limit;
  if (delay != 0) next = passed;
  self.next = next;
  heddle_left = next == UINT64_MAX ? FOREVER : (int64_t)(next - passed);
}

static void announce(uint64_t done, const uint32_t *targets, uint32_t count) {
  atomic_store(&slots[self.slot].done, done);
  for (uint32_t at = 0; at < count; at++) ring(&slots[targets[at]]);
}

// The program does what was never proven.
static void leave(const char *format, ...) {
  char what[384], name[160];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  thread_name(self.slot, name, sizeof name);
  const char *message = replays ? "%s does not follow the schedule: %s"
                                : "%s has left the proven schedules: %s";
  char text[600];
  snprintf(text, sizeof text, message, name, what);
  if (!continues || replays) die(EXIT_LEFT, "%s", text);
  fprintf(stderr, "heddle: warning: %s; going on without constraints\n", text);
  atomic_store(&current, &no_schedule);
  ring_all();
}

// This thread stands before the event `index`: those that wait for it only if they touch
// the same memory may go on.
static void stand(uint64_t index, Place place) {
  const Schedule *schedule = atomic_load_explicit(&current, memory_order_acquire);
  const EventEntry *event = find_event(schedule, self.slot, index);
  if (place.bytes == 0 || event == NULL || event->index != index || event->targets == 0) return;
  Slot *me = &slots[self.slot];
  atomic_store_explicit(&me->stands, 0, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&me->address, place.address, memory_order_relaxed);
  atomic_store_explicit(&me->bytes, place.bytes, memory_order_relaxed);
  atomic_store(&me->stands, index + 1);
  for (uint32_t at = 0; at < event->targets; at++)
    ring(&slots[schedule->targets[event->first_target + at]]);
}

// The other thread stands before the first event of the edge, and touches something else.
static bool is_apart(const EdgeEntry *edge, Place place) {
  if (!IS_CONDITIONAL(edge) || place.bytes == 0) return false;
  Slot *other = &slots[THREAD_OF(edge)];
  uint64_t stands = atomic_load(&other->stands);
  if (stands != (uint64_t)edge->index + 1) return false;
  uint64_t address = atomic_load_explicit(&other->address, memory_order_relaxed);
  uint64_t bytes = atomic_load_explicit(&other->bytes, memory_order_relaxed);
  atomic_thread_fence(memory_order_acquire);
  if (atomic_load_explicit(&other->stands, memory_order_relaxed) != stands) return false;
  return address + bytes <= place.address || place.address + place.bytes <= address;
}

// The first edge of an event that is not kept yet.
static const EdgeEntry *unmet(const Schedule *schedule, const EventEntry *event, Place place) {
  for (uint32_t at = 0; at < event->edges; at++) {
    const EdgeEntry *edge = &schedule->edges[event->first_edge + at];
    if (atomic_load_explicit(&slots[THREAD_OF(edge)].done, memory_order_acquire) <= edge->index &&
        !is_apart(edge, place))
      return edge;
  }
  return NULL;
}

static uint64_t bells(void) {
  uint64_t sum = 0;
  for (uint32_t at = 0; at < slot_count; at++)
    sum += atomic_load(&slots[at].doorbell) + atomic_load(&slots[at].done);
  return sum;
}

// No thread of the schedule can move, and one waits for an event.
static bool all_wait(void) {
  if (atomic_load(&strangers) != 0) return false;
  for (uint32_t at = 0; at < slot_count; at++) {
    if (atomic_load(&slots[at].exists) && atomic_load(&slots[at].state) == RUNS) return false;
  }
  return true;
}

static uint64_t seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec;
}

// A thread has waited for long, and another one seems to run. That may be right: it may
// compute, or it may wait in a loop for what never comes, which nobody can tell. So it is
// said once, and if a time was set (HEDDLE_WATCH), the wait ends then.
static void watch(Slot *me, uint64_t since) {
  static atomic_flag said = ATOMIC_FLAG_INIT;
  uint64_t waited = seconds_now() - since;
  if (waited < (patience != 0 ? patience : WARN_SECONDS)) return;
  char name[160], own[160];
  uint32_t index = atomic_load(&me->awaited_index);
  thread_name((int)atomic_load(&me->awaited_thread), name, sizeof name);
  if (patience != 0) {
    leave("it has waited %u s for event %u of %s", patience, index, name);
  } else if (!atomic_flag_test_and_set(&said)) {
    fprintf(stderr,
            "heddle: warning: %s has waited %u s for event %u of %s; if the program does not go "
            "on, it has left the proven schedules (HEDDLE_WATCH=SECONDS sets a limit)\n",
            thread_name(self.slot, own, sizeof own), WARN_SECONDS, index, name);
  }
}

static void park(Slot *me, uint32_t bell, uint64_t since) {
  static _Atomic uint64_t quiet;
  struct timespec timeout = {0, WATCH_NANOSECONDS};
  long result = futex(&me->doorbell, FUTEX_WAIT, bell, &timeout);
  if (result == 0 || errno != ETIMEDOUT) return;
  if (!all_wait()) return watch(me, since);
  // Twice in a row nothing has happened: nothing ever will.
  uint64_t now = bells() + 1;
  if (atomic_exchange(&quiet, now) != now) return;
  char name[160];
  thread_name((int)atomic_load(&me->awaited_thread), name, sizeof name);
  leave("it waits for event %u of %s, which does not come", atomic_load(&me->awaited_index), name);
}

// Waits until the event `index` of this thread may happen.
static void await_turn(uint64_t index, uint32_t site, Place place) {
  Slot *me = &slots[self.slot];
  uint64_t since = 0;
  for (unsigned tries = 0;; tries++) {
    uint32_t bell = atomic_load(&me->doorbell);
    const Schedule *schedule = atomic_load_explicit(&current, memory_order_acquire);
    const EventEntry *event = find_event(schedule, self.slot, index);
    if (event == NULL || event->index != index) break;
    if (tries == 0 && event->site != site && event->site != ANY_SITE) {
      leave("its event %llu is another one than in the schedule", (unsigned long long)index);
      continue;
    }
    const EdgeEntry *edge = unmet(schedule, event, place);
    if (edge == NULL) break;
    if (tries < SPINS) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    } else if (tries < SPINS + YIELDS) {
      sched_yield();
    } else {
      atomic_store(&me->awaited_thread, THREAD_OF(edge));
      atomic_store(&me->awaited_index, edge->index);
      atomic_store(&me->state, WAITS_FOR_EVENT);
      atomic_store(&me->parked, 1);
      atomic_thread_fence(memory_order_seq_cst);
      if (unmet(schedule, event, place) != NULL && atomic_load(&current) == schedule) {
        if (since == 0) since = seconds_now();
        park(me, bell, since);
      }
      atomic_store(&me->parked, 0);
      atomic_store(&me->state, RUNS);
    }
  }
}

// In a replay everybody else stops where the schedule ends.
static void hold(void) {
  const Schedule *schedule = atomic_load(&current);
  if (self.slot != NO_SLOT && (uint32_t)self.slot == schedule->header->failing)
    leave("it goes on where it should fail");
  for (;;) pause();
}

static void waste_time(void) {
  self.random = self.random * 6364136223846793005ull + 1442695040888963407ull;
  uint64_t draw = self.random >> 33;
  if (draw % 1000 >= delay) return;
  uint64_t most = delay_most == 0 ? 1 : delay_most;
  struct timespec time = {0, (long)(draw / 1000 % most) * 1000};
  if (time.tv_nsec == 0) sched_yield();
  else nanosleep(&time, NULL);
}
