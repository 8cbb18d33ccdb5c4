//! Bounds on the total cost of one outer file, however its parts are nested.
//!
//! [`Limits`](crate::Limits) bound each part by itself, such as the size of an inflated member or of a decoded block. Nesting
//! multiplies these: archives in archives, members with blocks, blocks over the same few bytes. A [`Budget`] bounds the
//! product. It is created for a file, shared by all threads that work on it, and charged **before** each piece of work.
//!
//! # Memory
//!
//! A budget also bounds the decoded data in memory at one time, for a whole run. Other data that grows with a file,
//! such as the names of members and of other files, counts as well. Memory belongs to a *claim*. A budget, its clones
//! and all memory held through them form one claim, on whatever threads they are used. A claim holds at most
//! [`Limits::decoded_bytes`](crate::Limits::decoded_bytes), in one piece or in many. More is an error ([`Limit`](crate::ErrorKind::Limit)). This
//! depends on the file alone, never on other claims. [`Budget::fork`] makes another claim for another thread or task.
//!
//! Memory comes from a shared *pool* of 64 MiB. When it is empty, one claim at a time, together with the claims forked
//! inside it, continues in a reserve, the *lane*. The lane has room for a whole claim, so its owner never waits for more,
//! and every other claim waits only for one that makes progress. In total, all claims hold at most the pool and one full
//! claim. A fork in the lane may exceed this, because it has a full claim in addition to those it was forked inside: see
//! [`Budget::fork`].
//!
//! # Threads
//!
//! Each thread that works on a file takes a fork. A thread that waits for helpers lets them fork its own budget, so
//! that they share its lane.
//!
//! ```
//! use meshpeek::{Budget, Limits};
//!
//! let budget = Budget::new(1 << 20, &Limits::default());
//! std::thread::scope(|scope| {
//!     for _ in 0..4 {
//!         let budget = budget.fork();
//!         scope.spawn(move || {
//!             let held = budget.charge_and_hold(1 << 16)?; // waits where other threads have the memory
//!             let more = budget.charge_and_hold(1 << 16)?; // never waits for the line above
//!             drop((held, more));
//!             Ok::<(), meshpeek::Error>(())
//!         });
//!     }
//! });
//! ```
//!
//! # Tasks
//!
//! A task that waits in [`charge_and_hold`](Budget::charge_and_hold) blocks its thread, which another task may need to make progress. In an
//! executor, or in a work-stealing thread pool, use [`try_hold`](Budget::try_hold), which never waits, and yield if it
//! returns `None`. Alternatively, do the whole job, from the first `charge_and_hold` to the drop, in a thread that may block, such
//! as that of `spawn_blocking`.
//!
//! ```
//! # use meshpeek::{Budget, Result, budget::Held};
//! # async fn yield_now() {}
//! async fn take(budget: &Budget, bytes: u64) -> Result<Held> {
//!     loop {
//!         if let Some(held) = budget.try_hold(bytes)? {
//!             budget.charge_work(bytes)?;
//!             return Ok(held);
//!         }
//!         yield_now().await;
//!     }
//! }
//! # let budget = Budget::new(0, &Default::default());
//! # pollster::block_on(take(&budget, 5)).unwrap();
//! ```
//!
//! # Memory that grows
//!
//! A [`Reservation`] takes memory and work in steps, for code that builds a value piece by piece.

mod claim;
mod counter;
mod held;
mod remaining;
mod reservation;

#[cfg(feature = "scan")]
pub(crate) use self::claim::{Help, Memory};
#[cfg(feature = "scan")]
pub(crate) use self::counter::Counter;
pub use self::held::Held;
pub use self::remaining::Budget;
pub use self::reservation::Reservation;
