//! Work that the caller stops: it says so, and nothing that was learned meanwhile stays.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use meshpeek::container::Container;
use meshpeek::export::{self, Options};
use meshpeek::summary::{Code, Problems};
use meshpeek::{Asset, Budget, Inspect, Limits, Until, b3d, pbo};

use crate::writer;
use crate::writer::zip::{Entry, zip};

/// A guard whose flag is set.
fn stopped() -> Until {
    Until::new(Arc::new(true.into()))
}

fn is_stopped() -> bool {
    Budget::unlimited(&Limits::default()).charge_work(1).is_err()
}

/// An archive of this many members, and 3 MiB of content.
fn archive(members: usize) -> Vec<u8> {
    let mut archive = writer::pbo::Writer::new().product(&[]).stored(b"large.bin", &vec![7; 3 << 20]);
    for index in 0..members {
        archive = archive.stored(format!("{index}.txt").as_bytes(), b"some");
    }
    archive.finish(writer::pbo::Tail::Sha1)
}

fn verified(asset: &dyn Inspect) -> Vec<Code> {
    let mut problems = Problems::new(&Limits::default());
    asset.verify(&mut problems);
    problems.into_vec().iter().map(|problem| problem.code).collect()
}

#[test]
fn guards_end_in_any_order() {
    let flags = [false, true, false].map(|is_set| Arc::new(AtomicBool::new(is_set)));
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut guards: Vec<Option<Until>> = flags.iter().map(|flag| Some(Until::new(flag.clone()))).collect();
        for dropped in order {
            guards[dropped] = None;
            // The last of those that are left applies.
            let last = guards.iter().rposition(Option::is_some);
            assert_eq!(is_stopped(), last == Some(1), "{order:?}, {dropped}");
        }
    }
    // A guard that is replaced ends after the new one began.
    let mut kept = Some(Until::new(flags[1].clone()));
    assert!(is_stopped() && kept.is_some());
    kept = Some(Until::new(flags[0].clone()));
    assert!(!is_stopped() && kept.is_some());
}

#[test]
fn a_checksum_that_was_not_computed_is_not_wrong() {
    let bytes = archive(1);
    let archive = pbo::Archive::parse(&bytes).unwrap();
    let flag = Arc::new(AtomicBool::new(false));
    let until = Until::new(flag.clone());
    assert_eq!(archive.checksum_holds().unwrap(), Some(true));
    assert_eq!(verified(&archive), []);
    flag.store(true, Ordering::Relaxed);
    assert_eq!(archive.checksum_holds().unwrap_err().code(), Code::Cancelled);
    assert_eq!(verified(&archive), [Code::Cancelled]);
    drop(until);
    assert_eq!(archive.checksum_holds().unwrap(), Some(true));
}

/// A directory that was not read to its end is no shorter directory.
#[test]
fn archives_open_whole_or_not_at_all() {
    let bytes = archive(5_000);
    let entries: Vec<Entry> = (0..5_000).map(|index| Entry::stored(format!("{index}.txt"), b"some")).collect();
    let whole = zip(&entries, b"").to_vec();
    // The directory is found by its entries, because the end record has the wrong place and size.
    let mut moved = whole.clone();
    let end = moved.len() - 22;
    moved[end + 12..end + 20].fill(0x11);
    for bytes in [bytes, whole, moved] {
        let until = stopped();
        let opened =
            Asset::parse(&bytes).map(|asset| Container::of(&asset).unwrap().members().filter(Result::is_ok).count());
        assert_eq!(opened.map_err(|error| error.code()), Err(Code::Cancelled));
        drop(until);
        let asset = Asset::parse(&bytes).unwrap();
        let count = Container::of(&asset).unwrap().members().filter(Result::is_ok).count();
        assert!(count >= 5_000, "{count}");
    }
}

#[test]
fn lists_and_counts_of_a_scene_do_not_end_silently() {
    let brush: (&[u8], &[i32]) = (b"brush", &[-1]);
    let bytes = writer::b3d::scene([writer::b3d::brushes(&vec![brush; 5_000])]).to_vec();
    let scene = b3d::Scene::parse(&bytes).unwrap();
    assert_eq!(scene.brushes().filter(Result::is_ok).count(), 5_000);
    let _until = stopped();
    let errors: Vec<Code> = scene.brushes().filter_map(Result::err).map(|error| error.code()).collect();
    assert_eq!(errors, [Code::Cancelled]);
    assert_eq!(scene.counts().unwrap_err().code(), Code::Cancelled);
}

/// An export that was stopped is an error, not a model that lacks parts.
#[test]
fn a_stopped_export_is_an_error() {
    let bytes = writer::b3d::sound().to_vec();
    let asset = Asset::parse(&bytes).unwrap();
    let budget = Budget::new(bytes.len() as u64, &Limits::default());
    assert!(export::obj(&asset, &Options::default(), &budget).is_ok());
    let _until = stopped();
    let error = export::obj(&asset, &Options::default(), &budget).unwrap_err();
    assert_eq!(error.code(), Code::Cancelled);
}

/// Facts that could not be read while the work was stopped can be read afterwards, in every file of the corpus.
#[test]
fn nothing_learned_meanwhile_stays() {
    /// All that primitives know, which formats read once for many of them.
    fn known(asset: &Asset<'_>) -> String {
        let mut all = format!("{:?}", asset.summarize());
        for primitive in asset.primitives().flatten() {
            all += &format!("{:?}", primitive.material());
            all += &format!("{:?}", primitive.to_weights().map(|weights| weights.is_some()));
        }
        all
    }
    let mut files = 0;
    for (name, bytes) in writer::corpus() {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        let until = stopped();
        let _ = known(&asset);
        verified(&asset);
        drop(until);
        assert_eq!(known(&asset), known(&Asset::parse(&bytes).unwrap()), "{name}");
        files += 1;
    }
    assert!(files > 100, "{files}");
}
