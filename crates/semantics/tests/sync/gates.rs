//! When gates are open, by hand.

use heddle_semantics::Gate;

const GONE: u64 = 0xffff_ffff;

/// The two words of an object.
fn words(low: u64, high: u64) -> u64 {
    low | high << 32
}

#[test]
fn gates_open_by_the_first_words() {
    let barrier = Gate::Barrier { generation: 5 };
    let condition = Gate::Condition { arrival: 2 };
    let table = [
        (Gate::Mutex, words(0, 0), true),
        (Gate::Mutex, words(17, 1), false),
        (Gate::Mutex, words(GONE, 0), true),
        (Gate::Spin, words(0, 0), true),
        (Gate::Spin, words(17, 0), false),
        (Gate::Spin, words(GONE, 0), true),
        // Readers do not keep readers out, but writers.
        (Gate::ReadLock, words(0, 2), true),
        (Gate::ReadLock, words(17, 0), false),
        (Gate::ReadLock, words(GONE, 0), true),
        (Gate::WriteLock, words(0, 0), true),
        (Gate::WriteLock, words(0, 1), false),
        (Gate::WriteLock, words(17, 0), false),
        (Gate::WriteLock, words(GONE, 0), true),
        (Gate::Semaphore, words(0, 1), false),
        (Gate::Semaphore, words(3, 1), true),
        // None, and one that was destroyed: to report it.
        (Gate::Semaphore, words(0, 0), true),
        (Gate::Semaphore, words(0, GONE), true),
        // Two of three are there, in the sixth meeting; then it is over.
        (barrier, words(3 | 2 << 16, 5), false),
        (barrier, words(3, 6), true),
        (Gate::Once, 0, true),
        (Gate::Once, 1, false),
        (Gate::Once, 2, true),
        // Three have come, and signals were sent when two had, and when three had.
        (condition, 0x0000_0203, false),
        (condition, 0x0003_0203, true),
    ];
    for (gate, word, open) in table {
        assert_eq!(gate.is_open(word), open, "{gate:?} of {word:x}");
    }
}
