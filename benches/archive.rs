//! The whole program on temporary archives and folders, compared with `cat`, with hashing the same bytes, with the bare
//! system calls, and two jobs with one.
//!
//! `cargo bench -p meshpeek-cli --bench archive`; words after `--` select rows. `MESHPEEK_BENCH_MIB` is the size of the
//! archive of assets, by default 2048. Each row has three runs, alternating between both sides; the worst run counts.
//! With one job, the figure is CPU time, which other programs do not affect. Two jobs compared with one use wall-clock
//! time, and need a quiet machine. All files are made from the available ones, repeated, and deleted afterwards.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use sha1::Sha1;
use sha2::{Digest, Sha256};

/// A file with its name.
type Asset = (String, Vec<u8>);

fn main() {
    // Cargo runs benches in the folder of their package.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).expect("the folder of the workspace");
    let picks: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mib = std::env::var("MESHPEEK_BENCH_MIB").ok().and_then(|mib| mib.parse().ok()).unwrap_or(2048_u64);
    let folder = Folder::new();
    let assets = assets();
    let bench = Bench { picks };
    println!("an archive of {mib} MiB; three runs of each, worst, wanted");

    let archive = folder.path("assets.pbo");
    bench.files(&["pbo", "since"], || write_pbo(&archive, &repeated(&assets, mib << 20)));
    let old = folder.path("old.ndjson");
    let stream = old.to_str().expect("a folder for temporary files whose name is text");
    let cat = || cpu(Command::new("cat").arg(&archive));
    let alone = |args: &[&str], path: &Path| cpu(program(args, "1").arg(path));
    bench.row("pbo: scan --depth header / cat", 1.25, || alone(&["scan", "--depth", "header"], &archive), cat);
    bench.row("pbo: scan / cat", 2.5, || alone(&["scan"], &archive), cat);
    bench.row(
        "pbo: scan --digests / SHA-256 of the archive and of its members",
        2.0,
        || alone(&["scan", "--digests"], &archive),
        || hashed(&archive) + hashed(&archive),
    );
    bench.row("pbo: verify / cat", f64::NAN, || alone(&["verify"], &archive), cat);
    bench.row(
        "since: scan --since of what has not changed / cat",
        f64::NAN,
        || {
            if !old.exists() {
                cpu(program(&["scan", "--events", "-o", stream], "2").arg(&archive));
            }
            alone(&["scan", "--events", "--since", stream], &archive)
        },
        cat,
    );
    bench.jobs("pbo: scan, two jobs / one", f64::NAN, &["scan"], &archive);
    bench.jobs("pbo: verify, two jobs / one", f64::NAN, &["verify"], &archive);
    bench.files(&["sha-1"], || {
        if !archive.exists() {
            write_pbo(&archive, &repeated(&assets, mib << 20))?;
        }
        append_sha1(&archive)
    });
    bench.jobs("sha-1: verify of a pbo with a checksum, two jobs / one", 0.55, &["verify"], &archive);

    let million = folder.path("million.pbo");
    let smallest = assets.iter().filter(|(name, _)| name.ends_with(".b3d")).min_by_key(|(_, bytes)| bytes.len());
    let (_, scene) = smallest.expect("a scene");
    bench.files(&["million"], || {
        write_pbo(&million, &(0..1_000_000).map(|number| (format!("{number}.b3d"), &**scene)).collect::<Vec<_>>())
    });
    bench.jobs("million: scan of a pbo of a million small scenes, two jobs / one", 0.55, &["scan"], &million);
    let scan = || alone(&["scan"], &million);
    bench.row("million: refs / scan", 2.0, || alone(&["refs"], &million), scan);
    let digests = || alone(&["scan", "--digests"], &million);
    bench.row("million: dupes / scan --digests", 2.0, || alone(&["dupes"], &million), digests);
    bench.row("million: scan --format csv / scan", 2.0, || alone(&["scan", "--format", "csv"], &million), scan);
    let one = |args: &[&str]| cpu(Command::new(PROGRAM).args(args).arg(&million));
    bench.row("million: info --json / scan", 2.0, || one(&["info", "--json"]), scan);
    bench.row("million: tree --fields / scan", 2.0, || one(&["tree", "--fields", "--format", "ndjson"]), scan);

    let editable = folder.path("mlod.pbo");
    let model = ("model.p3d".to_owned(), editable_model());
    bench.files(&["mlod"], || write_pbo(&editable, &repeated(std::slice::from_ref(&model), mib << 18)));
    let cat_models = || cpu(Command::new("cat").arg(&editable));
    bench.row("mlod: scan of a pbo of editable models / cat", f64::NAN, || alone(&["scan"], &editable), cat_models);

    let addon = folder.path("mod.pbo");
    bench.files(&["mod"], || {
        let files = mod_files();
        println!("the mod: {}", mix(&files));
        write_pbo(&addon, &repeated(&files, mib << 20))
    });
    let cat_mod = || cpu(Command::new("cat").arg(&addon));
    bench.row("mod: scan of a pbo with the files of a mod / cat", 2.5, || alone(&["scan"], &addon), cat_mod);
    bench.row("mod: verify / cat", f64::NAN, || alone(&["verify"], &addon), cat_mod);
    bench.row("mod: refs / scan", 2.0, || alone(&["refs"], &addon), || alone(&["scan"], &addon));

    let textures = folder.path("textures.pbo");
    bench.files(&["textures"], || {
        let files = assets_of(&["paa"]);
        let mut members = Vec::new();
        while members.len() < 10_000 {
            let (name, bytes) = &files[members.len() % files.len()];
            members.push((format!("{}_{name}", members.len()), &**bytes));
        }
        write_pbo(&textures, &members)
    });
    bench.row(
        "textures: scan of a pbo of 10,000 textures / cat",
        f64::NAN,
        || alone(&["scan"], &textures),
        || cpu(Command::new("cat").arg(&textures)),
    );

    let zip = folder.path("assets.zip");
    bench.files(&["zip"], || write_zip(&zip, &assets, mib << 18));
    bench.jobs("zip: verify of deflated members, two jobs / one", 0.55, &["verify"], &zip);
    bench.row(
        "zip: scan --depth header / scan",
        f64::NAN,
        || alone(&["scan", "--depth", "header"], &zip),
        || alone(&["scan"], &zip),
    );

    let nested = folder.path("nested.zip");
    bench.files(&["nested"], || {
        let inner = folder.path("inner.pbo");
        write_pbo(&inner, &repeated(&assets, mib << 17))?;
        write_zip(&nested, &[("inner.pbo".to_owned(), std::fs::read(&inner)?)], 1)
    });
    bench.jobs("nested: scan of a deflated pbo in a zip, two jobs / one", 0.55, &["scan"], &nested);

    let files = folder.path("files");
    bench.files(&["files"], || write_files(&files, &repeated(&assets, mib << 18)));
    let reading = || of_this_process(|| read_all(&files, &mut |_| {}));
    let hashing = |folder: &Path| {
        let mut hash = |bytes: &[u8]| {
            std::hint::black_box(Sha256::digest(bytes));
        };
        of_this_process(|| read_all(folder, &mut hash))
    };
    bench.row("files: scan of the assets as files / reading them", f64::NAN, || alone(&["scan"], &files), reading);
    bench.row(
        "files: scan --digests / reading them and SHA-256 of them, twice",
        2.0,
        || alone(&["scan", "--digests"], &files),
        || hashing(&files) * 2.0,
    );
    bench.row("files: verify / reading them", f64::NAN, || alone(&["verify"], &files), reading);

    let small = folder.path("small");
    bench.files(&["small"], || write_small(&small, scene));
    bench.row(
        "small: scan of 100,000 files / listing, opening, asking and reading them",
        1.5,
        || alone(&["scan"], &small),
        || of_this_process(|| read_all(&small, &mut |_| {})),
    );
    bench.row(
        "small: scan --digests of them / the same and SHA-256",
        f64::NAN,
        || alone(&["scan", "--digests"], &small),
        || hashing(&small),
    );
}

struct Bench {
    picks: Vec<String>,
}

impl Bench {
    fn asks(&self, name: &str) -> bool {
        self.picks.is_empty() || self.picks.iter().any(|pick| name.contains(pick.as_str()) || pick.contains(name))
    }

    /// Makes files for the rows that start with one of these words, if they are requested.
    fn files(&self, words: &[&str], make: impl FnOnce() -> std::io::Result<()>) {
        if words.iter().any(|word| self.asks(word)) {
            make().expect("room in the folder for temporary files");
        }
    }

    /// The ratio of two costs, three times.
    fn row(&self, name: &str, wanted: f64, ours: impl Fn() -> f64, theirs: impl Fn() -> f64) {
        if !self.asks(name) {
            return;
        }
        let runs = [(); 3].map(|()| (ours(), theirs()));
        let ratios = runs.map(|(ours, theirs)| ours / theirs);
        let worst = ratios.iter().copied().fold(0.0, f64::max);
        let times = runs.map(|(ours, theirs)| format!("{ours:.2}/{theirs:.2} s"));
        let [a, b, c] = ratios;
        let wanted = if wanted.is_nan() { String::new() } else { format!(" ({wanted})") };
        println!("{name}: {a:.2} {b:.2} {c:.2}, {worst:.2}{wanted}; {}", times.join(" "));
    }

    /// The ratio of two jobs to one.
    fn jobs(&self, name: &str, wanted: f64, args: &[&str], path: &Path) {
        let wall = |jobs| {
            let start = Instant::now();
            cpu(program(args, jobs).arg(path));
            start.elapsed().as_secs_f64()
        };
        self.row(name, wanted, || wall("2"), || wall("1"));
    }
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_meshpeek");

fn program(args: &[&str], jobs: &str) -> Command {
    let mut program = Command::new(PROGRAM);
    program.args(args).args(["--quiet", "--jobs", jobs]);
    program
}

/// The CPU time of a program.
fn cpu(command: &mut Command) -> f64 {
    let before = ticks()[1];
    // Status 1 means problems in other people's files.
    let status = command.stdout(Stdio::null()).status().expect("the program runs");
    assert!(status.code().is_some_and(|code| code < 2), "{status}");
    seconds(ticks()[1] - before)
}

fn of_this_process(work: impl FnOnce()) -> f64 {
    let before = ticks()[0];
    work();
    seconds(ticks()[0] - before)
}

/// The time of this process, and of those that it has waited for.
fn ticks() -> [u64; 2] {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    // After the name, which may contain any bytes, and eleven other fields.
    let times = stat.rsplit(')').next().into_iter().flat_map(str::split_whitespace).skip(11).take(4);
    let times: Vec<u64> = times.map(|field| field.parse().expect("a time")).collect();
    [times[..2].iter().sum(), times[2..].iter().sum()]
}

fn seconds(ticks: u64) -> f64 {
    // The kernel's unit for user space, whatever its own clock.
    ticks as f64 / 100.0
}

fn hashed(path: &Path) -> f64 {
    of_this_process(|| {
        let (mut hash, mut file) = (Sha256::new(), File::open(path).expect("the archive"));
        let mut buffer = vec![0; 1 << 20];
        while let count @ 1.. = file.read(&mut buffer).expect("the archive") {
            hash.update(&buffer[..count]);
        }
        std::hint::black_box(hash.finalize());
    })
}

fn read_all(folder: &Path, each: &mut dyn FnMut(&[u8])) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        if entry.file_type().expect("a type").is_dir() {
            read_all(&entry.path(), each);
        } else {
            let mut file = File::open(entry.path()).expect("a file");
            let mut bytes = vec![0; file.metadata().expect("its size").len() as usize];
            file.read_exact(&mut bytes).expect("its bytes");
            each(std::hint::black_box(&bytes));
        }
    }
}

/// The folder for all temporary files; deleted on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("meshpeek-bench-{}", std::process::id()));
        std::fs::create_dir(&folder).expect("a folder for temporary files");
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The available files.
fn assets() -> Vec<Asset> {
    assets_of(&["b3d", "lodka", "odol", "rtm"])
}

fn assets_of(folders: &[&str]) -> Vec<Asset> {
    let mut files = Vec::new();
    let outside = std::env::var_os("MESHPEEK_CORPUS").map_or_else(|| "../shared/corpus".into(), PathBuf::from);
    for folder in folders {
        let folder =
            [outside.join(folder), Path::new("corpus").join(folder)].into_iter().find(|folder| folder.is_dir());
        for entry in std::fs::read_dir(folder.expect("the project's own corpus")).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            files.push((name, std::fs::read(&path).expect("a file")));
        }
    }
    files.sort();
    files
}

/// The files of a mod: models, editable ones among them, animations, textures, configs and materials, and as many
/// scripts as all of these.
fn mod_files() -> Vec<Asset> {
    const SCRIPT: &str = "params [\"_unit\"];\r\nif (alive _unit) then {\r\n\t_unit setDamage 0;\r\n};\r\n";
    let mut files = assets_of(&["odol", "rtm", "paa", "rap"]);
    files.push(("editable.p3d".to_owned(), editable_model()));
    let script = SCRIPT.repeat(40).into_bytes();
    let scripts: Vec<Asset> = files.iter().map(|(name, _)| (format!("fn_{name}.sqf"), script.clone())).collect();
    files.extend(scripts);
    // Real archives are sorted by name.
    files.sort();
    files
}

/// The number of files with each extension, and their share of the bytes.
fn mix(files: &[Asset]) -> String {
    let all: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    let mut kinds = BTreeMap::<&str, (usize, usize)>::new();
    for (name, bytes) in files {
        let kind = kinds.entry(name.rsplit('.').next().unwrap_or_default()).or_default();
        *kind = (kind.0 + 1, kind.1 + bytes.len());
    }
    let share = |(kind, (count, bytes)): (&&str, &(usize, usize))| format!("{count} {kind} {} %", bytes * 100 / all);
    kinds.iter().map(share).collect::<Vec<_>>().join(", ")
}

/// An MLOD model of three LODs, whose faces name eight textures and materials in runs, as those of real ones do.
fn editable_model() -> Vec<u8> {
    const FACES: u32 = 3000;
    let numbers = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let mut bytes = [&b"MLOD"[..], &numbers(&[257, 3])].concat();
    for lod in 1..=3_u16 {
        bytes.extend([&b"P3DM"[..], &numbers(&[28, 256, FACES, FACES, FACES, 0])].concat());
        // Points of 16 bytes and normals of 12, of which each is (0, 1, 0).
        bytes.resize(bytes.len() + 16 * FACES as usize, 0);
        (0..FACES).for_each(|_| bytes.extend(numbers(&[0, 1.0_f32.to_bits(), 0])));
        for face in 0..FACES {
            bytes.extend(numbers(&[3]));
            (0..4).for_each(|corner| bytes.extend(numbers(&[(face + corner) % FACES, face, 0, 0])));
            bytes.extend(numbers(&[0]));
            let part = face * 8 / FACES;
            bytes.extend(format!("mod\\data\\part_{part}_co.paa\0mod\\data\\part_{part}.rvmat\0").bytes());
        }
        bytes.extend(b"TAGG\x01#EndOfFile#\0\0\0\0\0");
        bytes.extend(f32::from(lod).to_le_bytes());
    }
    bytes
}

/// The files again and again, each time with another name, up to this total size.
fn repeated(assets: &[Asset], size: u64) -> Vec<(String, &[u8])> {
    let (mut members, mut total) = (Vec::new(), 0);
    while total < size {
        let (name, bytes) = &assets[members.len() % assets.len()];
        members.push((format!("{}\\{name}", members.len()), &**bytes));
        total += bytes.len() as u64;
    }
    members
}

/// A PBO of stored members.
fn write_pbo(path: &Path, members: &[(String, &[u8])]) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for (name, bytes) in members {
        out.write_all(name.as_bytes())?;
        out.write_all(&[0; 17])?;
        out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    }
    out.write_all(&[0; 21])?;
    members.iter().try_for_each(|(_, bytes)| out.write_all(bytes))?;
    out.flush()
}

fn append_sha1(path: &Path) -> std::io::Result<()> {
    let (mut hash, mut file) = (Sha1::new(), File::options().read(true).append(true).open(path)?);
    let mut buffer = vec![0; 1 << 20];
    while let count @ 1.. = file.read(&mut buffer)? {
        hash.update(&buffer[..count]);
    }
    file.write_all(&[&[0][..], &hash.finalize()].concat())
}

/// A zip of deflated members: the files again and again, up to this total size.
fn write_zip(path: &Path, assets: &[Asset], size: u64) -> std::io::Result<()> {
    let deflated: Vec<Vec<u8>> =
        assets.iter().map(|(_, bytes)| miniz_oxide::deflate::compress_to_vec(bytes, 6)).collect();
    let sums: Vec<u32> = assets.iter().map(|(_, bytes)| crc32(bytes)).collect();
    let (mut out, mut directory) = (BufWriter::new(File::create(path)?), Vec::new());
    let (mut number, mut total, mut offset) = (0_u16, 0, 0_u32);
    while total < size {
        let place = usize::from(number) % assets.len();
        let ((name, bytes), stream) = (&assets[place], &deflated[place]);
        let name = format!("{number}/{name}");
        let mut header = [[20, 0], [0, 0], [8, 0], [0, 0], [0x21, 0]].concat();
        for field in [sums[place], stream.len() as u32, bytes.len() as u32] {
            header.extend(field.to_le_bytes());
        }
        header.extend((name.len() as u32).to_le_bytes());
        let local = [b"PK\x03\x04", &header[..], name.as_bytes(), stream].concat();
        directory.extend([b"PK\x01\x02\x14\0", &header[..], &[0; 10], &offset.to_le_bytes(), name.as_bytes()].concat());
        out.write_all(&local)?;
        (number, total, offset) = (number + 1, total + bytes.len() as u64, offset + local.len() as u32);
    }
    out.write_all(&directory)?;
    let count = number.to_le_bytes();
    let lengths = [(directory.len() as u32).to_le_bytes(), offset.to_le_bytes()].concat();
    out.write_all(&[b"PK\x05\x06\0\0\0\0", &count[..], &count, &lengths, &[0, 0]].concat())?;
    out.flush()
}

fn crc32(bytes: &[u8]) -> u32 {
    let fold = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1)))
    };
    !bytes.iter().fold(!0, fold)
}

/// One file of each.
fn write_files(folder: &Path, assets: &[(String, &[u8])]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    assets.iter().try_for_each(|(name, bytes)| std::fs::write(folder.join(name.replace('\\', "_")), bytes))
}

/// 100,000 files in 100 folders.
fn write_small(folder: &Path, bytes: &[u8]) -> std::io::Result<()> {
    for number in 0..100 {
        let folder = folder.join(number.to_string());
        std::fs::create_dir_all(&folder)?;
        (0..1000).try_for_each(|file| std::fs::write(folder.join(format!("{file}.b3d")), bytes))?;
    }
    Ok(())
}
