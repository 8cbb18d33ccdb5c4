//! Budgets: claims, forks, tasks and reservations.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use meshpeek::budget::{Held, Reservation};
use meshpeek::codec::Codec;
use meshpeek::summary::Code;
use meshpeek::view::{Block, Cursor, Table};
use meshpeek::{Budget, ErrorKind, Limits};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use zerocopy::little_endian::U32;

const MIB: u64 = 1 << 20;
/// The pool that all claims share.
const POOL: u64 = 64 * MIB;

fn budget(decoded_mib: u64) -> Budget {
    Budget::new(0, &Limits::default().with_decoded_bytes(decoded_mib * MIB).with_work(u32::MAX))
}

/// Returns the result of work that must end.
fn within_a_minute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(Duration::from_secs(60)).expect("waits for itself")
}

fn limit_of<T>(result: meshpeek::Result<T>) -> u64 {
    let error = result.err().unwrap();
    assert_eq!(error.code(), Code::DecodedBytesLimit);
    match error.kind() {
        ErrorKind::Limit { limit, .. } => *limit,
        other => panic!("{other:?}"),
    }
}

/// Counts the memory held, and its maximum.
#[derive(Default)]
struct Counter([AtomicU64; 2]);

impl Counter {
    fn add(&self, bytes: u64) {
        let sum = self.0[0].fetch_add(bytes, Ordering::SeqCst) + bytes;
        self.0[1].fetch_max(sum, Ordering::SeqCst);
    }

    fn remove(&self, bytes: u64) {
        self.0[0].fetch_sub(bytes, Ordering::SeqCst);
    }

    fn most(&self) -> u64 {
        self.0[1].load(Ordering::SeqCst)
    }
}

#[test]
fn memory_moved_to_another_thread_is_not_waited_for() {
    within_a_minute(|| {
        let budget = budget(256);
        let (in_pool, in_lane) = (budget.hold(64 * MIB).unwrap(), budget.hold(64 * MIB).unwrap());
        let mover = budget.clone();
        let moved = thread::spawn(move || {
            let more = mover.hold(64 * MIB).unwrap();
            drop(in_lane);
            more
        });
        let more = moved.join().unwrap();
        assert_eq!(limit_of(budget.hold(129 * MIB)), 256 * MIB);
        drop(budget.hold(128 * MIB).unwrap());
        drop((in_pool, more));
        drop(budget.hold(256 * MIB).unwrap());
    });
}

#[test]
fn pieces_are_one_claim_up_to_the_limit() {
    within_a_minute(|| {
        let (budget, busy) = (budget(256), Arc::new(AtomicU64::new(0)));
        for others in [0, 64] {
            // With a full pool and with an empty one.
            let other = budget.fork();
            let _other = other.hold(others * MIB).unwrap();
            let large: Vec<Held> = [60, 40, 40, 116].map(|mib| budget.hold(mib * MIB).unwrap()).into();
            assert_eq!(limit_of(budget.hold(1)), 256 * MIB);
            drop(large);
            let pieces: Vec<Held> = (0..256).map(|_| budget.hold(MIB).unwrap()).collect();
            assert_eq!(limit_of(budget.hold(1)), 256 * MIB);
            // Parts are included in what contains them.
            drop(pieces);
            let outer = budget.hold(200 * MIB).unwrap();
            let beside = budget.hold(50 * MIB).unwrap();
            assert_eq!(outer.budget().limits().decoded_bytes, 56 * MIB);
            assert!(outer.budget().hold(7 * MIB).is_err() && outer.budget().hold(6 * MIB).is_ok());
            drop(beside);
            assert!(outer.budget().hold(57 * MIB).is_err() && outer.budget().hold(56 * MIB).is_ok());
            busy.fetch_add(1, Ordering::Relaxed);
        }
        assert_eq!(busy.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn try_hold_gives_nothing_where_it_would_wait() {
    let budget = budget(256);
    let (mine, other) = (budget.fork(), budget.fork());
    let in_lane = mine.hold(POOL + 1).unwrap();
    for _ in 0..10 {
        assert!(other.try_hold(POOL + 1).unwrap().is_none());
    }
    let in_pool = other.try_hold(POOL).unwrap().unwrap();
    assert!(other.try_hold(1).unwrap().is_none());
    // The thread in the lane continues, and so does work forked inside it.
    let mine_too = mine.try_hold(1).unwrap().unwrap();
    let helper = in_lane.budget().fork();
    let held = helper.try_hold(5).unwrap().unwrap();
    assert!(in_lane.budget().fork().try_hold(5).unwrap().is_none());
    drop((in_lane, mine_too));
    assert!(other.try_hold(1).unwrap().is_none(), "the helper is still there");
    drop(held);
    drop(other.try_hold(1).unwrap().unwrap());
    drop(in_pool);
    assert_eq!(limit_of(other.try_hold(257 * MIB)), 256 * MIB);
    assert!(other.try_hold(0).unwrap().is_some());
}

#[test]
fn threads_that_help_share_the_lane_of_the_one_that_waits_for_them() {
    within_a_minute(|| {
        let budget = budget(256);
        let drained = budget.fork();
        let _drained = drained.hold(POOL).unwrap();
        // The helper starts before the memory is taken.
        let mine = budget.fork();
        let helper = mine.fork();
        let held = mine.hold(MIB).unwrap();
        let joined = thread::spawn(move || helper.hold(MIB).map(drop)).join().unwrap();
        joined.unwrap();
        drop(held);
    });
}

#[test]
fn a_pot_that_was_found_empty_stays_empty() {
    let budget = Budget::new(0, &Limits::default().with_work(1).with_output(1).with_archive_members(5));
    assert!(budget.charge_work(3 * MIB).is_err() && budget.charge_work(1).is_err());
    assert!(budget.charge_output(3 * MIB).is_err() && budget.charge_output(1).is_err());
    assert!(budget.charge_members(6).is_err() && budget.charge_members(1).is_err());
    assert!(budget.charge_and_hold(1).is_err() && budget.fork().charge_work(1).is_err());
}

/// One round of a task: takes memory, yields, takes more, yields.
async fn round(budget: &Budget, counter: &Counter, round: u64) {
    let take = async |budget: &Budget, bytes: u64| loop {
        if let Some(held) = budget.try_hold(bytes).unwrap() {
            budget.charge_work(bytes).unwrap();
            break held;
        }
        tokio::task::yield_now().await;
    };
    let [first, second] = [round * 7 % 20 * MIB, round * 11 % 40 * MIB];
    let held = take(budget, first).await;
    counter.add(first);
    tokio::task::yield_now().await;
    // Inside the memory held, and beside it.
    let inside = take(held.budget(), second).await;
    counter.add(second);
    tokio::task::yield_now().await;
    let beside = take(budget, MIB).await;
    counter.add(MIB);
    drop(beside);
    counter.remove(MIB + second + first);
    drop((inside, held));
}

#[test]
fn tasks_that_hold_and_await_and_take_get_on_within_the_limit() {
    const ROUNDS: u64 = 10_000;
    let most = within_a_minute(|| {
        let (budget, counter) = (budget(100), Arc::new(Counter::default()));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let next = Arc::new(AtomicU64::new(0));
        let tasks: Vec<_> = (0..64)
            .map(|_| {
                let (budget, counter, next) = (budget.fork(), counter.clone(), next.clone());
                runtime.spawn(async move {
                    let mut done = 0;
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= ROUNDS {
                            return done;
                        }
                        round(&budget, &counter, number).await;
                        done += 1;
                    }
                })
            })
            .collect();
        let done: u64 = tasks.into_iter().map(|task| runtime.block_on(task).unwrap()).sum();
        assert_eq!(done, ROUNDS);
        counter.most()
    });
    assert!(most > POOL && most <= POOL + 100 * MIB, "{most}");
}

#[test]
fn jobs_of_a_pool_of_threads_get_on_within_the_limit() {
    let most = within_a_minute(|| {
        let (budget, counter) = (budget(100), Counter::default());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        pool.install(|| {
            (0..2000_u64).into_par_iter().for_each(|job| {
                let budget = budget.fork();
                let [first, second] = [job * 7 % 60 * MIB, job * 11 % 40 * MIB];
                let held = budget.charge_and_hold(first).unwrap();
                counter.add(first);
                let inside = held.budget().charge_and_hold(second).unwrap();
                counter.add(second);
                thread::yield_now();
                counter.remove(first + second);
                drop((inside, held));
            });
        });
        counter.most()
    });
    assert!(most > POOL && most <= POOL + 100 * MIB, "{most}");
}

/// The amount that a thread may take does not depend on the moment of its fork. Data in held memory counts there.
#[test]
fn a_fork_has_the_limit_of_the_data_around_it() {
    let budget = budget(256);
    let held = budget.hold(200 * MIB).unwrap();
    for _ in 0..2 {
        let beside = budget.fork();
        assert_eq!(beside.limits().decoded_bytes, 256 * MIB);
        let whole = beside.try_hold(256 * MIB).unwrap().unwrap();
        assert_eq!(limit_of(beside.try_hold(1)), 256 * MIB);
        drop(whole);
    }
    // A message names the whole limit, not what is left of it.
    assert_eq!(limit_of(held.budget().hold(57 * MIB)), 256 * MIB);
    let inside = held.budget().fork();
    assert_eq!(inside.limits().decoded_bytes, 56 * MIB);
    assert_eq!(limit_of(inside.try_hold(57 * MIB)), 56 * MIB);
    assert!(inside.try_hold(56 * MIB).unwrap().is_some());
}

#[test]
fn a_reservation_takes_in_steps_and_ends_at_the_limit() {
    let limits = Limits::default().with_decoded_bytes(3 * MIB + 5).with_work(1).with_output(1);
    let budget = Budget::new(0, &limits);
    let reservation = Reservation::new(&budget);
    for _ in 0..3 * MIB / 4096 {
        reservation.hold(4096).unwrap();
    }
    reservation.hold(5).unwrap();
    assert_eq!(limit_of(reservation.hold(1)), 3 * MIB + 5);
    assert_eq!(limit_of(budget.hold(1)), 3 * MIB + 5);
    reservation.give(100);
    reservation.charge_output(99).unwrap();
    reservation.hold(1).unwrap();
    // Outstanding costs are charged at the end.
    reservation.charge_work(7).unwrap();
    drop(reservation);
    drop(budget.hold(3 * MIB + 5).unwrap());
    budget.charge_work(2 * MIB - 7).unwrap();
    assert!(budget.charge_work(1).is_err() && budget.charge_output(MIB).is_err());
}

/// Memory is held for rows of a packed table while they are read, but not for rows in place.
#[test]
fn reading_a_packed_table_takes_memory() {
    use meshpeek::Inspect;
    use meshpeek::inspect::{Outline, Part, PartArray, Visitor};
    use meshpeek::view::Packing;

    struct Reads<'b>(&'b Budget, Vec<(bool, bool)>);

    impl Visitor for Reads<'_> {
        fn array(&mut self, array: &PartArray<'_>) {
            let table = array.table;
            let is_packed = matches!(table.storage().packing, Packing::Lzo | Packing::Lzss | Packing::Deflate);
            let read = self.0.read(table, &mut |_| std::ops::ControlFlow::Continue(()));
            self.1.push((is_packed, read.is_ok()));
        }

        fn open(&mut self, _: &Part<'_>) -> bool {
            true
        }

        fn problem(&mut self, error: &meshpeek::Error) {
            panic!("{error}");
        }
    }

    let model = crate::writer::odol::Model::new(49, vec![crate::writer::odol::Lod::strip(1.0, 5000)]).to_vec();
    let asset = meshpeek::Asset::parse(&model).unwrap();
    let budget = Budget::new(1 << 30, &Limits::default().with_decoded_bytes(1000));
    let mut reads = Reads(&budget, Vec::new());
    asset.outline(&mut Outline::new(&mut reads));
    let of = |packed| reads.1.iter().filter(move |(is_packed, _)| *is_packed == packed);
    assert!(of(true).any(|(_, is_read)| !is_read) && of(false).count() > 0, "{:?}", reads.1);
    assert!(of(false).all(|(_, is_read)| *is_read));
}

/// A stream of LZO that decodes to half a gigabyte of rows. A reader that wants all gets them in pieces.
#[test]
fn a_block_far_larger_than_the_memory_is_read_whole() {
    const SIZE: usize = 500_000_000;
    let more = SIZE - 4 - 33;
    let mut stream = vec![17 + 4];
    stream.extend(b"abcd");
    // A match of distance 4 that fills the rest, and the end mark.
    stream.push(32);
    stream.resize(stream.len() + (more - 1) / 255, 0);
    stream.extend([((more - 1) % 255 + 1) as u8, 3 << 2, 0, 0x11, 0, 0]);
    let limits = Limits::default().with_decoded_bytes(64 << 20);
    let block = Block::<U32>::parse(&mut Cursor::new(&stream), SIZE as u64 / 4, Codec::Lzo, &limits).unwrap();
    let budget = Budget::new(stream.len() as u64, &limits);
    let (result, usage) = crate::memory::usage_of(|| {
        let (mut rows, mut largest) = (0, 0);
        let result = budget.read(&block, &mut |piece| {
            rows += piece.len() / 4;
            largest = largest.max(piece.len());
            assert!(piece.chunks(4).all(|row| row == b"abcd"));
            ControlFlow::Continue(())
        });
        result.map(|()| (rows, largest))
    });
    let (rows, largest) = result.unwrap();
    assert_eq!(rows, SIZE / 4);
    assert!(largest <= 1 << 16 && usage.peak < 300_000, "{largest} {usage:?}");
    assert!(block.decode().is_err() && meshpeek::inspect::to_bytes(&block, &limits).is_err());
}

#[test]
fn the_pieces_of_a_block_that_is_decoded_whole_are_as_short() {
    const SIZE: usize = 200_000;
    let stream = lzo1x::compress(&vec![7; SIZE], lzo1x::CompressLevel::default());
    let limits = Limits::default();
    let block = Block::<U32>::parse(&mut Cursor::new(&stream), SIZE as u64 / 4, Codec::Lzo, &limits).unwrap();
    let mut lengths = Vec::new();
    let mut measure = |piece: &[u8]| {
        lengths.push(piece.len());
        ControlFlow::Continue(())
    };
    block.read(&mut measure).unwrap();
    assert_eq!(lengths, [1 << 16, 1 << 16, 1 << 16, SIZE - (3 << 16)]);
}
