//! Threads by number, and functions that lock, as C.

use super::{Printer, twin};
use crate::ast::{Crowd, Keeper, Slots};

pub(super) const START: &str = "static void @start(pthread_t *id, void *(*code)(void *), \
     void *data) { pthread_create(id, 0, code, data); }";
pub(super) const FINISH: &str = "static void @finish(pthread_t id) { pthread_join(id, 0); }";
pub(super) const TAKE: &str =
    "static void @take(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }";
pub(super) const GIVE: &str =
    "static void @give(pthread_mutex_t *mutex) { pthread_mutex_unlock(mutex); }";
pub(super) const BUMP: &str = "static int @bump(pthread_mutex_t *mutex, int *place, int by) \
     { pthread_mutex_lock(mutex); int seen = *place; *place = seen + by; \
     pthread_mutex_unlock(mutex); return seen; }";

impl Printer<'_> {
    pub(super) fn crowd(&self, crowd: Crowd) -> String {
        let prefix = self.prefix;
        let start = |n: u8| {
            let (code, data) = (twin(self.test, usize::from(n)), self.argument(n));
            format!("{prefix}t{code}, {data})")
        };
        let times = |count: u8| format!("for (int n = 0; n < {count}; n++)");
        match crowd {
            Crowd::Create { thread, count, slots } => {
                let slot = match slots {
                    Slots::Own => "n".to_string(),
                    Slots::From(from) => format!("{from} + n"),
                    Slots::Same => "0".to_string(),
                };
                let head = times(count);
                format!("{head} pthread_create(&{prefix}ids[{slot}], 0, {};", start(thread))
            }
            Crowd::InTurn { thread, count } => {
                let (head, one) = (times(count), start(thread));
                let id = format!("{prefix}ids[0]");
                format!("{head} {{ pthread_create(&{id}, 0, {one}; pthread_join({id}, 0); }}")
            }
            Crowd::Join { count } => {
                format!("{} pthread_join({prefix}ids[n], 0);", times(count))
            }
            Crowd::JoinAt(at) => format!("pthread_join({prefix}ids[{at}], 0);"),
            Crowd::Start(n) => format!("{prefix}start(&{prefix}tid{n}, {};", start(n)),
            Crowd::Finish(n) => format!("{prefix}finish({prefix}tid{n});"),
            Crowd::StartAt { thread, slot } => {
                format!("{prefix}start(&{prefix}ids[{slot}], {};", start(thread))
            }
            Crowd::FinishAt(slot) => format!("{prefix}finish({prefix}ids[{slot}]);"),
            Crowd::CollectAt(slot) => format!("{{ {} }}", self.collect(slot)),
            Crowd::Collect { thread, count } => {
                let (head, one, collect) = (times(count), start(thread), self.collect(0));
                format!("{head} {{ pthread_create(&{prefix}ids[0], 0, {one}; {collect} }}")
            }
        }
    }

    /// Joins who is there, and keeps its result.
    fn collect(&self, slot: u8) -> String {
        let prefix = self.prefix;
        format!(
            "void *result; pthread_join({prefix}ids[{slot}], &result); kept1 = kept0; kept0 = result;"
        )
    }

    pub(super) fn keeper(&self, keeper: &Keeper) -> String {
        let prefix = self.prefix;
        match keeper {
            Keeper::Take(mutex) => format!("{prefix}take({});", self.mutex(*mutex)),
            Keeper::Give(mutex) => format!("{prefix}give({});", self.mutex(*mutex)),
            Keeper::Bump(mutex, place, by) => {
                let (mutex, place) = (self.mutex(*mutex), self.place(place));
                format!("l0 = {prefix}bump({mutex}, &{place}, {by});")
            }
        }
    }
}
