// Heddle's runtime: keeps the events of a native program in the order that a schedule
// asks for. Compiled and linked into the program by `heddle build`.
//
// Each thread counts its events. `heddle_left` is how many it may still pass before
// one that the schedule speaks of, so an event without a constraint costs
//
//     decq %fs:heddle_left ; js …     before
//     cmpq $0, %fs:heddle_left ; js … after
//
// that is four instructions, none of which touches memory of another thread; behind
// the last constraint it stays that way. Everything else is in the slow path.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "schedule.h"
#include "self.h"
#include "order.h"
#include "control.h"
#include "input.h"
#include "repeat.h"
#include "begin.h"
#include "events.h"
#include "create.h"
#include "sync.h"
#include "condition.h"
#include "heap.h"
#include "print.h"
