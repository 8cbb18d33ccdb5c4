//! A scan of one archive of 2 GiB by the program itself: two jobs against one, the memory it takes beside the map, and
//! what it costs where nothing has changed since the last one.
//!
//! `cargo bench --features cli --bench archive`. The archive is made of the files at hand, repeated, and removed again.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SIZE: u64 = 2 << 30;

fn main() {
    let path = std::env::temp_dir().join(format!("meshpeek-bench-{}.pbo", std::process::id()));
    let members = write_archive(&path).expect("room for 2 GiB in the folder for temporary files");
    println!("{members} members, {SIZE} bytes");
    let old = path.with_extension("ndjson");
    let stream = old.to_str().expect("a folder for temporary files whose name is text");
    run(&["scan", "-q", "--events", "-o", stream], "2", &path);
    let unchanged = ["scan", "-q", "--events", "--since", stream];
    for flags in [&["scan", "-q"][..], &["scan", "-q", "--digests"], &["verify", "-q"], &unchanged] {
        let name = flags.iter().filter(|flag| !flag.contains('/')).copied().collect::<Vec<_>>().join(" ");
        let (one, memory_of_one) = best(flags, "1", &path);
        let (two, memory_of_two) = best(flags, "2", &path);
        println!(
            "{name:<20} one job {one:>8.2?} and {memory_of_one:>6} kB of its own, two jobs {two:>8.2?} and \
             {memory_of_two:>6} kB, ratio {:.2}",
            two.as_secs_f64() / one.as_secs_f64()
        );
    }
    for path in [path, old] {
        std::fs::remove_file(path).expect("these files are ours");
    }
}

/// The shortest of three runs, and the most memory of any.
fn best(flags: &[&str], jobs: &str, path: &Path) -> (Duration, u64) {
    let runs: Vec<_> = (0..3).map(|_| run(flags, jobs, path)).collect();
    let time = runs.iter().map(|(time, _)| *time).min().unwrap_or_default();
    (time, runs.iter().map(|(_, memory)| *memory).max().unwrap_or_default())
}

/// How long the program takes, and the most anonymous memory seen of it, which leaves out the pages of the map.
fn run(flags: &[&str], jobs: &str, path: &Path) -> (Duration, u64) {
    let start = Instant::now();
    let mut program = Command::new(env!("CARGO_BIN_EXE_meshpeek"))
        .args(flags)
        .args(["--jobs", jobs])
        .arg(path)
        .stdout(Stdio::null())
        .spawn()
        .expect("the program runs");
    let status = format!("/proc/{}/status", program.id());
    let mut most = 0;
    while program.try_wait().expect("our own child").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let own =
            text.lines().find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix("kB")?.trim().parse().ok());
        most = most.max(own.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    (start.elapsed(), most)
}

/// Writes a PBO of stored members: the files at hand, over and over, each time under another name.
fn write_archive(path: &Path) -> std::io::Result<u64> {
    let mut files = Vec::new();
    let outside = std::env::var_os("MESHPEEK_CORPUS").map_or_else(|| "../shared/corpus".into(), PathBuf::from);
    for folder in ["b3d", "lodka", "odol", "rtm"] {
        let folder =
            [outside.join(folder), Path::new("corpus").join(folder)].into_iter().find(|folder| folder.is_dir());
        for entry in std::fs::read_dir(folder.expect("the project's own corpus"))? {
            let entry = entry?;
            files.push((entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path())?));
        }
    }
    let mut members = Vec::new();
    let mut total = 0;
    while total < SIZE {
        let (name, bytes) = &files[members.len() % files.len()];
        members.push((format!("{}\\{name}", members.len()), bytes));
        total += bytes.len() as u64;
    }
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    for (name, bytes) in &members {
        out.write_all(name.as_bytes())?;
        out.write_all(&[0; 17])?;
        out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    }
    out.write_all(&[0; 21])?;
    for (_, bytes) in &members {
        out.write_all(bytes)?;
    }
    out.flush()?;
    Ok(members.len() as u64)
}
