//! The threads of a scan.

use std::iter::{Fuse, Peekable};
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::base::stop;
use crate::budget::Help;

/// The limit on threads. Starting more takes longer than they could save.
pub(super) const MOST_JOBS: usize = 256;

/// Threads that help wherever there is more than one item of work.
///
/// A thread waits only for threads that help with its own work. It never takes up other work meanwhile, because that
/// work might wait for something the thread itself holds. For this reason a work-stealing pool is not used.
#[derive(Debug)]
pub(super) struct Workers {
    threads: usize,
    /// How many more threads may join. Briefly below 0 when a thread that waited continues.
    free: AtomicIsize,
}

impl Workers {
    /// Creates a group of this many threads, including the caller's.
    pub(super) fn new(threads: usize) -> Self {
        Self { threads, free: AtomicIsize::new(isize::try_from(threads).unwrap_or(isize::MAX).saturating_sub(1)) }
    }

    /// Processes all items on this thread and as many others as are free. Takes an item when a thread is ready for it,
    /// and checks that there is one more item before it asks another thread to help.
    pub(super) fn each<T: Send>(&self, items: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
        let looks_ahead = true;
        self.share(&Shared::new(items, looks_ahead, work));
    }

    /// Returns true if there are threads besides the caller's.
    pub(super) fn is_many(&self) -> bool {
        self.threads > 1
    }

    /// Calls `step` until it returns false. Runs `other` at the same time as soon as a thread is free, or else
    /// afterwards.
    pub(crate) fn beside(&self, mut step: impl FnMut() -> bool, other: impl FnOnce() + Send) {
        let other = &Once(Mutex::new(Some(other)));
        thread::scope(|scope| {
            let mut is_invited = false;
            while step() {
                is_invited = is_invited || self.invite(scope, || other.run());
            }
            other.run();
            // A thread that waits for helpers does not work.
            self.free.fetch_add(1, Ordering::Relaxed);
        });
        self.free.fetch_sub(1, Ordering::Relaxed);
    }

    /// Like `each`, for items of which the next may take long to arrive: the current one does not wait for it.
    pub(super) fn each_that_comes<T: Send>(&self, items: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
        let looks_ahead = false;
        self.share(&Shared::new(items, looks_ahead, work));
    }

    fn share<T: Send>(&self, shared: &Shared<impl Iterator<Item = T> + Send, impl Fn(T) + Sync>) {
        thread::scope(|scope| {
            self.take(scope, shared);
            // A thread that waits for helpers does not work.
            self.free.fetch_add(1, Ordering::Relaxed);
        });
        self.free.fetch_sub(1, Ordering::Relaxed);
    }

    /// Takes items until there are none. Asks a thread to help with each item that is not the last; that one asks others.
    fn take<'s, T, I, W>(&'s self, scope: &'s thread::Scope<'s, '_>, shared: &'s Shared<I, W>)
    where
        T: Send,
        I: Iterator<Item = T> + Send,
        W: Fn(T) + Sync,
    {
        while let Some(item) = shared.next() {
            if self.free.load(Ordering::Relaxed) > 0 && shared.may_have_more() {
                self.invite(scope, move || self.take(scope, shared));
            }
            (shared.work)(item);
        }
    }

    /// Counts one free thread as busy. Returns false if there is none.
    fn take_free(&self) -> bool {
        let one_less = |free: isize| if free > 0 { free.checked_sub(1) } else { None };
        self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    /// Returns true if a thread came to help.
    fn invite<'s>(&'s self, scope: &'s thread::Scope<'s, '_>, help: impl FnOnce() + Send + 's) -> bool {
        if !self.take_free() {
            return false;
        }
        let switch = stop::switch();
        let started = thread::Builder::new().spawn_scoped(scope, move || {
            let _until = switch.map(stop::Until::new);
            help();
            self.free.fetch_add(1, Ordering::Relaxed);
        });
        // If the system cannot start another thread, continue without it.
        if started.is_err() {
            self.free.fetch_add(1, Ordering::Relaxed);
        }
        started.is_ok()
    }
}

/// Work that the first thread to reach it does.
struct Once<F>(Mutex<Option<F>>);

impl<F: FnOnce()> Once<F> {
    fn run(&self) {
        let work = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(work) = work {
            work();
        }
    }
}

/// Items that several threads take, and the work on each.
struct Shared<I: Iterator, W> {
    items: Mutex<Peekable<Fuse<I>>>,
    /// Whether the next item is awaited before a thread is asked to help with it.
    looks_ahead: bool,
    work: W,
}

impl<I: Iterator, W> Shared<I, W> {
    fn new(items: I, looks_ahead: bool, work: W) -> Self {
        Self { items: Mutex::new(items.fuse().peekable()), looks_ahead, work }
    }

    fn items(&self) -> MutexGuard<'_, Peekable<Fuse<I>>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<I::Item> {
        self.items().next()
    }

    fn may_have_more(&self) -> bool {
        !self.looks_ahead || self.items().peek().is_some()
    }
}

impl Help for Workers {
    fn join_in(&self, work: &(dyn Fn() + Sync)) {
        // Late helpers find nothing left to do.
        self.each(0..MOST_JOBS, |_| work());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, AtomicUsize};

    use super::*;
    use crate::base::error::Error;
    use crate::base::limits::Limits;
    use crate::budget::Budget;
    use crate::summary::{Problems, side_by_side};

    #[test]
    fn nested_work_is_done_once_within_the_number_of_threads() {
        for threads in [1, 2, 5] {
            let workers = Workers::new(threads);
            let (sum, at_once, most) = (AtomicU64::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
            workers.each(0..20_u64, |outer| {
                workers.each(0..50_u64, |inner| {
                    most.fetch_max(at_once.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                    thread::yield_now();
                    sum.fetch_add(outer * 50 + inner, Ordering::Relaxed);
                    at_once.fetch_sub(1, Ordering::Relaxed);
                });
            });
            assert_eq!(sum.into_inner(), (0..1000).sum::<u64>());
            // One more for a moment, when a thread that waited continues.
            assert!(most.into_inner() <= threads + 2, "{threads}");
        }
    }

    #[test]
    fn problems_of_shared_work_are_those_of_one_thread() {
        for most in [5, 5000] {
            let limits = Limits::default().with_problems(most);
            let problems_with = |threads| {
                let budget = Budget::new(1, &limits).helped_by(Arc::new(Workers::new(threads)));
                let mut problems = Problems::within(budget);
                side_by_side(&mut problems, 0..300_u64, |item, problems| {
                    if item % 7 == 0 {
                        thread::yield_now();
                    }
                    for _ in 0..item % 3 {
                        problems.error(&Error::malformed(format!("item {item}")).at(item));
                    }
                    if item > 200 {
                        problems.error(&problems.budget().charge_work(u64::MAX).unwrap_err());
                    }
                });
                problems.into_vec()
            };
            let alone = problems_with(1);
            assert_eq!(alone.iter().filter(|problem| problem.offset.is_none()).count(), 1);
            for threads in [2, 5] {
                assert_eq!(problems_with(threads), alone);
            }
        }
    }
}
