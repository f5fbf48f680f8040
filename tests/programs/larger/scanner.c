// A scanner of files by several threads. Folders and files wait in a queue; a worker that
// takes a folder puts what is in it into the queue, one that takes a file looks for a
// word. The file system is a table. The search is over when nothing waits and nobody
// works.
// Bytes, files, folders, the longest queue and a log are kept for the progress line. The
// assertion: all places are found, and each once.
// BUG: a worker that runs out of work tells nobody, so that the others may wait for ever.
//@ algorithms: guided
//@ engines: explore
//@ variant: GOOD
//@ variant[sc]: BUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 2
#endif
#define ENTRIES 4
#define QUEUE 8
#define LOG 16

struct entry {
    const char *name;
    const char *text; // nothing for a folder
    int parent;
};

static const struct entry entries[ENTRIES] = {
    {"/", 0, -1},
    {"readme", "warp and weft", 0},
    {"src", 0, 0},
    {"loom.c", "weft;weft;", 2},
};

// What waits. A fixed ring; the number of entries is an upper bound of its length.
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int waiting[QUEUE];
    int first, count;
    int busy;
    bool over;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

// For the progress line.
static struct {
    pthread_mutex_t lock;
    long bytes;
    int files, folders, longest;
    int last[LOG];
    unsigned logged;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};
static atomic_int lookups, compared;

static atomic_int found;

static void show(int entry, long bytes, bool folder) {
    pthread_mutex_lock(&progress.lock);
    progress.bytes += bytes;
    if (folder)
        progress.folders++;
    else
        progress.files++;
    progress.last[progress.logged++ % LOG] = entry;
    pthread_mutex_unlock(&progress.lock);
}

static void note_length(int length) {
    pthread_mutex_lock(&progress.lock);
    if (length > progress.longest)
        progress.longest = length;
    pthread_mutex_unlock(&progress.lock);
}

static void enqueue(int entry) {
    pthread_mutex_lock(&queue.lock);
    queue.waiting[(unsigned)(queue.first + queue.count) % QUEUE] = entry;
    int length = ++queue.count;
    pthread_cond_signal(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
    note_length(length);
}

// The next entry, or -1 when the search is over. The caller works from here to `done`.
static int dequeue(void) {
    int entry = -1;
    pthread_mutex_lock(&queue.lock);
    while (queue.count == 0 && !queue.over)
        pthread_cond_wait(&queue.changed, &queue.lock); //~ VIOLATION: deadlock
    if (queue.count > 0) {
        entry = queue.waiting[(unsigned)queue.first % QUEUE];
        queue.first = (queue.first + 1) % QUEUE;
        queue.count--;
        queue.busy++;
    }
    pthread_mutex_unlock(&queue.lock);
    return entry;
}

static void done(void) {
    pthread_mutex_lock(&queue.lock);
    queue.busy--;
    if (queue.busy == 0 && queue.count == 0) {
        queue.over = true;
#ifndef BUG
        pthread_cond_broadcast(&queue.changed);
#endif
    }
    pthread_mutex_unlock(&queue.lock);
}

static int count_words(const char *text, const char *word, long *bytes) {
    int count = 0;
    long at;
    for (at = 0; text[at]; at++) {
        int same = 0;
        while (word[same] && text[at + same] == word[same])
            same++;
        atomic_fetch_add(&compared, same);
        count += !word[same];
    }
    *bytes = at;
    return count;
}

static void scan_file(int entry) {
    long bytes;
    int count = count_words(entries[entry].text, "weft", &bytes);
    if (count)
        atomic_fetch_add(&found, count);
    show(entry, bytes, false);
}

static void scan_folder(int folder) {
    for (int i = 0; i < ENTRIES; i++) {
        atomic_fetch_add(&lookups, 1);
        if (entries[i].parent == folder)
            enqueue(i);
    }
    show(folder, 0, true);
}

static void *work(void *arg) {
    int entry;
    while ((entry = dequeue()) >= 0) {
        if (entry < ENTRIES && entries[entry].text)
            scan_file(entry);
        else
            scan_folder(entry);
        done();
    }
    return arg;
}

int main(void) {
    pthread_t threads[THREADS];
    enqueue(0);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], 0, work, 0))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(found == 3);
    return 0;
}
