//! Small files that expand to much more, one for each way in which formats allow that, tested with every verb.
//!
//! The usual run takes small files, small limits and a third of the verbs for each. All verbs, files of a megabyte and
//! the default limits, in a release build:
//!
//! ```sh
//! MESHPEEK_FULL=1 cargo test --profile full -p meshpeek-cli --all-features --test it -- amplify --nocapture
//! ```
//!
//! With `MESHPEEK_AMPLIFY=FOLDER` the files are written there and nothing is run, so that they are measured by other
//! means. `commands` does the same for commands that need more than one file.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bounds;
use crate::writer::bytes::Bytes;
use crate::writer::odol::{self, Array, Lod, Model, Selection};
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};
use crate::writer::{archives, b3d, bmx, lodka, mlod, rtm};

const VERBS: [&[&str]; 16] = [
    &["scan"],
    &["scan", "--digests", "-j16"],
    &["verify", "-j16"],
    &["info"],
    &["info", "--json"],
    &["tree"],
    &["tree", "--fields"],
    &["tree", "--fields", "--format", "ndjson"],
    &["dump"],
    &["hex"],
    &["refs"],
    &["dupes"],
    &["diff"],
    &["cat"],
    &["export", "-o"],
    &["export", "--size=99", "-o"],
];

/// The memory that a run may take besides `--max-decoded`: names and small parts, and the program itself.
const BESIDE: u64 = (64 + 64) << 20;

/// A file, and the member to pass to `cat`.
struct Kind {
    name: &'static str,
    bytes: Vec<u8>,
    member: Option<&'static str>,
}

fn archive(name: &'static str, bytes: Bytes, member: &'static str) -> Kind {
    Kind { name, bytes: bytes.to_vec(), member: Some(member) }
}

fn asset(name: &'static str, bytes: impl AsRef<[u8]>) -> Kind {
    Kind { name, bytes: bytes.as_ref().to_vec(), member: None }
}

fn many(count: usize, entry: &Entry) -> Bytes {
    zip(&vec![entry.clone(); count], b"")
}

fn one(name: &str, bytes: &[u8]) -> Bytes {
    many(1, &Entry::deflated(name, bytes))
}

/// This many LODs of zeros, LZSS-packed in version 43, LZO-packed in 49.
fn packed_lods(version: u32, lods: usize, positions: usize) -> Vec<u8> {
    let lod = Lod { positions: vec![[0.0; 3]; positions], ..Lod::empty(1.0) };
    Model::new(version, vec![lod; lods]).to_vec()
}

/// A megabyte each for a scale of 16, up to the maximum of the format's own counts.
fn kinds(scale: usize) -> Vec<Kind> {
    let zeros = b3d::scene([b3d::chunk(b"XXXX", Bytes::new().raw(vec![0; scale << 16]))]).to_vec();
    let tiny = b3d::scene([]).to_vec();
    let level = |name: &str, bytes: &[u8]| many(16, &Entry::deflated(name, bytes)).to_vec();
    let lzo = packed_lods(49, 4, scale << 16);
    let lzss = packed_lods(43, 4, scale << 12);
    // One stored value is repeated for all texture coordinates and normals: four bytes for any number.
    let filled = || {
        let count = (scale as u32) << 22;
        let uvs = vec![Array::Fill([1, 2], count)];
        Lod { uvs, normals: Array::Fill([0, 0, 511], count), flags: Array::Fill(1, count), ..Lod::empty(1.0) }
    };
    let fills = Model::new(49, vec![filled(); 8]).to_vec();
    let bad = Selection { name: "all", faces: vec![9999; (scale << 12).min(60_000)], ..Selection::default() };
    let selections = Lod { selections: vec![bad; 20], ..Lod::strip(1.0, 5) };

    let texture = |all: Bytes, index: usize| all.cstr(format!("{index}")).raw([0; 28]);
    let textures = b3d::chunk(b"TEXS", (0..scale << 11).fold(Bytes::new(), texture));
    let odd_texture = |all: Bytes, index: usize| all.cstr([&[0xff; 500][..], &index.to_le_bytes()].concat());
    let odd_textures =
        (0..scale << 7).fold(Bytes::new(), |all, index| odd_texture(all, index + 0x0101_0101).raw([0; 28]));
    let long_name = vec![b'n'; scale << 14];
    let same_texture = b3d::chunk(b"TEXS", Bytes::new().cstr(&long_name).raw([0; 28]));
    let layers = [0; 8];
    let brush: Vec<(&[u8], &[i32])> = vec![(&long_name[..200], &layers[..]); scale << 8];
    let named_nodes = (0..500).fold(Bytes::new(), |inner, _| b3d::node(&long_name[..scale << 7], [inner]));
    let siblings = (0..scale << 9).map(|index| b3d::node(format!("{index}"), [])).collect::<Vec<_>>();
    let keys = b3d::node("keys", [b3d::keys(7, (0..(scale << 10) as i32).rev())]);

    let tags: Vec<_> = (0..scale << 12).map(|index| mlod::tag(&format!("proxy:{index}"), b"")).collect();
    let tags = mlod::model(&[mlod::lod(0, &[], &tags, 1.0)]).to_vec();
    let long_tags = vec![mlod::tag(std::str::from_utf8(&long_name[..1 << 12]).unwrap(), b""); scale << 4];
    let long_tags = mlod::model(&[mlod::lod(0, &[], &long_tags, 1.0)]).to_vec();
    let lods = mlod::model(&vec![mlod::lod(0, &[], &[], 1.0); scale << 10]);

    let parts = |part: &Bytes, count: usize| (0..count).fold(Bytes::new().raw("LODka3D1"), |all, _| all.part(part));
    let lists = parts(&lodka::list(b"LOD1", []), scale << 12).to_vec();
    let whole = parts(&lodka::list(b"LOD1", lodka::everything()), scale << 3).to_vec();
    let nested = |tag: &[u8; 4]| (0..scale << 6).fold(Bytes::new(), |inner, _| lodka::list(tag, [inner]));
    let frames = lodka::animation("a", i32::MAX / 64, 0);

    let bones = |count: usize| {
        let mut motion = rtm::motion(5, 2, 0, rtm::NONE);
        motion.bones = vec![Vec::new(); count];
        motion
    };
    let frames_of_none = rtm::motion(5, scale << 10, 0, rtm::NO_FLAG_IF_EMPTY).binarised().to_vec();
    let frames_of_one = rtm::motion(5, scale << 8, 1, rtm::ALL).binarised().to_vec();

    let mut small = Writer::new();
    for index in 0..scale << 10 {
        small = small.stored(format!("{index}.b3d").as_bytes(), &tiny);
    }
    let small = small.finish(Tail::Bytes(b""));
    let packed = (0..40).fold(Writer::new(), |writer, _| writer.packed(b"a.b3d", &zeros));
    let packed = packed.finish(Tail::Bytes(b""));
    let packed_models =
        (0..40).fold(Writer::new(), |writer, _| writer.packed(b"a.p3d", &lzss[..lzss.len().min(1 << 14)]));
    let claims = |size: u32| {
        let member = |all: Writer, _| all.entry(b"a.b3d", [0x4370_7273, size, 0, 0, 40], b"");
        (0..scale << 10).fold(Writer::new(), member).finish(Tail::Bytes(&[0; 400]))
    };
    // Consecutive members that each claim the whole rest of the archive.
    let beyond = (0..scale << 10).fold(Writer::new(), |all, _| all.entry(b"a.b3d", [0, 0, 0, 0, u32::MAX], b""));
    let control = [&vec![1; 60_000][..], b".b3d"].concat();
    let control_names = many(scale, &Entry::stored(&control, &tiny)).to_vec();
    let long_members = (0..scale << 4).fold(Writer::new(), |all, _| all.stored(&long_name[..1 << 12], b""));

    let quilt_of = |name: &str, bytes: &[u8], count: usize| {
        let mut entries = vec![Entry::stored(name, bytes)];
        entries.resize(count, Entry { header_offset: Some(0), data: Vec::new(), ..entries[0].clone() });
        zip(&entries, b"").to_vec()
    };
    let quilts =
        (0..3).fold(tiny.clone(), |inner, level| quilt_of(if level == 0 { "a.b3d" } else { "a.zip" }, &inner, 40));
    let map = bmx::full(14);
    let mut entries = map.entries(&map.tables(), |name, bytes| Entry::deflated(name, bytes));
    entries.extend(
        (0..scale).map(|index| Entry::stored([&[1; 60_000][..], format!("{index}/..").as_bytes()].concat(), b"")),
    );
    let long_map = zip(&entries, bmx::COMMENT).to_vec();
    let mut tables = bmx::full(14).entries(&bmx::full(14).tables(), |name, bytes| Entry::deflated(name, bytes));
    for table in &mut tables[1..5] {
        *table = Entry::deflated(&table.central.name, &vec![0; scale << 20]);
    }

    // Items of a few bytes that are drawn at once, and items that many others show, move or name again.
    let drawn = |list: &[[i32; 3]]| vec![b3d::triangles(0, list); scale << 11];
    let mesh = |lists: Vec<Bytes>| b3d::mesh(-1, [b3d::vertices(3, 0, 0, 0)].into_iter().chain(lists));
    let scene_of = |parts: Vec<Bytes>| b3d::scene([b3d::node("", parts)]).to_vec();
    let brushed = b3d::brushes(&[(&long_name[..], &layers[..])]);
    let brushed = b3d::scene([brushed, b3d::node("", [mesh(drawn(&[[0, 1, 2]]))])]).to_vec();
    let boned =
        [mesh(drawn(&[[0, 1, 2]]))].into_iter().chain(vec![b3d::node("", [b3d::bone(&[(0, 1.0)])]); scale << 9]);
    let animated = b3d::node("", [b3d::animation(10, 1.0), b3d::keys(1, [0, 9])]);
    let covering = [-1e3_f32, -1e3, 0.0, 1e3, -1e3, 0.0, 0.0, 1e3, 0.0];
    let covering = b3d::chunk(b"VRTS", Bytes::new().u32(0).u32(0).u32(0).f32s(covering));
    let covering = b3d::mesh(-1, [covering, b3d::triangles(-1, &vec![[0, 1, 2]; scale << 11])]);
    let groups = vec![lodka::Group::new(1, 1); scale << 7];
    let proxies = Bytes::new().i32((scale << 9) as i32).i32s(vec![0; scale << 9]);
    let proxy = |all: Bytes, _| all.raw([0xff, 0xff]).raw([0; 50]).raw([1, 0]);
    let proxies = lodka::chunk(b"PXI1", 0, (0..scale << 9).fold(proxies, proxy));
    let groups = lodka::list(b"MSL1", [lodka::Mesh { groups, ..lodka::Mesh::default() }.chunk()]);
    let proxies = lodka::file([groups, lodka::list(b"PXL1", [proxies])]).to_vec();
    let still = vec![lodka::animation("", 0, scale as u32 * 256); scale << 9];
    let still = lodka::file([lodka::skeleton(scale as i16 * 256), lodka::list(b"ANS1", still)]).to_vec();
    let faces = (0..scale << 8).map(|face| ([[0, 1, 2]; 3], Some(face as u32))).collect();
    let shown = bmx::Mesh { name: "", positions: vec![[0.5; 3]; 3], uvs: Vec::new(), normals: Vec::new(), faces };
    let (matrix, groups) = (bmx::IDENTITY, &[][..]);
    let object = || bmx::Object { name: "", component: false, hidden: false, matrix, groups, mesh: 0 };
    let shown = bmx::Map {
        objects: (0..scale << 8).map(|_| object()).collect(),
        meshes: vec![shown],
        materials: Vec::new(),
        textures: Vec::new(),
        images: Vec::new(),
        ..bmx::full(14)
    };

    vec![
        asset("drawn.b3d", scene_of(vec![mesh(drawn(&[[0, 1, 2]]))])),
        asset("drawn_nothing.b3d", scene_of(vec![mesh(drawn(&[]))])),
        asset("drawn_brushed.b3d", brushed),
        asset("drawn_boned.b3d", scene_of(boned.collect())),
        asset("drawn_over.b3d", scene_of(vec![covering])),
        asset("animated.b3d", b3d::scene(vec![animated; scale << 9]).to_vec()),
        asset("proxies.lod", proxies),
        asset("still.lod", still),
        asset("shown.bmx", shown.packed()),
        archive(
            "nested_zeros.zip",
            many(16, &Entry::deflated("c.zip", &level("b.zip", &level("a.b3d", &zeros)))),
            "c.zip",
        ),
        archive(
            "nested_records.zip",
            many(16, &Entry::deflated("c.zip", &level("b.zip", &many(60, &Entry::stored("a.b3d", &tiny)).to_vec()))),
            "c.zip",
        ),
        archive("lzo.zip", many(8, &Entry::deflated("a.p3d", &lzo)), "a.p3d"),
        archive("lzo_2.zip", one("b.zip", &many(16, &Entry::deflated("a.p3d", &lzo)).to_vec()), "b.zip"),
        archive("lzss_lods.zip", many(8, &Entry::deflated("a.p3d", &lzss)), "a.p3d"),
        archive("fills.zip", many(8, &Entry::deflated("a.p3d", &fills)), "a.p3d"),
        archive("odol_whole.zip", many(scale << 6, &Entry::deflated("a.p3d", &odol::whole(52, 64).to_vec())), "a.p3d"),
        asset("lzo.p3d", &lzo),
        asset("lzss.p3d", &lzss),
        asset("fills.p3d", &fills),
        asset("selections.p3d", Model::new(50, vec![selections; scale]).to_vec()),
        asset("quilt.zip", archives::quilt(scale << 8, scale << 16)),
        asset("quilts.zip", quilts),
        asset("packed.pbo", &packed),
        archive("packed.zip", one("a.pbo", &packed), "a.pbo"),
        archive(
            "packed_models.zip",
            many(8, &Entry::deflated("a.pbo", &packed_models.finish(Tail::Bytes(b"")))),
            "a.pbo",
        ),
        archive("small.zip", many(8, &Entry::deflated("a.pbo", &small)), "a.pbo"),
        asset("claims.pbo", claims(300)),
        asset("large_claims.pbo", claims(u32::MAX)),
        asset("beyond.pbo", beyond.finish(Tail::Bytes(&[0; 400]))),
        archive("control_names.zip", many(8, &Entry::deflated("a.zip", &control_names)), "a.zip"),
        archive(
            "long_members.zip",
            many(16, &Entry::deflated("a.pbo", &long_members.finish(Tail::Bytes(b"")))),
            "a.pbo",
        ),
        archive(
            "references.zip",
            many(16, &Entry::deflated("a.b3d", &b3d::scene([textures.clone()]).to_vec())),
            "a.b3d",
        ),
        archive(
            "odd_references.zip",
            many(16, &Entry::deflated("a.b3d", &b3d::scene([b3d::chunk(b"TEXS", odd_textures)]).to_vec())),
            "a.b3d",
        ),
        asset("long_brushes.b3d", b3d::scene([same_texture, b3d::brushes(&brush)]).to_vec()),
        asset("named_nodes.b3d", b3d::scene([named_nodes]).to_vec()),
        asset("siblings.b3d", b3d::scene([b3d::node("root", siblings)]).to_vec()),
        asset("keys.b3d", b3d::scene([keys]).to_vec()),
        asset("nodes.b3d", b3d::nested_by_size(scale << 16)),
        asset("tags.p3d", &tags),
        asset("long_tags.p3d", &long_tags),
        archive("tags.zip", many(16, &Entry::deflated("a.p3d", &tags)), "a.p3d"),
        asset("lods.p3d", lods.to_vec()),
        asset("lists.lod", &lists),
        asset("models.lod", &whole),
        asset("hierarchy.lod", lodka::file([nested(b"LOD1")]).to_vec()),
        asset("groups.lod", lodka::file([nested(b"MSL1")]).to_vec()),
        asset("frames.lod", lodka::file([lodka::list(b"LOD1", vec![frames; scale << 6])]).to_vec()),
        archive("lists.zip", many(16, &Entry::deflated("a.lod", &lists)), "a.lod"),
        asset("bones.rtm", bones(scale << 16).binarised().to_vec()),
        asset("frames.rtm", &frames_of_none),
        asset("packed_frames.rtm", &frames_of_one),
        archive("frames.zip", many(16, &Entry::deflated("a.rtm", &frames_of_none)), "a.rtm"),
        asset("long_names.bmx", long_map),
        asset("tables.bmx", zip(&tables, bmx::COMMENT).to_vec()),
        // Lists that verbs other than scan could multiply.
        asset("name_references.zip", bounds::name_times_references(scale << 11, scale << 11)),
        asset("prefix_members.pbo", bounds::prefix_times_members(scale << 11, scale << 10)),
        asset("archive_name_members.zip", bounds::archive_name_times_members(scale << 11, scale << 10)),
        asset("equal_names.zip", bounds::equal_names(scale << 8)),
        asset("index.bmx", bounds::index_of_entries(scale << 18)),
    ]
}

/// A folder that is removed afterwards, unless `MESHPEEK_AMPLIFY` names it.
pub struct Folder(pub PathBuf, bool);

impl Folder {
    /// Returns true if the files are only written, and not run.
    pub fn is_kept(&self) -> bool {
        !self.1
    }

    pub fn new(name: &str) -> Self {
        let kept = std::env::var_os("MESHPEEK_AMPLIFY").map(PathBuf::from);
        let temporary = || std::env::temp_dir().join(format!("meshpeek-{name}-{}", std::process::id()));
        let folder = Self(kept.clone().unwrap_or_else(temporary), kept.is_none());
        std::fs::create_dir_all(&folder.0).unwrap();
        folder
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.1 {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// The limits of a run: its flags, and the resulting bounds for a file of some size.
pub struct Bounds {
    flags: Vec<String>,
    memory: u64,
    pub output: u64,
    time: Duration,
}

impl Bounds {
    pub fn of(bytes: u64, is_full: bool) -> Self {
        let (decoded, seconds) = if is_full { (256 << 20, 1) } else { (16 << 20, 8) };
        let mib = bytes.div_ceil(1 << 20) as u32;
        let flags = if is_full { vec![] } else { ["--max-decoded=16M", "--max-work=16", "--max-output=3"].to_vec() };
        Self {
            flags: flags.into_iter().map(str::to_owned).collect(),
            memory: decoded + BESIDE + bytes,
            // The detail of `info --json` is cut, for small files after 32 MiB.
            output: (64 << 20) + 64 * bytes,
            // On a busy machine, wall-clock time includes other processes.
            time: Duration::from_secs(8 * seconds) * (2 + mib),
        }
    }
}

/// Runs a verb with a memory limit, above which it is killed. Returns the size of its output in bytes, and its time.
pub fn run(verb: &[&str], paths: &[&Path], place: &Path, bounds: &Bounds) -> Result<(u64, Duration), String> {
    let start = Instant::now();
    let mut child = Command::new("sh")
        .args(["-c", r#"ulimit -c 0; ulimit -d "$0" && exec "$@""#, &(bounds.memory >> 10).to_string()])
        .arg(env!("CARGO_BIN_EXE_meshpeek"))
        .args(verb)
        .args(paths)
        .args(&bounds.flags)
        .arg("-q")
        .current_dir(place)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut errors = child.stderr.take().unwrap();
    let errors = std::thread::spawn(move || {
        let mut text = Vec::new();
        errors.read_to_end(&mut text).map(|_| String::from_utf8_lossy(&text[..text.len().min(1000)]).into_owned())
    });
    let (mut written, mut out, mut piece) = (0, child.stdout.take().unwrap(), vec![0; 1 << 16]);
    while let Ok(bytes @ 1..) = out.read(&mut piece) {
        written += bytes as u64;
        if written > bounds.output || start.elapsed() > bounds.time {
            child.kill().unwrap();
            break;
        }
    }
    let status = child.wait().unwrap();
    let errors = errors.join().unwrap().unwrap();
    match status.code() {
        _ if written > bounds.output => Err(format!("writes more than {} bytes", bounds.output)),
        _ if start.elapsed() > bounds.time => Err(format!("takes {:?}", start.elapsed())),
        Some(0..=2) if !errors.contains("panicked") => Ok((written, start.elapsed())),
        _ => Err(format!("{status}: {errors}")),
    }
}

#[test]
fn no_verb_takes_more_than_the_limits_say_of_a_file_made_for_it() {
    let is_full = crate::support::files::full();
    let folder = Folder::new("amplify");
    let mut failed = Vec::new();
    let verbs = if folder.is_kept() { &[][..] } else { &VERBS };
    for (number, Kind { name, bytes, member }) in kinds(if is_full { 16 } else { 1 }).into_iter().enumerate() {
        let path = folder.0.join(name);
        std::fs::write(&path, &bytes).unwrap();
        let bounds = Bounds::of(bytes.len() as u64, is_full);
        let (mut most, mut longest) = (0, Duration::ZERO);
        for (_, verb) in verbs.iter().copied().enumerate().filter(|(place, _)| is_full || (place + number) % 3 == 0) {
            let address = member.map_or_else(|| path.clone(), |member| format!("{}!/{member}", path.display()).into());
            let target = folder.0.join(if verb.len() == 2 { "out.glb" } else { "out.png" });
            let paths: &[&Path] = match verb {
                ["export", ..] => &[&target, &path],
                ["diff"] => &[&path, &path],
                ["cat"] if member.is_none() => continue,
                ["cat"] => &[&address],
                _ => &[&path],
            };
            match run(verb, paths, crate::support::files::root(), &bounds) {
                Ok((written, time)) => (most, longest) = (written.max(most), time.max(longest)),
                Err(error) => failed.push(format!("{} of {name}, {} bytes: {error}", verb.join(" "), bytes.len())),
            }
        }
        println!("{name}: {} bytes, written {most} at most, {longest:?} at most", bytes.len());
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
