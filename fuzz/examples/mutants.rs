//! Calls the public functions of the library on files with changed fields, arrays and gaps, found by the dissection,
//! and compares the memory and time of each question with a bound.
//!
//! `mutants [COUNT] [FROM]`: this many (100,000), starting at this one (0). The number of a mutant alone determines its
//! content. For one that panics or exceeds a bound, its name is printed and its bytes are written to `fuzz/artifacts`;
//! the command then exits with 1.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use meshpeek::address::{Names, open_member};
use meshpeek::budget::Reservation;
use meshpeek::container::Container;
use meshpeek::diff::{Options, Side, compare, fingerprint};
use meshpeek::dissect::{dissect, dissect_until, locate, overview};
use meshpeek::inspect::{
    self, Depth, Field, FieldValue, Inspect, Outline, Part, PartArray, Selector, Value, Visitor, selector,
};
use meshpeek::ranges::Ranges;
use meshpeek::scan::{Input, Scan};
use meshpeek::summary::Problems;
use meshpeek::visit::visit;
use meshpeek::{Asset, Budget, Format, Limits, OwnedAsset, json};
use meshpeek_fuzz::memory::usage_of;
use meshpeek_fuzz::models::bent;

/// The maximum decoded size of one block.
const DECODED: u64 = 16 << 20;
/// The memory that a question may take besides twice the file: about twelve times the maximum measured.
const MEMORY: u64 = 8 << 20;
const TIME: Duration = Duration::from_secs(2);
/// The number of items requested of each kind.
const ENOUGH: usize = 100;

struct Mutant<'m> {
    base: &'m [u8],
    bytes: &'m [u8],
    path: &'m Path,
    limits: Limits,
}

impl Mutant<'_> {
    fn budget(&self) -> Budget {
        Budget::new(self.bytes.len() as u64, &self.limits)
    }

    fn asset(&self) -> Option<Asset<'_>> {
        Asset::parse_file(self.path, self.bytes, &self.limits).ok()
    }

    /// Asks an asset, if there is one.
    fn with(&self, ask: impl FnOnce(&Asset<'_>)) {
        if let Some(asset) = self.asset() {
            ask(&asset);
        }
    }
}

type Question = (&'static str, fn(&Mutant<'_>));

const QUESTIONS: &[Question] = &[
    ("parse", |mutant| {
        let _ = (Format::sniff(mutant.bytes), Asset::parse(mutant.bytes).map(|asset| asset.format()));
        let owned = OwnedAsset::parse_with(mutant.bytes.to_vec(), &mutant.limits);
        let _ = owned.map(|owned| owned.asset().summarize_header());
    }),
    ("header", |mutant| mutant.with(|asset| drop(asset.summarize_header()))),
    ("summary", |mutant| mutant.with(|asset| drop(asset.summarize()))),
    ("verify", |mutant| {
        mutant.with(|asset| {
            let mut problems = Problems::within(mutant.budget());
            asset.verify(&mut problems);
            problems.into_vec().iter().for_each(|problem| assert!(!problem.message.is_empty()));
            let mut problems = Problems::new(&mutant.limits);
            asset.survey(Depth::Verify, &mut problems);
        });
    }),
    ("outline", |mutant| {
        mutant.with(|asset| asset.outline(&mut Outline::new(&mut Reads { budget: mutant.budget(), arrays: 0 })));
    }),
    ("overview", |mutant| {
        mutant.with(|asset| {
            overview(&|sink| dissect_until(asset, asset.size(), sink), &mut |line| {
                assert!(line.depth < 1000);
                ControlFlow::Continue(())
            });
        });
    }),
    ("dissect", |mutant| {
        mutant.with(|asset| {
            let (mut sought, mut left) = (None, mutant.bytes.len() % 97);
            dissect(asset, mutant.bytes.len() as u64, &mut |line| {
                left = left.saturating_sub(1);
                if left == 0 {
                    sought.get_or_insert_with(|| line.selector.to_owned());
                }
            });
            let sought = sought.and_then(|text| text.parse::<Selector>().ok());
            sought.map(|selector| locate(asset, mutant.bytes.len() as u64, &selector));
        });
    }),
    ("selectors", |mutant| {
        mutant.with(|asset| {
            let mut all = Vec::new();
            selector::each(asset, &mut |selector, _| {
                if all.len() < ENOUGH {
                    all.push(selector.to_owned());
                }
            });
            selector::nearest(asset, "lods/0/positoins");
            for text in all {
                let selector: Selector = text.parse().expect("what is listed is a selector");
                let budget = mutant.budget();
                let _ = inspect::Array::find(asset, mutant.bytes, &selector, &budget);
            }
        });
    }),
    ("digests", |mutant| {
        mutant.with(|asset| {
            let budget = mutant.budget();
            asset.digests(asset.digest_names(), &budget, &mut |_, _| ());
            let _ = fingerprint(asset, &budget);
        });
    }),
    ("json", |mutant| mutant.with(|asset| json::write(asset, std::io::sink()).expect("a sink takes everything"))),
    ("geometry", |mutant| {
        mutant.with(|asset| {
            let budget = mutant.budget();
            let reservation = Reservation::new(&budget);
            for primitive in asset.primitives().take(ENOUGH).flatten() {
                let _ = (primitive.positions(), primitive.normals(), primitive.colors(), primitive.material());
                let _ = (primitive.tangents(), primitive.to_weights(), primitive.world_matrix);
                for set in 0..primitive.uv_sets().unwrap_or(0).min(ENOUGH) {
                    let _ = primitive.uvs(set);
                }
                primitive.triangles().take(ENOUGH).for_each(drop);
                let _ = primitive.to_welded(|bytes| reservation.charge_and_hold(bytes));
            }
        });
    }),
    ("pose", |mutant| {
        mutant.with(|asset| {
            for rig in asset.rigs().into_iter().flatten().take(4) {
                let _ = rig.rest().world();
                for clip in rig.clips().flatten().take(4) {
                    for seconds in [0.0, 0.5, f32::MAX, f32::NAN] {
                        let pose = clip.pose_at(seconds);
                        let _ = pose.map(|pose| pose.skin(&rig.rest()));
                    }
                    for &bone in clip.bones().iter().take(ENOUGH) {
                        let _ = (clip.to_track(bone), clip.stored_keys(bone));
                    }
                }
            }
        });
    }),
    ("members", |mutant| {
        mutant.with(|asset| {
            let Some(container) = Container::of(asset) else { return };
            container.overlapping();
            let (mut names, budget) = (Names::of(&container), mutant.budget());
            for member in container.members().map_while(Result::ok).take(ENOUGH) {
                let name = names.next(member.name()).text;
                let _ = (member.sniff(), member.decode(&budget).map(|content| content.len()));
                let opened = open_member(mutant.path, mutant.bytes, Some(name.as_bytes()), &budget);
                let _ = opened.and_then(|opened| opened.content).map(|content| content.len());
            }
            let _ = open_member(mutant.path, mutant.bytes, Some(b"of no such name"), &budget);
        });
    }),
    ("visit", |mutant| {
        let _ = visit(mutant.bytes, &mutant.limits, &mut |visited| {
            let _ = visited.asset.map(|asset| asset.summarize());
            ControlFlow::Continue(())
        });
    }),
    ("scan", |mutant| {
        let mut scan = Scan::new([""; 0]);
        (scan.jobs, scan.limits, scan.digests, scan.depth) = (Some(1), mutant.limits, true, Depth::Verify);
        let ended =
            scan.run(Input::Bytes { path: mutant.path, data: mutant.bytes }, |_| (), |_, _| ControlFlow::Continue(()));
        ended.expect("there is no glob to be wrong");
        scan.record(mutant.path, mutant.bytes);
    }),
    ("ranges", |mutant| {
        let mut ranges = Ranges::new(mutant.bytes.len() as u64);
        let limits = &mutant.limits;
        let header = |ranges: &Ranges| Ok(Asset::parse_ranges(ranges, limits)?.summarize_header());
        let _ = ranges.load(mutant.bytes, header);
        let whole = |ranges: &Ranges| Ok(Asset::parse_ranges(ranges, limits)?.summarize());
        if let Ok(summary) = ranges.load(mutant.bytes, whole) {
            let parsed = Asset::parse_with(mutant.bytes, limits).expect("ranges of it open");
            assert_eq!(summary, parsed.summarize());
        }
    }),
    ("diff", |mutant| {
        let budget = mutant.budget();
        let [a, b] = [mutant.base, mutant.bytes].map(|data| Side::new(mutant.path, data, &budget));
        let mut count = 0_u64;
        let _ = compare(a, b, &Options::default(), &mut |_| count += 1);
    }),
];

/// Reads everything in an outline.
struct Reads {
    budget: Budget,
    arrays: usize,
}

impl Visitor for Reads {
    fn open(&mut self, _: &Part<'_>) -> bool {
        true
    }

    fn field(&mut self, field: Field<'_>) {
        if let FieldValue::One(Value::Text(text)) = field.value {
            assert!(!text.to_string().contains(|c: char| c.is_control()));
        }
    }

    fn array(&mut self, array: &PartArray<'_>) {
        self.arrays += 1;
        if self.arrays <= ENOUGH {
            let mut left = 1_u64 << 20;
            let _ = self.budget.read(array.table, &mut |rows| {
                left = left.saturating_sub(rows.len() as u64);
                if left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
    }

    fn problem(&mut self, error: &meshpeek::Error) {
        assert!(!error.to_string().is_empty());
    }
}

/// The maximum cost of a question over all mutants.
#[derive(Clone, Copy, Default)]
struct Most {
    memory: i64,
    time: Duration,
}

#[derive(Default)]
struct Report {
    most: Vec<Most>,
    opened: u64,
    asked: u64,
    failures: Vec<String>,
}

/// Pseudorandom numbers, determined by the number of the mutant alone.
fn choices(number: u64) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    (0..8).flat_map(|_| next().to_le_bytes()).collect()
}

fn ask(number: u64, report: &Mutex<Report>) {
    let (base, bytes) = bent(&choices(number));
    let ending = match Format::sniff(base).map(Format::name) {
        Some("odol" | "mlod") => "p3d",
        Some("lodka") => "lod",
        Some("bmtr") => "rtm",
        Some(name) => name,
        None => "pbo",
    };
    let path = format!("mutant.{ending}");
    let limits = Limits::default().with_decoded_bytes(DECODED);
    let mutant = Mutant { base, bytes: &bytes, path: Path::new(&path), limits };
    let bound = (MEMORY + 2 * bytes.len() as u64) as i64;
    let mut failures = Vec::new();
    let mut took = vec![Most::default(); QUESTIONS.len()];
    for ((name, question), took) in QUESTIONS.iter().zip(&mut took) {
        let start = Instant::now();
        let (ended, usage) = usage_of(|| catch_unwind(AssertUnwindSafe(|| question(&mutant))));
        *took = Most { memory: usage.peak, time: start.elapsed() };
        if ended.is_err() {
            failures.push(format!("{number}: {name} panics"));
        }
        if usage.peak > bound {
            failures.push(format!("{number}: {name} takes {} bytes of {bound}", usage.peak));
        }
        // Measured again in case the machine was busy.
        let is_slow = |time: Duration| time > TIME;
        if is_slow(took.time) {
            let start = Instant::now();
            let _ = catch_unwind(AssertUnwindSafe(|| question(&mutant)));
            took.time = took.time.min(start.elapsed());
            if is_slow(took.time) {
                failures.push(format!("{number}: {name} takes {:?}", took.time));
            }
        }
    }
    if !failures.is_empty() {
        let _ = std::fs::create_dir_all("fuzz/artifacts");
        let _ = std::fs::write(format!("fuzz/artifacts/mutant-{number}.{ending}"), &bytes);
    }
    let opened = u64::from(mutant.asset().is_some());
    let mut report = report.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    report.most.resize(QUESTIONS.len(), Most::default());
    for (most, took) in report.most.iter_mut().zip(took) {
        *most = Most { memory: most.memory.max(took.memory), time: most.time.max(took.time) };
    }
    report.asked += 1;
    report.opened += opened;
    report.failures.extend(failures);
}

fn main() {
    let mut numbers = std::env::args().skip(1).map(|arg| arg.parse::<u64>().expect("a number"));
    let (count, from) = (numbers.next().unwrap_or(100_000), numbers.next().unwrap_or(0));
    let (next, report) = (AtomicU64::new(from), Mutex::new(Report::default()));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= from + count {
                        break;
                    }
                    ask(number, &report);
                }
            });
        }
    });
    let Report { most, opened, asked, failures } = report.into_inner().unwrap_or_else(|error| error.into_inner());
    for ((name, _), most) in QUESTIONS.iter().zip(most) {
        println!("{name:<10} {:>8} KiB {:>8.1} ms", most.memory / 1024, most.time.as_secs_f64() * 1000.0);
    }
    let questions = asked * QUESTIONS.len() as u64;
    println!("{asked} mutants, {opened} of them open, {questions} questions, {:.0} s", start.elapsed().as_secs_f64());
    failures.iter().for_each(|failure| println!("{failure}"));
    std::process::exit(i32::from(!failures.is_empty()));
}
