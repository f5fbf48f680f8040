// std::lock of two and three std::mutex (and so std::scoped_lock), in C, for C++
// programs under check. It stands in for what the header defines and does the same:
// lock the first, try the others, and if one is taken release all and start with
// that one.
//
// That loop has no end. A run that backs off a time for every mutex and then once
// more is equivalent to one that came to the call later, so it does not count. A
// mutex that is never released is still noticed: it is waited for in its turn.

#define LIBRARY

typedef struct Mutex Mutex;

// Models of the checker.
int pthread_mutex_lock(Mutex *mutex);
int pthread_mutex_trylock(Mutex *mutex);
int pthread_mutex_unlock(Mutex *mutex);
void __VERIFIER_assume(int condition);

static void lock_all(Mutex *const *mutexes, int count) {
  int first = 0;
  for (int round = 1;; round++) {
    pthread_mutex_lock(mutexes[first]);
    int held = 1;
    while (held < count && pthread_mutex_trylock(mutexes[(first + held) % count]) == 0) held++;
    if (held == count) return;
    for (int at = held; at != 0; at--) pthread_mutex_unlock(mutexes[(first + at - 1) % count]);
    __VERIFIER_assume(round < count);
    first = (first + held) % count;
  }
}

// std::lock<std::mutex, std::mutex>(std::mutex&, std::mutex&), and with a third
LIBRARY void _ZSt4lockISt5mutexS0_JEEvRT_RT0_DpRT1_(Mutex *a, Mutex *b) {
  Mutex *const mutexes[] = {a, b};
  lock_all(mutexes, 2);
}

LIBRARY void _ZSt4lockISt5mutexS0_JS0_EEvRT_RT0_DpRT1_(Mutex *a, Mutex *b, Mutex *c) {
  Mutex *const mutexes[] = {a, b, c};
  lock_all(mutexes, 3);
}
