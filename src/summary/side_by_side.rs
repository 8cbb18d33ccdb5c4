//! Checks items on several threads, and reports their problems as one thread would.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::amount::Amount;

use super::problems::Problems;

/// Checks each item, on as many threads as the budget has helpers. The problems are those of one thread that checks one
/// item after another.
pub(crate) fn side_by_side<T: Send>(
    problems: &mut Problems,
    items: impl Iterator<Item = T> + Send,
    look: impl Fn(T, &mut Problems) + Sync,
) {
    let budget = problems.budget.clone();
    let items = Mutex::new(items.fuse().enumerate());
    let in_order: Mutex<InOrder<'_>> =
        Mutex::new(InOrder { problems, next: Amount(0), waiting: BTreeMap::new(), held: Amount(0) });
    budget.share_out(&|| {
        let budget = budget.fork();
        while let Some((place, item)) = { lock(&items).next() } {
            let mut of_item = Problems::within(budget.clone());
            look(item, &mut of_item);
            lock(&in_order).add(place, of_item);
        }
    });
}

/// Locks the mutex, even if another thread has panicked meanwhile.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Problems of items that were finished before earlier items.
struct InOrder<'p> {
    problems: &'p mut Problems,
    /// The index of the item whose problems come next.
    next: Amount<usize>,
    /// The problems of later items, by index.
    waiting: BTreeMap<usize, Problems>,
    /// The number of waiting problems.
    held: Amount<u64>,
}

impl InOrder<'_> {
    /// Adds the problems of the item at index `place`, and passes on those of all items whose turn has come.
    fn add(&mut self, place: usize, mut of_item: Problems) {
        let is_last = self.waiting.last_key_value().is_none_or(|(last, _)| place > *last);
        if is_last && self.held.0 >= u64::from(self.problems.budget.limits().problems) {
            // As many problems as are kept precede those of this item, so they are only counted. The one that reports a
            // spent budget stays, because only `append` knows whether an earlier item has reported that.
            let mut report_of_spent = None;
            if let Some(spent) = of_item.spent.take()
                && spent < of_item.list.len()
            {
                report_of_spent = Some(of_item.list.swap_remove(spent));
                of_item.spent = Some(0);
            }
            for left_out in of_item.list.drain(..) {
                of_item.beyond.add(1, left_out.severity);
            }
            of_item.list.extend(report_of_spent);
        }
        self.held += of_item.list.len() as u64;
        self.waiting.insert(place, of_item);
        while let Some(of_item) = self.waiting.remove(&self.next.0) {
            self.held -= of_item.list.len() as u64;
            self.problems.append(of_item);
            self.next += 1;
        }
    }
}
