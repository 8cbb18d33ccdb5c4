//! The results of reading headers only, and the pages that this touches.

use meshpeek::{Asset, Depth, Inspect};

use crate::writer;

#[test]
fn deeper_scans_keep_the_results_of_shallower_ones() {
    for (name, bytes) in writer::corpus() {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        let [header, whole] = [asset.summarize_header(), asset.summarize()];
        assert_eq!((header.format, header.version, header.bytes), (whole.format, whole.version, whole.bytes), "{name}");
        for (count, known) in header.counts.iter() {
            // A count that the rest of a broken file contradicts is unknown.
            let counted = whole.counts.get(count);
            let is_broken = name.starts_with("hostile") && counted.is_none();
            assert!(known.is_none() || counted == known || is_broken, "{name}: {count}");
        }
        assert!(header.bounds.is_none() || header.bounds == whole.bounds, "{name}");
        assert!(header.references.iter().all(|reference| whole.references.contains(reference)), "{name}");
        if !name.starts_with("hostile") {
            assert_eq!(header.problems, [], "{name}");
            // The header of a config counts nothing: each class counts its own entries.
            let counts_something = header.counts.iter().any(|(_, count)| count.is_some());
            assert_eq!(counts_something, !name.starts_with("rap/"), "{name}");
        }
        let counted: Vec<_> = whole.counts.iter().map(|(count, _)| count).collect();
        assert_eq!(counted, whole.format.unwrap().count_names(), "{name}");
        // A survey without a list of problems is a summary.
        let mut problems = meshpeek::summary::Problems::new(&asset.limits());
        let mut surveyed = asset.survey(Depth::Header, &mut problems);
        assert_eq!(surveyed.problems, [], "{name}");
        surveyed.problems = problems.into_vec();
        assert_eq!(surveyed, header, "{name}");
    }
}

/// At the depth of a summary, the blocks of ODOL are counted in another way, and weights are checked only if they are
/// uneven.
#[test]
fn a_summary_counts_the_blocks_of_a_verification_and_knows_uneven_weights() {
    let mut uneven = Vec::new();
    for (name, bytes) in writer::corpus() {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        let [summary, verified] = [Depth::Summary, Depth::Verify].map(|depth| {
            let mut problems = meshpeek::summary::Problems::new(&asset.limits());
            let summary = asset.survey(depth, &mut problems);
            (summary.blocks, problems.into_vec())
        });
        assert_eq!(summary.0, verified.0, "{name}");
        if summary.1.iter().any(|problem| problem.message.contains("weights: 2 elements for 3 points")) {
            uneven.push(name);
        }
    }
    assert_eq!(uneven, ["hostile/selection_weights.p3d"]);
}

#[cfg(target_os = "linux")]
mod pages {
    use super::*;
    use crate::writer::odol::{Lod, Model};
    use crate::writer::{b3d, pbo, rtm, zip};

    const PAGE: usize = 4096;

    /// Memory that faults on access, so that its pages are counted.
    struct Watched {
        start: *mut u8,
        bytes: usize,
    }

    /// The state of the handler: the watched memory, and the number of faults in it.
    static START: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    static END: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    static FAULTS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    /// One test at a time.
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());

    extern "C" fn count(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        use std::sync::atomic::Ordering::SeqCst;
        // SAFETY: the kernel's own report of this fault; only system calls follow.
        unsafe {
            let address = (*info).si_addr() as usize;
            if !(START.load(SeqCst)..END.load(SeqCst)).contains(&address) {
                // Not in the watched memory: the fault occurs again, and ends the process.
                libc::signal(signal, libc::SIG_DFL);
                return;
            }
            FAULTS.fetch_add(1, SeqCst);
            libc::mprotect((address / PAGE * PAGE) as *mut _, PAGE, libc::PROT_READ);
        }
    }

    impl Watched {
        fn new(bytes: &[u8]) -> Self {
            // SAFETY: newly mapped memory, written to before it is protected.
            unsafe {
                let (access, how) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
                let start = libc::mmap(std::ptr::null_mut(), bytes.len(), access, how, -1, 0);
                assert_ne!(start, libc::MAP_FAILED);
                let start: *mut u8 = start.cast();
                start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                assert_eq!(libc::mprotect(start.cast(), bytes.len(), libc::PROT_NONE), 0);
                Self { start, bytes: bytes.len() }
            }
        }

        fn bytes(&self) -> &[u8] {
            // SAFETY: a fault makes each page readable; nobody writes.
            unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
        }
    }

    impl Drop for Watched {
        fn drop(&mut self) {
            // SAFETY: its own memory, without remaining borrows.
            unsafe { libc::munmap(self.start.cast(), self.bytes) };
        }
    }

    /// Returns the number of pages that an operation touches, and the total number of pages.
    fn touched(bytes: &[u8], look: impl FnOnce(&[u8])) -> (usize, usize) {
        use std::sync::atomic::Ordering::SeqCst;
        let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let watched = Watched::new(bytes);
        START.store(watched.start as usize, SeqCst);
        END.store(watched.start as usize + bytes.len(), SeqCst);
        FAULTS.store(0, SeqCst);
        // SAFETY: the handler only makes system calls, and is removed below.
        let before = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            let mut before: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = count as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            assert_eq!(libc::sigaction(libc::SIGSEGV, &action, &mut before), 0);
            before
        };
        look(watched.bytes());
        // SAFETY: restores the previous action.
        unsafe { libc::sigaction(libc::SIGSEGV, &before, std::ptr::null_mut()) };
        (FAULTS.load(SeqCst), bytes.len().div_ceil(PAGE))
    }

    fn at(depth: Depth) -> impl Fn(&[u8]) {
        move |bytes: &[u8]| {
            let asset = Asset::parse(bytes).unwrap();
            let mut problems = meshpeek::summary::Problems::new(&asset.limits());
            asset.survey(depth, &mut problems);
        }
    }

    #[test]
    fn headers_are_read_from_the_first_pages_alone() {
        let motion = |version| rtm::motion(version, 800, 80, rtm::NONE);
        let scene = b3d::scene([
            b3d::textures(&[]),
            b3d::node("one", [b3d::mesh(-1, [b3d::vertices(70_000, 0, 0, 0)])]),
            b3d::brushes(&[(b"last", &[])]),
        ]);
        let model = Model::new(73, (0..5).map(|lod| Lod::strip(lod as f32, 8000)).collect());
        let content = vec![7; 800_000];
        for (format, bytes, allowed) in [
            ("bmtr 5", motion(5).binarised().to_vec(), 1),
            ("bmtr 4", motion(4).binarised().to_vec(), 1),
            ("rtm", motion(101).plain().to_vec(), 1),
            ("odol", model.to_vec(), 1),
            // The brushes are after all nodes.
            ("b3d", scene.to_vec(), 2),
            ("pbo", pbo::Writer::new().stored(b"a.bin", &content).finish(pbo::Tail::Sha1), 1),
            // The end record may be anywhere in the last 65,557 bytes.
            ("zip", zip::zip(&[zip::Entry::stored("a.bin", &content)], b"").to_vec(), 19),
        ] {
            let (header, all) = touched(&bytes, at(Depth::Header));
            let (summary, _) = touched(&bytes, at(Depth::Summary));
            assert!(header <= allowed && header <= summary, "{format}: {header}, then {summary} of {all} pages");
            assert!(all > 190, "{format}: {all} pages");
        }
    }
}
