//! How each function of the library that takes pointers is called.
//!
//! A row is about one pointer argument, which stands as `P` in the call. Functions without
//! any, and those whose pointers say nothing here, are listed with the reason.

/// One pointer argument of one function.
pub struct Row {
    pub name: &'static str,
    pub call: &'static str,
    /// How many bytes the function needs there.
    pub bytes: u32,
    /// What the bytes have to be, as a statement about `P`.
    pub made: &'static str,
    /// It may be null.
    pub optional: bool,
    /// What it says about a block that was freed.
    pub freed: &'static str,
    /// No conflict with another thread can be noticed, because of this.
    pub unshared: Option<&'static str>,
}

const GONE: &str = "use-after-free";

const fn row(name: &'static str, call: &'static str, bytes: u32, made: &'static str) -> Row {
    Row { name, call, bytes, made, optional: false, freed: GONE, unshared: None }
}

impl Row {
    const fn optional(self) -> Row {
        Row { optional: true, ..self }
    }

    const fn freed(self, freed: &'static str) -> Row {
        Row { freed, ..self }
    }

    const fn unshared(self, why: &'static str) -> Row {
        Row { unshared: Some(why), ..self }
    }
}

/// Bytes that are written only.
const BLANK: &str = "";
/// A string that fills its block.
const TEXT: &str = "memset(P, 'a', 7); ((char *)P)[7] = 0;";
const DIGITS: &str = "memset(P, '1', 7); ((char *)P)[7] = 0;";
const BYTES: &str = "memset(P, 1, 8);";
const EMPTY: &str = "memset(P, 0, 8);";
const ZERO: &str = "memset(P, 0, 64);";
const MUTEX: &str = "pthread_mutex_init(P, 0);";
const LOCKED: &str = "pthread_mutex_init(P, 0); pthread_mutex_lock(P);";
const RWLOCK: &str = "pthread_rwlock_init(P, 0);";
const SPIN: &str = "pthread_spin_init(P, 0);";
const SPINNING: &str = "pthread_spin_init(P, 0); pthread_spin_lock(P);";
const SEMAPHORE: &str = "sem_init(P, 0, 1);";
const BARRIER: &str = "pthread_barrier_init(P, 0, 1);";
const CONDITION: &str = "pthread_cond_init(P, 0);";
const ATTRIBUTE: &str = "*(int *)P = 0;";
const TIME: &str = "*(struct timespec *)P = (struct timespec){1, 1};";
const SLOT: &str = "*(void **)P = 0;";

/// An operation that touches the whole object in one step, whatever it does there.
const LOCK: &str = "to lock or wait changes what the other thread finds";

pub const ROWS: &[Row] = &[
    row("memcpy", "memcpy(P, other, 8)", 8, BLANK),
    row("memcpy", "memcpy(other, P, 8)", 8, BYTES),
    row("memmove", "memmove(P, other, 8)", 8, BLANK),
    row("memmove", "memmove(other, P, 8)", 8, BYTES),
    row("memset", "memset(P, 1, 8)", 8, BLANK),
    row("memcmp", "memcmp(P, other, 8)", 8, EMPTY),
    row("memcmp", "memcmp(other, P, 8)", 8, EMPTY),
    row("memchr", "memchr(P, 7, 8)", 8, EMPTY),
    row("strlen", "strlen(P)", 8, TEXT),
    row("strnlen", "strnlen(P, 9)", 8, TEXT),
    row("strcpy", "strcpy(P, \"abcdefg\")", 8, BLANK),
    row("strcpy", "strcpy(other, P)", 8, TEXT),
    row("stpcpy", "stpcpy(P, \"abcdefg\")", 8, BLANK),
    row("stpcpy", "stpcpy(other, P)", 8, TEXT),
    row("strncpy", "strncpy(P, \"a\", 8)", 8, BLANK),
    row("strncpy", "strncpy(other, P, 9)", 8, TEXT),
    row("strcat", "strcat(P, \"\")", 8, TEXT),
    row("strcat", "strcat(other, P)", 8, TEXT),
    row("strncat", "strncat(P, \"\", 1)", 8, TEXT),
    row("strncat", "strncat(other, P, 9)", 8, TEXT),
    row("strcmp", "strcmp(P, \"aaaaaaa\")", 8, TEXT),
    row("strcmp", "strcmp(\"aaaaaaa\", P)", 8, TEXT),
    row("strncmp", "strncmp(P, \"aaaaaaa\", 9)", 8, TEXT),
    row("strncmp", "strncmp(\"aaaaaaa\", P, 9)", 8, TEXT),
    row("strcasecmp", "strcasecmp(P, \"AAAAAAA\")", 8, TEXT),
    row("strcasecmp", "strcasecmp(\"AAAAAAA\", P)", 8, TEXT),
    row("strncasecmp", "strncasecmp(P, \"AAAAAAA\", 9)", 8, TEXT),
    row("strncasecmp", "strncasecmp(\"AAAAAAA\", P, 9)", 8, TEXT),
    row("strchr", "strchr(P, 'z')", 8, TEXT),
    row("strrchr", "strrchr(P, 'z')", 8, TEXT),
    row("strstr", "strstr(P, \"z\")", 8, TEXT),
    row("strstr", "strstr(\"aaaaaaaaaa\", P)", 8, TEXT),
    row("strspn", "strspn(P, \"a\")", 8, TEXT),
    row("strspn", "strspn(\"zz\", P)", 8, TEXT),
    row("strcspn", "strcspn(P, \"z\")", 8, TEXT),
    row("strcspn", "strcspn(\"zz\", P)", 8, TEXT),
    row("strpbrk", "strpbrk(P, \"z\")", 8, TEXT),
    row("strpbrk", "strpbrk(\"zz\", P)", 8, TEXT),
    row("strchrnul", "strchrnul(P, 'z')", 8, TEXT),
    row("strcasestr", "strcasestr(P, \"z\")", 8, TEXT),
    row("strcasestr", "strcasestr(\"aaaaaaaaaa\", P)", 8, TEXT),
    row("strsep", "strsep((char *[]){P}, \"z\")", 8, TEXT).optional(),
    row("strsep", "strsep((char *[]){(char[]){\"b\"}}, P)", 8, TEXT),
    row("strsep", "strsep(P, \"z\")", 8, SLOT),
    row("strtok_r", "strtok_r(P, \"z\", &(char *){0})", 8, TEXT),
    row("strtok_r", "strtok_r((char[]){\"b\"}, P, &(char *){0})", 8, TEXT),
    row("strtok_r", "strtok_r(other, \"z\", P)", 8, SLOT),
    row("strtok", "strtok(P, \"z\")", 8, TEXT),
    row("strtok", "strtok((char[]){\"b\"}, P)", 8, TEXT),
    row("mempcpy", "mempcpy(P, other, 8)", 8, BLANK),
    row("mempcpy", "mempcpy(other, P, 8)", 8, BYTES),
    row("memrchr", "memrchr(P, 7, 8)", 8, EMPTY),
    row("memmem", "memmem(P, 8, \"z\", 1)", 8, EMPTY),
    row("memmem", "memmem(\"\\0\\0\\0\\0\\0\\0\\0\\0\", 8, P, 8)", 8, EMPTY),
    row("bzero", "bzero(P, 8)", 8, BLANK),
    row("sscanf", "sscanf(P, \"%*d\")", 8, DIGITS),
    row("sscanf", "sscanf(\"aaaaaaaa\", P)", 8, TEXT),
    row("sscanf", "sscanf(\"1\", \"%ld\", (long *)P)", 8, BLANK),
    row("sscanf", "sscanf(\"abcdefg\", \"%s\", (char *)P)", 8, BLANK),
    row("scanf", "scanf(P)", 8, TEXT),
    row("strdup", "free(strdup(P))", 8, TEXT),
    row("strndup", "free(strndup(P, 9))", 8, TEXT),
    row("strtol", "strtol(P, 0, 10)", 8, DIGITS),
    row("strtol", "strtol(\"1\", P, 10)", 8, SLOT).optional(),
    row("strtoll", "strtoll(P, 0, 10)", 8, DIGITS),
    row("strtoll", "strtoll(\"1\", P, 10)", 8, SLOT).optional(),
    row("strtoul", "strtoul(P, 0, 10)", 8, DIGITS),
    row("strtoul", "strtoul(\"1\", P, 10)", 8, SLOT).optional(),
    row("strtoull", "strtoull(P, 0, 10)", 8, DIGITS),
    row("strtoull", "strtoull(\"1\", P, 10)", 8, SLOT).optional(),
    row("atoi", "atoi(P)", 8, DIGITS),
    row("atol", "atol(P)", 8, DIGITS),
    row("atoll", "atoll(P)", 8, DIGITS),
    row("qsort", "qsort(P, 8, 1, order)", 8, BYTES),
    row("bsearch", "bsearch(P, other, 8, 1, order)", 1, "*(char *)P = 1;"),
    row("bsearch", "bsearch(\"\", P, 2, 1, order)", 2, BYTES),
    row("rand_r", "rand_r(P)", 4, "*(int *)P = 1;"),
    row("erand48", "erand48(P)", 6, "memset(P, 1, 6);"),
    row("nrand48", "nrand48(P)", 6, "memset(P, 1, 6);"),
    row("jrand48", "jrand48(P)", 6, "memset(P, 1, 6);"),
    row("printf", "printf(\"%s\", (char *)P)", 8, TEXT).optional(),
    row("printf", "printf(P, 1)", 8, TEXT),
    row("fprintf", "fprintf(stderr, \"%s\", (char *)P)", 8, TEXT).optional(),
    row("dprintf", "dprintf(1, \"%s\", (char *)P)", 8, TEXT).optional(),
    row("sprintf", "sprintf(P, \"%s\", \"abcdefg\")", 8, BLANK),
    row("sprintf", "sprintf(other, \"%s\", (char *)P)", 8, TEXT).optional(),
    row("sprintf", "sprintf(other, P)", 8, TEXT),
    row("snprintf", "snprintf(P, 8, \"%d\", 123456789)", 8, BLANK),
    row("snprintf", "snprintf(other, 4, \"%s\", (char *)P)", 8, TEXT).optional(),
    row("asprintf", "asprintf(P, \"%d\", 1)", 8, SLOT),
    row("puts", "puts(P)", 8, TEXT),
    row("fputs", "fputs(P, stdout)", 8, TEXT),
    row("fwrite", "fwrite(P, 1, 8, stdout)", 8, BYTES),
    row("perror", "perror(P)", 8, TEXT).optional(),
    row("free", "free(P)", 1, BLANK).optional().freed("double-free").unshared(LOCK),
    row("realloc", "realloc(P, 4)", 1, BLANK).optional().freed("double-free").unshared(LOCK),
    row("reallocarray", "reallocarray(P, 2, 4)", 1, BLANK)
        .optional()
        .freed("double-free")
        .unshared(LOCK),
    row("posix_memalign", "posix_memalign(P, 16, 4)", 8, SLOT),
    row("pthread_create", "start(P, 0)", 8, SLOT),
    row("pthread_create", "start(&thread, P)", 4, ATTRIBUTE).optional(),
    row("pthread_join", "stop(P)", 8, SLOT).optional(),
    row("thrd_create", "(thrd_create(P, c11, 0), thrd_join(*(thrd_t *)P, 0))", 8, SLOT),
    row("thrd_join", "(thrd_create(&thread, c11, 0), thrd_join(thread, P))", 4, ATTRIBUTE)
        .optional(),
    row("pthread_attr_init", "pthread_attr_init(P)", 4, ATTRIBUTE),
    row("pthread_attr_destroy", "pthread_attr_destroy(P)", 4, ATTRIBUTE),
    row("pthread_attr_setdetachstate", "pthread_attr_setdetachstate(P, 0)", 4, ATTRIBUTE),
    row(
        "pthread_attr_getdetachstate",
        "pthread_attr_getdetachstate(P, (int *)other)",
        4,
        ATTRIBUTE,
    ),
    row(
        "pthread_attr_getdetachstate",
        "pthread_attr_getdetachstate((void *)other, P)",
        4,
        ATTRIBUTE,
    ),
    row("pthread_attr_setguardsize", "pthread_attr_setguardsize(P, 0)", 4, ATTRIBUTE),
    row("pthread_attr_setinheritsched", "pthread_attr_setinheritsched(P, 0)", 4, ATTRIBUTE),
    row("pthread_attr_setschedpolicy", "pthread_attr_setschedpolicy(P, 0)", 4, ATTRIBUTE),
    row("pthread_attr_setscope", "pthread_attr_setscope(P, 0)", 4, ATTRIBUTE),
    row("pthread_attr_setstacksize", "pthread_attr_setstacksize(P, 1 << 20)", 4, ATTRIBUTE),
    row("pthread_attr_setschedparam", "pthread_attr_setschedparam(P, 0)", 4, ATTRIBUTE),
    row("pthread_attr_setstack", "pthread_attr_setstack(P, 0, 1 << 20)", 4, ATTRIBUTE),
    row("pthread_attr_setaffinity_np", "pthread_attr_setaffinity_np(P, 0, 0)", 4, ATTRIBUTE),
    row("pthread_mutexattr_init", "pthread_mutexattr_init(P)", 4, ATTRIBUTE),
    row("pthread_mutexattr_destroy", "pthread_mutexattr_destroy(P)", 4, ATTRIBUTE),
    row("pthread_mutexattr_settype", "pthread_mutexattr_settype(P, 0)", 4, ATTRIBUTE),
    row("pthread_mutexattr_setpshared", "pthread_mutexattr_setpshared(P, 0)", 4, ATTRIBUTE),
    row("pthread_mutexattr_setprotocol", "pthread_mutexattr_setprotocol(P, 0)", 4, ATTRIBUTE),
    row("pthread_mutexattr_setprioceiling", "pthread_mutexattr_setprioceiling(P, 1)", 4, ATTRIBUTE),
    row("pthread_mutexattr_gettype", "pthread_mutexattr_gettype(P, (int *)other)", 4, ATTRIBUTE),
    row("pthread_mutexattr_gettype", "pthread_mutexattr_gettype((void *)other, P)", 4, ATTRIBUTE),
    row("pthread_rwlockattr_init", "pthread_rwlockattr_init(P)", 4, ATTRIBUTE),
    row("pthread_rwlockattr_destroy", "pthread_rwlockattr_destroy(P)", 4, ATTRIBUTE),
    row("pthread_rwlockattr_setpshared", "pthread_rwlockattr_setpshared(P, 0)", 4, ATTRIBUTE),
    row("pthread_rwlockattr_setkind_np", "pthread_rwlockattr_setkind_np(P, 0)", 4, ATTRIBUTE),
    row("pthread_barrierattr_init", "pthread_barrierattr_init(P)", 4, ATTRIBUTE),
    row("pthread_barrierattr_destroy", "pthread_barrierattr_destroy(P)", 4, ATTRIBUTE),
    row("pthread_barrierattr_setpshared", "pthread_barrierattr_setpshared(P, 0)", 4, ATTRIBUTE),
    row("pthread_condattr_init", "pthread_condattr_init(P)", 4, ATTRIBUTE),
    row("pthread_condattr_destroy", "pthread_condattr_destroy(P)", 4, ATTRIBUTE),
    row("pthread_condattr_setclock", "pthread_condattr_setclock(P, 0)", 4, ATTRIBUTE),
    row("pthread_condattr_setpshared", "pthread_condattr_setpshared(P, 0)", 4, ATTRIBUTE),
    row("pthread_mutex_init", "pthread_mutex_init(P, 0)", 20, ZERO),
    row("pthread_mutex_init", "pthread_mutex_init(&mutex, P)", 4, ATTRIBUTE).optional(),
    row("pthread_mutex_destroy", "pthread_mutex_destroy(P)", 20, MUTEX).unshared(LOCK),
    row("pthread_mutex_lock", "pthread_mutex_lock(P)", 20, MUTEX).unshared(LOCK),
    row("pthread_mutex_trylock", "pthread_mutex_trylock(P)", 20, MUTEX).unshared(LOCK),
    row("pthread_mutex_timedlock", "pthread_mutex_timedlock(P, &time_limit)", 20, MUTEX)
        .unshared(LOCK),
    row("pthread_mutex_clocklock", "pthread_mutex_clocklock(P, 0, &time_limit)", 20, MUTEX)
        .unshared(LOCK),
    row("pthread_mutex_unlock", "pthread_mutex_unlock(P)", 20, LOCKED).unshared(LOCK),
    row("pthread_rwlock_init", "pthread_rwlock_init(P, 0)", 8, ZERO),
    row("pthread_rwlock_destroy", "pthread_rwlock_destroy(P)", 8, RWLOCK).unshared(LOCK),
    row("pthread_rwlock_rdlock", "pthread_rwlock_rdlock(P)", 8, RWLOCK).unshared(LOCK),
    row("pthread_rwlock_wrlock", "pthread_rwlock_wrlock(P)", 8, RWLOCK).unshared(LOCK),
    row("pthread_rwlock_tryrdlock", "pthread_rwlock_tryrdlock(P)", 8, RWLOCK).unshared(LOCK),
    row("pthread_rwlock_trywrlock", "pthread_rwlock_trywrlock(P)", 8, RWLOCK).unshared(LOCK),
    row("pthread_rwlock_timedrdlock", "pthread_rwlock_timedrdlock(P, &time_limit)", 8, RWLOCK)
        .unshared(LOCK),
    row("pthread_rwlock_timedwrlock", "pthread_rwlock_timedwrlock(P, &time_limit)", 8, RWLOCK)
        .unshared(LOCK),
    row("pthread_rwlock_clockrdlock", "pthread_rwlock_clockrdlock(P, 0, &time_limit)", 8, RWLOCK)
        .unshared(LOCK),
    row("pthread_rwlock_clockwrlock", "pthread_rwlock_clockwrlock(P, 0, &time_limit)", 8, RWLOCK)
        .unshared(LOCK),
    row(
        "pthread_rwlock_unlock",
        "pthread_rwlock_unlock(P)",
        8,
        "pthread_rwlock_init(P, 0); pthread_rwlock_wrlock(P);",
    )
    .unshared(LOCK),
    row("pthread_spin_init", "pthread_spin_init(P, 0)", 4, ZERO),
    row("pthread_spin_destroy", "pthread_spin_destroy(P)", 4, SPIN).unshared(LOCK),
    row("pthread_spin_lock", "pthread_spin_lock(P)", 4, SPIN).unshared(LOCK),
    row("pthread_spin_trylock", "pthread_spin_trylock(P)", 4, SPIN).unshared(LOCK),
    row("pthread_spin_unlock", "pthread_spin_unlock(P)", 4, SPINNING).unshared(LOCK),
    row("pthread_barrier_init", "pthread_barrier_init(P, 0, 1)", 8, ZERO),
    row("pthread_barrier_wait", "pthread_barrier_wait(P)", 8, BARRIER).unshared(LOCK),
    row("pthread_barrier_destroy", "pthread_barrier_destroy(P)", 8, BARRIER).unshared(LOCK),
    row("pthread_cond_init", "pthread_cond_init(P, 0)", 8, ZERO),
    row("pthread_cond_signal", "pthread_cond_signal(P)", 8, CONDITION).unshared(LOCK),
    row("pthread_cond_broadcast", "pthread_cond_broadcast(P)", 8, CONDITION).unshared(LOCK),
    row("pthread_cond_destroy", "pthread_cond_destroy(P)", 8, CONDITION).unshared(LOCK),
    row("pthread_cond_timedwait", "pthread_cond_timedwait(P, hold(), &time_limit)", 8, CONDITION)
        .unshared(LOCK),
    row(
        "pthread_cond_clockwait",
        "pthread_cond_clockwait(P, hold(), 0, &time_limit)",
        8,
        CONDITION,
    )
    .unshared(LOCK),
    row("pthread_cond_timedwait", "pthread_cond_timedwait(&condition, P, &time_limit)", 20, LOCKED)
        .unshared(LOCK),
    row("sem_init", "sem_init(P, 0, 1)", 8, ZERO),
    row("sem_wait", "sem_wait(P)", 8, SEMAPHORE).unshared(LOCK),
    row("sem_trywait", "sem_trywait(P)", 8, SEMAPHORE).unshared(LOCK),
    row("sem_timedwait", "sem_timedwait(P, &time_limit)", 8, SEMAPHORE).unshared(LOCK),
    row("sem_clockwait", "sem_clockwait(P, 0, &time_limit)", 8, SEMAPHORE).unshared(LOCK),
    row("sem_post", "sem_post(P)", 8, SEMAPHORE).unshared(LOCK),
    row("sem_destroy", "sem_destroy(P)", 8, SEMAPHORE).unshared(LOCK),
    row("sem_getvalue", "sem_getvalue(P, (int *)other)", 8, SEMAPHORE).unshared(LOCK),
    row("sem_getvalue", "sem_getvalue(&semaphore, P)", 4, ATTRIBUTE),
    row("mtx_init", "mtx_init(P, mtx_plain)", 20, ZERO),
    row("mtx_destroy", "mtx_destroy(P)", 20, MUTEX).unshared(LOCK),
    row("mtx_lock", "mtx_lock(P)", 20, MUTEX).unshared(LOCK),
    row("mtx_trylock", "mtx_trylock(P)", 20, MUTEX).unshared(LOCK),
    row("mtx_timedlock", "mtx_timedlock(P, &time_limit)", 20, MUTEX).unshared(LOCK),
    row("mtx_unlock", "mtx_unlock(P)", 20, LOCKED).unshared(LOCK),
    row("cnd_init", "cnd_init(P)", 8, ZERO),
    row("cnd_signal", "cnd_signal(P)", 8, CONDITION).unshared(LOCK),
    row("cnd_broadcast", "cnd_broadcast(P)", 8, CONDITION).unshared(LOCK),
    row("cnd_destroy", "cnd_destroy(P)", 8, CONDITION).unshared(LOCK),
    row("cnd_timedwait", "cnd_timedwait(P, hold(), &time_limit)", 8, CONDITION).unshared(LOCK),
    row("pthread_once", "pthread_once(P, nothing)", 4, ATTRIBUTE).unshared(LOCK),
    row("call_once", "call_once(P, nothing)", 4, ATTRIBUTE).unshared(LOCK),
    row("pthread_key_create", "pthread_key_create(P, 0)", 4, ATTRIBUTE),
    row("tss_create", "tss_create(P, 0)", 4, ATTRIBUTE),
    row("pthread_setname_np", "pthread_setname_np(pthread_self(), P)", 8, TEXT),
    row("clock_gettime", "clock_gettime(0, P)", 16, TIME),
    row("timespec_get", "timespec_get(P, TIME_UTC)", 16, TIME),
    row("gettimeofday", "gettimeofday(P, 0)", 16, TIME),
    row("time", "time(P)", 8, SLOT).optional(),
    row("nanosleep", "nanosleep(P, 0)", 16, TIME),
    row("clock_nanosleep", "clock_nanosleep(0, 0, P, 0)", 16, TIME),
    row("clock_getres", "clock_getres(0, P)", 16, TIME).optional(),
    row("sched_getaffinity", "sched_getaffinity(0, 8, P)", 8, BLANK),
    row("sched_setaffinity", "sched_setaffinity(0, 8, P)", 8, EMPTY),
    row("pthread_getaffinity_np", "pthread_getaffinity_np(pthread_self(), 8, P)", 8, BLANK),
    row("pthread_setaffinity_np", "pthread_setaffinity_np(pthread_self(), 8, P)", 8, EMPTY),
    row("__sched_cpucount", "__sched_cpucount(8, P)", 8, BYTES),
    row("sigaddset", "sigaddset(P, 3)", 8, EMPTY),
    row("sigdelset", "sigdelset(P, 3)", 8, EMPTY),
    row("sigismember", "sigismember(P, 3)", 8, EMPTY),
];

/// Functions of which no row speaks, and why.
pub const OTHERS: &[(&str, &[&str])] = &[
    (
        "sets of signals are larger than the blocks here",
        &["sigemptyset", "sigfillset", "sigaction", "pthread_sigmask", "sigprocmask"],
    ),
    (
        "takes no pointers, or only numbers that are none",
        &[
            "abs",
            "labs",
            "llabs",
            "ffs",
            "ffsl",
            "ffsll",
            "getchar",
            "getchar_unlocked",
            "getpid",
            "getppid",
            "getpagesize",
            "get_nprocs",
            "get_nprocs_conf",
            "sysconf",
            "prctl",
            "difftime",
            "raise",
            "signal",
            "pthread_kill",
            "strerror",
            "pthread_setconcurrency",
            "pthread_getconcurrency",
            "__udivti3",
            "__umodti3",
            "__divti3",
            "__modti3",
            "__floatuntidf",
            "__floatuntisf",
            "__floattidf",
            "__floattisf",
            "__fixunsdfti",
            "__fixdfti",
            "__fixunssfti",
            "__fixsfti",
            "rand",
            "srand",
            "random",
            "srandom",
            "isalnum",
            "isalpha",
            "isblank",
            "iscntrl",
            "isdigit",
            "isgraph",
            "islower",
            "isprint",
            "ispunct",
            "isspace",
            "isupper",
            "isxdigit",
            "tolower",
            "toupper",
            "clock",
            "sleep",
            "usleep",
            "malloc",
            "calloc",
            "aligned_alloc",
            "memalign",
            "exit",
            "_exit",
            "_Exit",
            "quick_exit",
            "abort",
            "pthread_self",
            "pthread_equal",
            "pthread_detach",
            "pthread_yield",
            "sched_yield",
            "thrd_current",
            "thrd_equal",
            "thrd_detach",
            "thrd_yield",
            "pthread_key_delete",
            "pthread_getspecific",
            "tss_delete",
            "tss_get",
        ],
    ),
    (
        "hands its pointer on and does not look at what it leads to",
        &[
            "pthread_exit",
            "thrd_exit",
            "pthread_setspecific",
            "tss_set",
            "atexit",
            "__cxa_atexit",
            "__cxa_thread_atexit",
        ],
    ),
    (
        "gives a pointer to data of its own",
        &["__errno_location", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc"],
    ),
    ("waits until it is woken; a wait with a deadline is here", &["pthread_cond_wait", "cnd_wait"]),
    ("does not look at the time", &["thrd_sleep"]),
    (
        "another name of a function that is here",
        &[
            "__isoc23_strtol",
            "__isoc23_strtoll",
            "__isoc23_strtoul",
            "__isoc23_strtoull",
            "__isoc99_sscanf",
            "__isoc99_scanf",
            "__isoc23_sscanf",
            "__isoc23_scanf",
        ],
    ),
    (
        "the compiler's, with pointers that it knows",
        &["__atomic_load", "__atomic_store", "__atomic_exchange", "__atomic_compare_exchange"],
    ),
    ("ends the run with a message", &["__assert", "__assert_fail"]),
    ("a system call, of which the numbers decide what it is", &["syscall"]),
    // To be completed when their accesses are the program's own.
    (
        "the arguments behind the format are those of the function without v",
        &[
            "vprintf",
            "vfprintf",
            "vdprintf",
            "vsprintf",
            "vsnprintf",
            "vasprintf",
            "vsscanf",
            "vscanf",
        ],
    ),
    (
        "what compilers call in place of the function without chk",
        &[
            "__printf_chk",
            "__fprintf_chk",
            "__dprintf_chk",
            "__sprintf_chk",
            "__snprintf_chk",
            "__asprintf_chk",
            "__vprintf_chk",
            "__vfprintf_chk",
            "__vdprintf_chk",
            "__vsprintf_chk",
            "__vsnprintf_chk",
            "__vasprintf_chk",
        ],
    ),
    (
        "no pointer but to a stream, which is one of three",
        &[
            "putchar",
            "putc",
            "fputc",
            "putchar_unlocked",
            "putc_unlocked",
            "fflush",
            "setbuf",
            "setvbuf",
            "stdin",
            "stdout",
            "stderr",
        ],
    ),
    ("there are no variables to look for", &["getenv", "secure_getenv"]),
    (
        "no pointers",
        &["arc4random", "arc4random_uniform", "drand48", "lrand48", "mrand48", "srand48"],
    ),
];

/// Groups of the tables without functions that C programs call by their names.
pub const GROUPS: &[&str] = &["C++", "math.h", "SV-COMP"];
