use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use super::file::MAP_FROM;
#[cfg(target_os = "linux")]
use super::pipe::Patience;
use super::{Access, FileMap, guard_maps};
use crate::base::limits::Limits;

/// A file that is deleted at the end of the test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("meshpeek-source-{name}-{}", std::process::id())))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// SAFETY, for all tests: the concurrent writes are what is tested, and bytes are read as numbers only.
fn map() -> Access {
    unsafe { Access::map() }
}

#[test]
fn the_way_is_chosen_by_size_and_can_be_forced() {
    let file = Temporary::new("way");
    let path = &file.0;
    guard_maps().unwrap();
    for (size, mapped) in [(0, false), (10, false), (MAP_FROM as usize, cfg!(feature = "mmap"))] {
        let bytes: Vec<u8> = (0..size).map(|i| i as u8).collect();
        File::create(path).unwrap().write_all(&bytes).unwrap();
        let limits = Limits::default();
        let large = FileMap::open_with(path, unsafe { Access::map_large() }, &limits).unwrap();
        assert_eq!(large.is_mapped(), mapped);
        assert!(!FileMap::open(path).unwrap().is_mapped());
        assert!(!FileMap::open_with(path, Access::READ, &limits).unwrap().is_mapped());
        let forced = FileMap::open_with(path, map(), &limits).unwrap();
        assert_eq!(forced.is_mapped(), size > 0 && cfg!(feature = "mmap"));
        assert_eq!((&*large, &*forced), (&bytes[..], &bytes[..]));
        large.unchanged().unwrap();
        forced.unchanged().unwrap();
    }
    std::fs::remove_file(path).unwrap();
    let error = FileMap::open(path).unwrap_err();
    assert_eq!(error.path(), Some(&**path));
    assert!(FileMap::open(std::env::temp_dir()).is_err());
}

/// Systems store the times of files in steps of a few milliseconds.
#[cfg(all(feature = "mmap", unix))]
fn wait_for_another_time() {
    std::thread::sleep(std::time::Duration::from_millis(30));
}

#[cfg(all(feature = "mmap", unix))]
#[test]
fn what_is_cut_off_reads_as_zeros_and_is_reported() {
    const PAGES: usize = 1 << 16;
    guard_maps().unwrap();
    guard_maps().unwrap();
    let file = Temporary::new("cut");
    std::fs::write(&file.0, [7; 8 * PAGES]).unwrap();
    let open = || FileMap::open_with(&file.0, map(), &Limits::default()).unwrap();
    let (cut, whole) = (open(), open());
    let writer = File::options().write(true).open(&file.0).unwrap();
    wait_for_another_time();
    writer.set_len(4 * PAGES as u64).unwrap();
    assert_eq!((cut[0], cut[4 * PAGES - 1], cut[4 * PAGES], cut[8 * PAGES - 1]), (7, 7, 0, 0));
    assert_eq!(cut.unchanged().unwrap_err().to_string(), "the file was changed while it was read");
    // The file has its old size again. The earlier map still reports a change; a later map does not.
    writer.set_len(8 * PAGES as u64).unwrap();
    assert_eq!(whole[8 * PAGES - 1], 0);
    assert!(whole.unchanged().is_err());
    drop(cut);
    let later = open();
    later.unchanged().unwrap();
    // A deleted file stays as it was opened, but a deletion cannot be distinguished from other changes.
    wait_for_another_time();
    std::fs::remove_file(&file.0).unwrap();
    assert_eq!(later[0], 7);
    assert!(later.unchanged().is_err());
}

/// Windows refuses to shorten a file while it is mapped.
#[cfg(all(feature = "mmap", windows))]
#[test]
fn what_is_mapped_cannot_be_cut_off() {
    let file = Temporary::new("cut");
    std::fs::write(&file.0, [7; 1 << 16]).unwrap();
    let opened = FileMap::open_with(&file.0, map(), &Limits::default()).unwrap();
    let writer = File::options().write(true).open(&file.0).unwrap();
    assert!(writer.set_len(0).is_err());
    assert_eq!(opened[(1 << 16) - 1], 7);
    opened.unchanged().unwrap();
    drop(opened);
    writer.set_len(0).unwrap();
}

#[cfg(all(feature = "mmap", unix))]
#[test]
fn a_file_cut_and_regrown_with_its_time_set_back_is_reported_as_changed() {
    let file = Temporary::new("regrown");
    std::fs::write(&file.0, [7; 1 << 16]).unwrap();
    let opened = FileMap::open_with(&file.0, map(), &Limits::default()).unwrap();
    opened.unchanged().unwrap();
    wait_for_another_time();
    let writer = File::options().write(true).open(&file.0).unwrap();
    let written = writer.metadata().unwrap().modified().unwrap();
    writer.set_len(0).unwrap();
    writer.set_len(1 << 16).unwrap();
    writer.set_modified(written).unwrap();
    assert_eq!(opened[0], 0, "no fault has occurred");
    assert_eq!(writer.metadata().unwrap().modified().unwrap(), written);
    assert!(opened.unchanged().is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_without_end_stops_at_the_limit() {
    let limits = Limits::default().with_decoded_bytes(1 << 16);
    let error = FileMap::open_with("/dev/zero", map(), &limits).unwrap_err();
    assert!(matches!(error.kind(), crate::ErrorKind::Limit { .. }), "{error}");
    assert!(FileMap::open("/dev/null").unwrap().is_empty());
    assert!(FileMap::open("/proc/self/status").unwrap().starts_with(b"Name:"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_named_pipe_is_read_to_its_end_and_not_waited_for_without() {
    let pipe = Temporary::new("pipe");
    let status = std::process::Command::new("mkfifo").arg(&pipe.0).status().unwrap();
    assert!(status.success());
    let open = |patience| {
        FileMap::open_inner(&pipe.0, map(), &Limits::default(), Some(patience), |_| Ok(())).map(|(file, _)| file)
    };
    let moment = std::time::Duration::from_millis(50);
    let short = Patience { most: Some(moment), ..Patience::NAMED };
    assert_eq!(open(short).unwrap_err().to_string(), "nothing is writing to this pipe");
    // Without a limit, the wait ends when the bytes are not wanted any more.
    let stopped = Patience { most: None, is_over: &|| true };
    assert_eq!(open(stopped).unwrap_err().to_string(), "stopped");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut writer = File::options().write(true).open(&pipe.0).unwrap();
            // More than a pipe holds at once, in two parts.
            for _ in 0..2 {
                writer.write_all(&[7; 100_000]).unwrap();
                std::thread::sleep(moment);
            }
        });
        assert_eq!(&*open(Patience::NAMED).unwrap(), [7; 200_000]);
    });
    let silent = File::options().read(true).write(true).open(&pipe.0).unwrap();
    (&silent).write_all(b"then nothing").unwrap();
    assert!(open(short).is_err());
    #[cfg(feature = "scan")]
    {
        let found = |path| FileMap::open_with_metadata(path, map(), &Limits::default(), None).map(|(file, _)| file);
        assert!(found(&pipe.0).is_err());
        assert!(found(std::path::Path::new("/proc/self/status")).unwrap().is_empty());
    }
}

/// The bytes of the map with these bytes that are in the memory of this process.
#[cfg(all(feature = "scan", feature = "mmap", target_os = "linux"))]
fn resident(bytes: &[u8]) -> usize {
    let start = format!("{:x}-", bytes.as_ptr().addr());
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut lines = maps.lines().skip_while(|line| !line.starts_with(&start));
    let line = lines.find_map(|line| line.strip_prefix("Rss:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() << 10
}

#[test]
#[cfg(all(feature = "scan", feature = "mmap", target_os = "linux"))]
fn pages_that_were_read_are_released_and_stay_the_same() {
    use super::pages::Release;
    // An emulator has the maps of its own process there.
    if std::env::var_os("MESHPEEK_RUNNER").is_some() {
        return println!("skipped: not a process of this machine");
    }
    const SIZE: usize = 32 << 20;
    let file = Temporary::new("behind");
    let content: Vec<u8> = (0..SIZE).map(|place| (place / 4096) as u8 | 1).collect();
    std::fs::write(&file.0, &content).unwrap();
    let mapped = FileMap::open_with(&file.0, map(), &Limits::default()).unwrap();
    assert!(*mapped == *content);
    let all = resident(&mapped);
    assert!(all >= SIZE, "{all}");
    // In steps as large as members; the first is not at the start.
    for data in [&*mapped, &content] {
        let mut release = Release::new(data);
        for offset in (1 << 20..SIZE as u64).step_by(100_000) {
            release.read_on_at(offset);
        }
        // An offset before, and one beyond the end.
        release.read_on_at(0);
        release.read_on_at(u64::MAX);
    }
    let left = resident(&mapped);
    assert!((4 << 20..8 << 20).contains(&left), "{left} of {all}");
    assert!(*mapped == *content);
    assert!(content.iter().enumerate().all(|(place, byte)| *byte == (place / 4096) as u8 | 1));
}
