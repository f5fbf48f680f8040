// Schedules as they stand in memory: see crates/constraint/src/file.rs, which writes
// them. All numbers are little-endian; the parts follow each other without gaps.

#define SCHEDULE_MAGIC 0x5344454c44444548ull // "HEDDLEDS"
#define SCHEDULE_VERSION 1u

// The order is total, and leads to a violation.
#define REPLAY 1u

// Stand for the instruction of an event that is none: an operation of the library, the
// end of variables.
#define LIBRARY_SITE 0xfffffffeu
#define SCOPE_SITE 0xffffffffu
// Whatever the instruction is.
#define ANY_SITE 0xfffffffdu

typedef struct {
  uint64_t magic;
  uint32_t version;
  uint32_t flags;
  uint64_t program;
  uint32_t threads;
  uint32_t events;
  uint32_t edges;
  uint32_t targets;
  uint32_t inputs;
  // For a replay, the thread that fails.
  uint32_t failing;
  uint64_t bytes;
  // FNV-1a of what follows.
  uint64_t checksum;
} Header;

typedef struct {
  uint32_t parent, nth;
  uint32_t first_event, events;
  uint32_t first_input, inputs;
  // For a replay, how many events the thread passes.
  uint32_t limit;
  uint32_t unused;
} ThreadEntry;

typedef struct {
  uint32_t index, site;
  uint32_t first_edge, edges;
  // Threads that wait for it.
  uint32_t first_target, targets;
} EventEntry;

// An edge with a condition is marked: it counts only if both events touch the same memory.
#define CONDITIONAL 0x80000000u

typedef struct {
  uint32_t marked_thread, index;
} EdgeEntry;

#define THREAD_OF(edge) ((edge)->marked_thread & ~CONDITIONAL)
#define IS_CONDITIONAL(edge) (((edge)->marked_thread & CONDITIONAL) != 0)

typedef struct {
  const Header *header;
  const ThreadEntry *threads;
  const EventEntry *events;
  const EdgeEntry *edges;
  const uint32_t *targets;
  const uint64_t *inputs;
} Schedule;

extern const uint64_t heddle_program_hash;
extern const uint64_t heddle_embedded_bytes;
extern const char heddle_embedded_schedule[];

#define EXIT_BAD_SCHEDULE 97
#define EXIT_LEFT 98

_Noreturn static void die(int code, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  int length = snprintf(text, sizeof text, "heddle: ");
  length += vsnprintf(text + length, sizeof text - (size_t)length - 2, format, args);
  va_end(args);
  if (length > (int)sizeof text - 2) length = sizeof text - 2;
  text[length] = '\n';
  if (write(2, text, (size_t)length + 1) < 0) _exit(code);
  _exit(code);
}

static uint64_t checksum(const unsigned char *data, uint64_t bytes) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (uint64_t at = 0; at < bytes; at++) hash = (hash ^ data[at]) * 0x100000001b3ull;
  return hash;
}

// What is wrong with a schedule, or NULL. `at` is aligned to 8 bytes.
static const char *read_schedule(const void *at, uint64_t bytes, Schedule *schedule) {
  const Header *header = at;
  if (bytes < sizeof *header || header->magic != SCHEDULE_MAGIC) return "not a schedule of heddle";
  if (header->version != SCHEDULE_VERSION) return "a schedule of another version of heddle";
  uint64_t threads = (uint64_t)header->threads * sizeof(ThreadEntry);
  uint64_t events = (uint64_t)header->events * sizeof(EventEntry);
  uint64_t edges = (uint64_t)header->edges * sizeof(EdgeEntry);
  uint64_t targets = (uint64_t)header->targets * sizeof(uint32_t) + header->targets % 2 * 4;
  uint64_t inputs = (uint64_t)header->inputs * sizeof(uint64_t);
  uint64_t wanted = sizeof *header + threads + events + edges + targets + inputs;
  if (header->bytes != wanted || bytes < wanted) return "a schedule that is cut off";
  const char *rest = (const char *)(header + 1);
  if (checksum((const unsigned char *)rest, wanted - sizeof *header) != header->checksum)
    return "a schedule that is damaged";
  if (header->program != heddle_program_hash) return "a schedule for another program";
  *schedule = (Schedule){
      header,
      (const ThreadEntry *)rest,
      (const EventEntry *)(rest + threads),
      (const EdgeEntry *)(rest + threads + events),
      (const uint32_t *)(rest + threads + events + edges),
      (const uint64_t *)(rest + threads + events + edges + targets),
  };
  return NULL;
}
