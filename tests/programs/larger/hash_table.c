// A hash table with open addressing that grows. Cells are claimed by compare-and-exchange
// of the key. When a table is too full, a larger one is linked behind it, and whoever
// comes by helps to move cells: a moved cell is sealed first, so that no value is written
// behind the mover's back. Tables come from a fixed pool.
// Probes, collisions, moved cells and the load are counted, and each thread has a trace of
// what it did. The assertion is about the values.
// BUG: a value that came while its cell was moved is not moved again, because the cell is
// not sealed.
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
#define THREADS 3
#endif
#define SMALLEST 4
#define LARGEST 8
#define TABLES 2
#define TRACE 16

#define EMPTY 0u
#define SEALED 0x80000000u

struct cell {
    atomic_uint key;
    atomic_uint value;
};

struct table {
    unsigned size;
    atomic_int next; // the number of the larger table, or 0
    atomic_int moving, moved;
    struct cell cells[LARGEST];
};

struct event {
    char what;
    unsigned key, value;
    int at;
};

static struct table tables[TABLES] = {{.size = SMALLEST}, {.size = LARGEST}};
static atomic_int current;

// Seen by people only.
static struct {
    atomic_uint probes, collisions, inserted, replaced, helped, grown;
    atomic_int load;
} counters;
static struct event trace[THREADS + 1][TRACE];
static atomic_int traced[THREADS + 1];

static void record(int me, char what, unsigned key, unsigned value) {
    int at = atomic_fetch_add(&traced[me], 1) & (TRACE - 1);
    struct event *event = &trace[me][at];
    event->what = what;
    event->key = key;
    event->value = value;
    event->at = atomic_load(&counters.load);
}

static unsigned hash(unsigned key, unsigned size) {
    return key * 2654435761u % size;
}

// The cell of a key, claimed if need be; nothing if the table is full.
static struct cell *find(struct table *table, unsigned key, bool claim) {
    unsigned at = hash(key, table->size);
    for (unsigned tries = 0; tries < table->size; tries++) {
        struct cell *cell = &table->cells[at % LARGEST];
        unsigned found = atomic_load(&cell->key);
        atomic_fetch_add(&counters.probes, 1);
        if (found == key)
            return cell;
        if (found == EMPTY) {
            if (!claim)
                return 0;
            unsigned expected = EMPTY;
            if (atomic_compare_exchange_strong(&cell->key, &expected, key)) {
                atomic_fetch_add(&counters.load, 1);
                return cell;
            }
            if (expected == key)
                return cell;
        }
        atomic_fetch_add(&counters.collisions, 1);
        at = (at + 1) % table->size;
    }
    return 0;
}

static void put_if_absent(struct table *table, unsigned key, unsigned value) {
    struct cell *cell = find(table, key, true);
    if (!cell)
        return;
    unsigned none = 0;
    atomic_compare_exchange_strong(&cell->value, &none, value);
}

// Takes one cell of a table that is left to the larger one.
static void move_cell(struct table *from, struct table *into, struct cell *cell) {
    (void)from;
#ifdef BUG
    unsigned value = atomic_load(&cell->value);
#else
    unsigned value = atomic_fetch_or(&cell->value, SEALED) & ~SEALED;
#endif
    unsigned key = atomic_load(&cell->key);
    if (key != EMPTY && value)
        put_if_absent(into, key, value);
    atomic_fetch_add(&counters.helped, 1);
}

// Everybody takes the next cell that is not moved yet; who moves the last one leads
// everybody to the larger table. Nobody goes on before that.
static void help(int number, int next) {
    struct table *from = &tables[number], *into = &tables[next];
    for (;;) {
        int at = atomic_fetch_add(&from->moving, 1);
        if (at >= (int)from->size)
            break;
        move_cell(from, into, &from->cells[at % LARGEST]);
        if (atomic_fetch_add(&from->moved, 1) + 1 == (int)from->size)
            atomic_store(&current, next);
    }
    while (atomic_load(&current) == number)
        ;
}

static void grow(int number, int me) {
    struct table *table = &tables[number];
    int none = 0;
    if (number + 1 < TABLES && atomic_compare_exchange_strong(&table->next, &none, number + 1)) {
        atomic_fetch_add(&counters.grown, 1);
        record(me, 'g', number, 0);
    }
    help(number, number + 1);
}

// Values are below SEALED and not 0.
static bool put(unsigned key, unsigned value, int me) {
    for (;;) {
        int number = atomic_load(&current) & (TABLES - 1);
        struct table *table = &tables[number];
        if (atomic_load(&table->next)) {
            help(number, number + 1);
            continue;
        }
        struct cell *cell = find(table, key, true);
        if (!cell) {
            if (number + 1 == TABLES)
                return false;
            grow(number, me);
            continue;
        }
        unsigned old = atomic_load(&cell->value);
        if (old & SEALED)
            continue;
        if (atomic_compare_exchange_strong(&cell->value, &old, value)) {
            atomic_fetch_add(old ? &counters.replaced : &counters.inserted, 1);
            record(me, 'p', key, value);
            return true;
        }
    }
}

// Gives 0 if there is none.
static unsigned get(unsigned key, int me) {
    for (;;) {
        int number = atomic_load(&current) & (TABLES - 1);
        struct table *table = &tables[number];
        if (atomic_load(&table->next)) {
            help(number, number + 1);
            continue;
        }
        struct cell *cell = find(table, key, false);
        unsigned value = cell ? atomic_load(&cell->value) : 0;
        if (value & SEALED)
            continue;
        record(me, 'g', key, value);
        return value;
    }
}

static void *work(void *arg) {
    int me = (int)(intptr_t)arg;
    switch (me) {
    case 0:
        grow(0, me);
        break;
    case 1:
        put(1, 11, me);
        break;
    default:
        put(4 + me, 10 * me, me);
        break;
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    put(1, 10, THREADS);
    put(2, 20, THREADS);
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], 0, work, (void *)i))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(get(1, THREADS) == 11); //~ VIOLATION: assertion
    assert(get(2, THREADS) == 20); //~ VIOLATION: assertion
    return 0;
}
