//! How far engines that have not answered yet have come.

use std::sync::{Arc, Mutex, PoisonError};

use heddle_explore::Algorithm;
use heddle_semantics::Bounds;

use crate::args::Engine;
use crate::effort::Effort;

/// An engine, and which explorer it is.
pub type Who = (Engine, Option<Algorithm>);

/// What an engine told last.
#[derive(Clone)]
pub struct Progressed {
    pub who: Who,
    pub effort: Effort,
    pub covered: Option<Bounds>,
}

/// Written by engines, read by who can't wait for them.
#[derive(Clone, Default)]
pub struct Known(Arc<Mutex<Vec<Progressed>>>);

impl Known {
    pub fn note(&self, news: Progressed) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match all.iter_mut().find(|old| old.who == news.who) {
            Some(old) => *old = news,
            None => all.push(news),
        }
    }

    /// What every engine has told last, in the order in which they began.
    pub fn all(&self) -> Vec<Progressed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
