//! Small files to start from, made by the tests' writers: cases that a fuzzer needs long to find by itself.

use crate::writer::bytes::Bytes;
use crate::writer::{archives, b3d, bisign, bmx, corpus, lodka, lzss, mlod, odol, paa, pbo, rap, rtm, texheaders, zip};

/// The maximum size of a seed; a fuzzer works best with small files.
pub const LARGEST: usize = 4096;

/// The LODka3D chunks that others refer to.
const SKELETON: usize = 4;
const MESHES: usize = 5;

/// Everything that a text config may contain besides classes, values and arrays.
const MACROS: &str = "#include \"a.hpp\"\n#define A(x) \\\n x\nclass A: B { model = QPATHTOF(a.p3d); \
    b[] += {QUOTE(QPATHTOEF(c,d.paa)), \"e\" \\n \"f\"}; C(g.paa) };";

/// Everything that names files in a Lua text, and texts and comments of each form.
pub const LUA: &str = "-- \"no.png\"\nlocal textures = {\"a.png^[combine:8x8:0,0=b.png\", 'c', [[b.png]]}\n\
    --[==[ no ]==]\nregister(\"x.b3d\", {\n\tmesh = x and 'x.b3d' or def.mesh,\n\
    \ttiles = {{name = \"a.png\", animation = {length = n}}, \"b_\" .. i + 1 .. \".png\", f(\"no.png\"), ...},\n\
    \t[\"wield_image\"] = (\"a_%s.png\"):format(x), child_textures = t[1].y,\n\
    \ton_use = function(self) return {texture = \"\\x61\\46png\" .. '^(b' .. '.png)'} end,\n})\n";

/// For each target, names and bytes.
pub fn seeds() -> Vec<(&'static str, String, Vec<u8>)> {
    let small = corpus().into_iter().filter(|(_, bytes)| bytes.len() <= LARGEST);
    let named = small.map(|(path, bytes)| (path.replace('/', "_"), bytes));
    let mut all: Vec<_> = named
        .flat_map(|(name, bytes)| ["any", "geometry"].map(|target| (target, name.clone(), bytes.clone())))
        .collect();
    all.extend(sound());
    let texts: [&[u8]; 5] =
        [b"", &[0; 300], &[0; 1500], b"abcabcabcabcabdabd", &[1, 2, 3, 4, 5, 6, 7, 8, 9].repeat(60)];
    for (index, text) in texts.into_iter().enumerate() {
        let length = text.len() as u16;
        let lzo = lzo1x::compress(text, lzo1x::CompressLevel::new(9));
        all.push(("lzo", format!("{index}"), [&[0][..], &length.to_be_bytes(), &lzo].concat()));
        // An end mark with other bytes, and an incomplete length.
        let mut bent = lzo.clone();
        bent.iter_mut().nth_back(1).into_iter().for_each(|field| *field = 1);
        all.push(("lzo", format!("{index}_end"), [&[0][..], &length.to_be_bytes(), &bent].concat()));
        all.push(("lzo", format!("{index}_cut"), [&[0][..], &length.to_be_bytes(), &[0x12, 1, 0x20, 0, 1]].concat()));
        let packed = [&length.to_le_bytes()[..], &lzss::pack(text)].concat();
        // A stream cut short at each position of its last items.
        for cut in (0..packed.len().min(9)).step_by(if index == 4 { 1 } else { 4 }) {
            all.push(("lzss", format!("{index}_{cut}"), packed[..packed.len() - cut].to_vec()));
        }
        all.push(("inflate", format!("{index}"), zip::deflate(text)));
    }
    // Limits that reject little, then a nested archive with a model of each kind.
    let limits = [7, 3, 15, 15, 5, 19, 9];
    let ways: [(&str, &[u8]); 3] = [
        ("zip_in_zip", &[0, 1, 1, 0, 0, 1, 1, 0]),
        ("pbo_in_zip", &[0, 1, 1, 0, 1, 1, 1, 1, 0]),
        ("zip_in_pbo", &[1, 1, 1, 1, 0, 0, 1, 1, 0]),
    ];
    for kind in 0..12 {
        for (name, way) in ways {
            all.push(("nested", format!("{name}_{kind}"), [&limits[..], way, &[2, kind, 0x41, 0x10]].concat()));
        }
    }
    // An archive that ends inside its directory, with sizes after the data among its members.
    let text = b"text that is there twice, text that is there twice";
    let entries = [zip::Entry::stored("a", text), zip::Entry::deflated("b", text).with_descriptor()];
    let whole = zip::zip(&entries, b"");
    all.push(("zip", "lost.zip".to_owned(), whole.to_vec()[..whole.at("directory") + 9].to_vec()));
    let claims =
        corpus().into_iter().find(|(path, _)| path == "hostile/bad_streams.pbo").expect("a file of the corpus").1;
    all.push(("zip", "claims.zip".to_owned(), zip::zip(&[zip::Entry::deflated("a.pbo", &claims)], b"").to_vec()));
    for (name, bytes) in bisign::hostile() {
        all.push(("bisign", name.to_owned(), bytes));
    }
    // Choices for a config in both forms, and texts.
    all.push(("rap", "recipe".to_owned(), (0..=255).map(|byte: u8| byte.wrapping_mul(37)).collect()));
    let root = rap::everything();
    for (name, text) in [("everything", rap::as_text(&root)), ("macros", MACROS.to_owned())] {
        all.push(("config_macros", name.to_owned(), text.clone().into_bytes()));
        all.push(("config_text", name.to_owned(), text.into_bytes()));
    }
    all.push(("lua", "everything".to_owned(), LUA.as_bytes().to_vec()));
    all.extend(tables().into_iter().map(|(name, bytes)| ("bmx_tables", name, bytes)));
    all.extend(maps().into_iter().map(|(name, bytes)| ("bmx", name, bytes)));
    all.extend(scenes().into_iter().map(|(name, bytes)| ("b3d", name.to_owned(), bytes)));
    all.extend(models().into_iter().map(|(name, bytes)| ("lodka", name, bytes)));
    all.extend(archives().into_iter().map(|(name, bytes)| ("zip", name, bytes)));
    // One for each lie, of the third of five members.
    for lie in 0..40 {
        let choices: Vec<u8> = (0..200_u8).map(|byte| byte.wrapping_mul(53).wrapping_add(lie)).collect();
        all.push(("zip_lies", format!("{lie}"), [&[lie, 4, 2][..], &choices].concat()));
    }
    for (target, peer) in [("b3d", "b3d_peer"), ("zip", "zip_peer")] {
        let same: Vec<_> = all.iter().filter(|(of, ..)| *of == target).cloned().collect();
        all.extend(same.into_iter().map(|(_, name, bytes)| (peer, name, bytes)));
    }
    let shared: [(&str, &[&str]); 3] = [
        ("exports", &["b3d", "bmx", "lodka", "mlod", "odol", "paa", "rtm"]),
        ("refs", &["b3d", "bmx", "mlod", "rap"]),
        ("stores", &["bmx", "odol", "pbo", "zip"]),
    ];
    for (target, others) in shared {
        let same: Vec<_> = all.iter().filter(|(of, ..)| others.contains(of)).cloned().collect();
        all.extend(same.into_iter().map(|(of, name, bytes)| (target, format!("{of}_{name}"), bytes)));
    }
    all.extend(of_choices());
    all.extend(of_texts());
    all.retain(|(_, _, bytes)| bytes.len() <= LARGEST);
    all
}

/// Choices for the targets that make their files by them.
fn of_choices() -> Vec<(&'static str, String, Vec<u8>)> {
    let mut all = Vec::new();
    for number in 0..40_u8 {
        let bytes: Vec<u8> = (0..60_u8).map(|byte| byte.wrapping_mul(97).wrapping_add(number)).collect();
        // A file among a few hundred, the number of changes, and the kind of the first one.
        let first = [number % 2, number.wrapping_mul(29), number % 4, (number % 10) | (number << 7)];
        all.push(("models", format!("{number}"), [&first[..], &bytes].concat()));
        all.push(("stores", format!("recipe_{number}"), [&[number][..], &bytes].concat()));
    }
    all
}

/// Texts of configs, and names.
fn of_texts() -> Vec<(&'static str, String, Vec<u8>)> {
    let mut all = Vec::new();
    for (name, text) in [("model", MODEL_CFG), ("ring", RING), ("macros", MACROS)] {
        all.push(("model_cfg", format!("{name}.cfg"), text.as_bytes().to_vec()));
    }
    let limits = meshpeek::Limits::default();
    let budget = meshpeek::Budget::new(MODEL_CFG.len() as u64, &limits);
    let binary = meshpeek::rap::text::to_binary(MODEL_CFG.as_bytes(), &budget).expect("a config");
    all.push(("model_cfg", "model.bin".to_owned(), binary.bytes().to_vec()));
    all.push(("model_cfg", "everything.bin".to_owned(), rap::file(&rap::everything(), &[]).to_vec()));
    // A config, a material and a texture's name.
    let texts = format!("&{MACROS}\0{MATERIAL}\0");
    all.push(("refs", "texts".to_owned(), texts.into_bytes()));
    all.push(("refs", "config".to_owned(), rap::as_text(&rap::everything()).into_bytes()));
    for (number, name) in NAMES.iter().enumerate() {
        all.push(("names", format!("{number}"), name.as_bytes().to_vec()));
    }
    all.push(("names", "no_utf8".to_owned(), b"a\xff/\xf0\x9f\x92.p3d".to_vec()));
    all.push(("names", "all".to_owned(), NAMES.join("\n").into_bytes()));
    all
}

/// Names that lead out of a folder, or to something else than a file, on some system.
const NAMES: [&str; 16] = [
    "data/model.p3d",
    "..\\..\\model.p3d",
    "/etc/passwd",
    "C:\\Windows\\x",
    "\\\\?\\C:\\x",
    "//server/share/x",
    "aux.txt",
    "data/CON",
    "com1 .txt",
    "CONIN$",
    "a:stream",
    "a./b ",
    "...",
    "a//b",
    "a\u{7f}\u{1b}[31m",
    "%2E%2E/x",
];

const MODEL_CFG: &str = "class CfgSkeletons { class Base { isDiscrete = 1; skeletonInherit = \"\"; skeletonBones[] = {\"body\", \"\", \
    \"arm\", \"body\"}; }; class Car: Base { skeletonInherit = \"Base\"; skeletonBones[] = {\"wheel\", \"body\"}; }; };\n\
    class CfgModels { class Default { sections[] = {}; sectionsInherit = \"\"; skeletonName = \"\"; }; class model: Default { \
    skeletonName = \"Car\"; sections[] = {\"camo\"}; class Animations { class Wheel { type = \"rotation\"; selection = \"wheel\"; \
    axis = \"wheel_axis\"; begin = \"a\"; end = \"b\"; }; }; }; };\n";

/// Skeletons, bones and models that inherit from each other.
const RING: &str = "class CfgSkeletons { class A { skeletonInherit = \"B\"; skeletonBones[] = {\"a\", \"b\", \"b\", \"a\"}; }; \
    class B { skeletonInherit = \"A\"; skeletonBones[] = {\"c\", \"a\", \"c\"}; }; };\n\
    class CfgModels { class model: model { sectionsInherit = \"model\"; }; };\n#include \"a.hpp\"\n#define X\n";

const MATERIAL: &str = "ambient[] = {1, 1, 1, 1};\nPixelShaderID = \"Super\";\nclass Stage1 { texture = \"mod\\a.paa\"; uvSource = \"tex\"; };\n\
    class Stage2 { texture = \"#(argb,8,8,3)color(0.5,0.5,0.5,1,DT)\"; };\n";

/// For each format's target, a valid file for each record, gate and version.
pub fn sound() -> Vec<(&'static str, String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut add = |target, name: String, bytes: Vec<u8>| all.push((target, name, bytes));
    for version in [7].into_iter().chain(40..=75) {
        // Models with everything but packed arrays, and strips just long enough that their arrays are packed.
        let points = if version >= 64 { 40 } else { 90 };
        let strip = odol::Model::new(version, vec![odol::Lod::strip(1.0, points)]);
        add("odol", format!("v{version}_strip.p3d"), strip.to_vec());
        let lod = odol::Lod { frames: Vec::new(), tangents: Vec::new(), ..odol::everything(1.0, 4) };
        let whole = odol::Model { lods: vec![lod], ..odol::whole(version, 4) };
        add("odol", format!("v{version}.p3d"), whole.to_vec());
    }
    let scene = |part: Bytes| b3d::scene([b3d::node("n", [part])]).to_vec();
    for flags in 0..4 {
        for (sets, size) in [(0, 0), (1, 2), (2, 3), (8, 1), (1, 4)] {
            let mesh = b3d::mesh(-1, [b3d::vertices(3, flags, sets, size), b3d::triangles(-1, &[[0, 1, 2]])]);
            add("b3d", format!("vertices_{flags}_{sets}_{size}.b3d"), scene(mesh));
        }
    }
    for flags in 0..8 {
        let node = b3d::node("n", [b3d::one_triangle(), b3d::animation(9, 25.0), b3d::keys(flags, [1, 2, 9])]);
        // Keys without a value are reported as odd.
        if flags > 0 {
            add("b3d", format!("keys_{flags}.b3d"), b3d::scene([node]).to_vec());
        }
    }
    let arm = b3d::node("arm", [b3d::bone(&[(0, 1.0), (2, 0.5)]), b3d::keys(5, [1, 2])]);
    let parts = [b3d::one_triangle(), b3d::sequence("walk", 1, 2), b3d::animation(2, 25.0), arm];
    add("b3d", "bone.b3d".to_owned(), b3d::scene([b3d::node("body", parts)]).to_vec());
    add("b3d", "pivot.b3d".to_owned(), scene(b3d::chunk(b"PIVO", Bytes::new())));
    add("b3d", "other.b3d".to_owned(), scene(b3d::chunk(b"LATE", Bytes::new().raw("of later times"))));
    for version in 10..=14 {
        add("bmx", format!("v{version}.bmx"), bmx::full(version).packed());
    }
    // With the bones and meshes that its indices refer to.
    let everything = lodka::everything();
    for place in 0..everything.len() {
        let is_meant = |other: usize| other == place || [SKELETON, MESHES].contains(&other);
        let parts = everything.iter().enumerate().filter(|(other, _)| is_meant(*other));
        add("lodka", format!("{place}.lod"), lodka::file(parts.map(|(_, part)| part.clone())).to_vec());
    }
    let property = [&b"class\0"[..], &[0; 58], b"house\0", &[0; 58]].concat();
    let tags: [(&str, &[u8]); 6] = [
        ("#SharpEdges#", &[0, 0, 0, 0, 1, 0, 0, 0]),
        ("#Property#", &property),
        ("#Mass#", &[0; 16]),
        ("#UVSet#", &[0; 4]),
        ("camo", &[1, 0, 0, 1, 1]),
        (r"proxy:\own\gunner.001", &[0, 1, 1, 1, 0]),
    ];
    for (name, data) in tags {
        let lod = mlod::lod(4, &[mlod::face(&[0, 1, 2, 3], "a.paa", "")], &[mlod::tag(name, data)], 1.0);
        let name = name.replace(['#', ':', '\\', '.'], "");
        add("mlod", format!("{name}.p3d"), mlod::model(&[lod]).to_vec());
    }
    for (name, bytes) in paa::corpus() {
        add("paa", name.to_owned(), bytes);
    }
    for kind in [paa::P8, paa::ARGB1555, paa::ARGB4444, paa::AI88, paa::ARGB8888].into_iter().chain(0xff01..=0xff05) {
        let one = paa::Texture::chain(kind, [4, 4], 4);
        add("paa", format!("one_{kind:x}.paa"), one.to_vec());
        // Others need a tag to be known by their bytes.
        if kind > 0xff00 {
            add("paa", format!("bare_{kind:x}.paa"), paa::Texture { tags: Vec::new(), ..one }.to_vec());
        }
    }
    for (name, bytes) in bisign::corpus() {
        if !name.ends_with(".pbo") {
            add("bisign", name.to_owned(), bytes);
        }
    }
    add("bisign", "of_version_2.bisign".to_owned(), bisign::SHED_2.to_vec());
    for (name, bytes) in texheaders::corpus() {
        add("texheaders", name.to_owned(), bytes);
    }
    for (path, texture) in texheaders::textures() {
        let one = texheaders::Texture::of(path, &texture);
        add("texheaders", format!("{}.bin", path.replace(['\\', '.'], "_")), texheaders::file(&[one]).to_vec());
    }
    let config = rap::everything();
    for (index, entry) in config.entries.iter().enumerate() {
        let root = rap::root([entry.clone()]);
        add("rap", format!("{index}.bin"), rap::file(&root, &[("ONE", 1)]).to_vec());
    }
    for version in 3..=5 {
        let markings = match version {
            3 => vec![rtm::Marking::Size],
            4 => vec![rtm::Marking::Size, rtm::EVERY_SECOND],
            _ => vec![rtm::NONE, rtm::ALL, rtm::EVERY_SECOND],
        };
        for (place, marking) in markings.into_iter().enumerate() {
            let motion = rtm::motion(version, 3, 2, marking);
            add("rtm", format!("v{version}_{place}.rtm"), motion.binarised().to_vec());
            if version > 3 {
                let bytes = motion.with_properties().binarised().to_vec();
                add("rtm", format!("v{version}_{place}_properties.rtm"), bytes);
            }
        }
    }
    let plain = || rtm::motion(0, 3, 2, rtm::NONE);
    add("rtm", "plain.rtm".to_owned(), plain().plain().to_vec());
    add("rtm", "plain_properties.rtm".to_owned(), plain().with_properties().plain().to_vec());
    let tails = [("none", pbo::Tail::Bytes(b"")), ("five", pbo::Tail::Bytes(&[0; 5])), ("sha1", pbo::Tail::Sha1)];
    for (tail, bytes) in tails {
        let writer = pbo::Writer::new().stored(b"a", b"text").packed(br"b\c", b"text, text, text");
        add("pbo", format!("tail_{tail}.pbo"), writer.finish(bytes));
    }
    let product = pbo::Writer::new().product(&[(b"prefix", br"own\data"), (b"version", b"1")]).stored(b"a", b"");
    add("pbo", "product.pbo".to_owned(), product.finish(pbo::Tail::Sha1));
    let text = b"text that is there twice, text that is there twice";
    let forms = [("stored", zip::Entry::stored("a", text)), ("deflated", zip::Entry::deflated("a/b", text))];
    for (name, entry) in forms {
        add("zip", format!("{name}_described.zip"), zip::zip(&[entry.clone().with_descriptor()], b"").to_vec());
        add("zip", format!("{name}.zip"), zip::zip(&[entry], b"a comment").to_vec());
    }
    add("zip", "folder.zip".to_owned(), zip::zip(&[zip::Entry::stored("a/", b"")], b"").to_vec());
    add("zip", "empty.zip".to_owned(), zip::zip(&[], b"").to_vec());
    add("zip", "zip64.zip".to_owned(), archives::zip64(b""));
    all.retain(|(_, _, bytes)| bytes.len() <= LARGEST);
    all
}

/// The tables of a map, valid and with each field in turn set to a number that is rarely correct.
fn tables() -> Vec<(String, Vec<u8>)> {
    let joined = |tables: &bmx::Tables| {
        let lengths = tables.iter().take(4).flat_map(|(_, table)| (table.len() as u16).to_le_bytes());
        lengths.chain(tables.iter().flat_map(|(_, table)| table.to_vec())).collect::<Vec<_>>()
    };
    let mut all: Vec<_> =
        (10..=14).map(|version| (format!("v{version}"), joined(&bmx::full(version).tables()))).collect();
    let short = bmx::Map { short_materials: true, ..bmx::full(14) };
    all.push(("short_materials".to_owned(), joined(&short.tables())));
    all.push(("overlap".to_owned(), joined(&overlapping())));
    let sound = bmx::full(14).tables();
    for (place, (table, bytes)) in sound.iter().enumerate() {
        let mut changed = |name: String, bytes: Bytes| {
            let mut tables = sound.clone();
            tables[place].1 = bytes;
            all.push((name, joined(&tables)));
        };
        changed(format!("{table}_cut"), Bytes::new().raw(&bytes.to_vec()[..bytes.len().saturating_sub(3)]));
        changed(format!("{table}_longer"), bytes.clone().raw([0; 3]));
        for mark in bytes.marks() {
            // For names the first character: not a code point, a surrogate, a byte order mark, a NUL. For others the
            // first number and the one after it: a count, a NaN, an index or a flag that is too large.
            let is_name = mark.ends_with("name");
            let odd: &[(usize, u32)] = match is_name {
                true => &[(4, u32::MAX), (4, 0xd800), (4, 0xfeff), (4, 0)],
                false => &[(0, u32::MAX), (0, 27), (4, u32::MAX)],
            };
            let room = bytes.len() - bytes.at(mark);
            for &(distance, value) in odd.iter().filter(|(distance, _)| distance + 4 <= room) {
                changed(
                    format!("{mark}_{distance}_{value:x}"),
                    bytes.clone().poke(mark, distance, value.to_le_bytes()),
                );
            }
        }
    }
    all
}

/// One large mesh that the index refers to again and again.
fn overlapping() -> bmx::Tables {
    let positions = vec![[0.5; 3]; 150];
    let mesh = bmx::Mesh { name: "", positions, uvs: vec![], normals: vec![], faces: vec![] };
    let (objects, materials, textures, images) = Default::default();
    let map = bmx::Map { objects, materials, textures, images, meshes: vec![mesh], ..bmx::full(14) };
    let mut tables = map.tables();
    let again = |index: Bytes, _| index.u32(0).u8(1).raw([0; 8]);
    tables[0].1 = (0..150).fold(std::mem::take(&mut tables[0].1), again);
    tables
}

/// Maps with one fault each in the zip.
fn maps() -> Vec<(String, Vec<u8>)> {
    let map = bmx::full(14);
    let sound = || map.entries(&map.tables(), |name, bytes| zip::Entry::deflated(name, bytes));
    let mut all = Vec::new();
    for name in ["Index.bm", "a/../b", "a\0b", "Texture/none.png", "Texture/Floor_Top_Flat.bmp", "x"] {
        let twice = [zip::Entry::deflated(name, b"hello"), zip::Entry::stored(name, b"hello")];
        let count = if name == "x" { 2 } else { 1 };
        let entries: Vec<_> = sound().into_iter().chain(twice.into_iter().take(count)).collect();
        all.push((format!("with_{}.bmx", name.replace(['/', '\0'], "_")), zip::zip(&entries, b"").to_vec()));
    }
    type Change = (&'static str, fn(&mut zip::Header));
    let changes: [Change; 6] = [
        ("crc32", |header| header.crc32 ^= 1),
        ("encrypted", |header| header.flags |= 1),
        ("method", |header| header.method = 12),
        ("not_utf8", |header| (header.name, header.flags) = (b"\xcf\xf0".to_vec(), 0)),
        ("claims_4_gb", |header| header.unpacked = u32::MAX - 1),
        ("into_directory", |header| header.packed += 1 << 10),
    ];
    for (name, change) in changes {
        for place in [2, 5] {
            let mut entries = sound();
            entries[place] = entries[place].clone().both(change);
            all.push((format!("{name}_{place}.bmx"), zip::zip(&entries, b"").to_vec()));
        }
    }
    let one = |change: fn(&mut zip::Entry)| {
        let mut entries = sound();
        change(&mut entries[2]);
        zip::zip(&entries, bmx::COMMENT)
    };
    let longer = one(|entry| {
        entry.data.extend([1, 2]);
        *entry = entry.clone().both(|header| header.packed += 2);
    });
    all.push(("behind_stream.bmx".to_owned(), longer.to_vec()));
    all.push(("local_name.bmx".to_owned(), one(|entry| entry.local.name = b"mush.bm".to_vec()).to_vec()));
    let zip64 = one(|entry| entry.central.extra = [&[1, 0, 16, 0][..], &[0; 16]].concat());
    all.push(("zip64_sizes.bmx".to_owned(), zip64.to_vec()));
    let two_sizes = one(|entry| *entry = zip::Entry::stored("mesh.bm", b"abc").both(|header| header.unpacked = 4));
    all.push(("two_sizes.bmx".to_owned(), two_sizes.to_vec()));
    let whole = zip::zip(&sound(), b"");
    all.push(("before.bmx".to_owned(), [&[7; 5][..], &whole.to_vec()].concat()));
    all.push(("after.bmx".to_owned(), whole.clone().raw([0; 3]).to_vec()));
    let few = [4, 0];
    all.push(("few.bmx".to_owned(), whole.set("disk_entries", few).set("entries", few).to_vec()));
    all
}

/// Odd Blitz3D scenes that Blitz3D reads, or nearly.
fn scenes() -> [(&'static str, Vec<u8>); 10] {
    let texture = || b3d::textures(&[b3d::Texture { name: b"a", flags: 1, blend: 2 }]);
    let triangles = || b3d::triangles(-1, &[[0, 1, 2]]);
    let mesh = b3d::mesh(-1, [triangles(), b3d::vertices(3, 0, 0, 0)]);
    let of_node = |part: Bytes| b3d::scene([b3d::node("n", [part])]);
    [
        ("negative_version.b3d", b3d::chunk(b"BB3D", Bytes::new().i32(-1))),
        ("nine_layers.b3d", b3d::scene([b3d::brushes(&[(b"", &[-1; 9])])])),
        ("brush_cut.b3d", b3d::scene([b3d::chunk(b"BRUS", Bytes::new().i32(9).raw([0; 33]))])),
        ("textures_last.b3d", b3d::scene([b3d::brushes(&[(b"", &[0])]), texture()])),
        ("triangles_first.b3d", of_node(mesh)),
        ("long_animation.b3d", of_node(b3d::chunk(b"ANIM", Bytes::new().raw([0; 16])))),
        ("keys_cut.b3d", of_node(b3d::chunk(b"KEYS", Bytes::new().i32(1).raw([0; 5])))),
        ("deep_after_its_mesh.b3d", b3d::scene([b3d::node("n", [b3d::nested(9), b3d::one_triangle()])])),
        ("long_name.b3d", b3d::scene([b3d::node(format!("x{}", "\u{fc}\u{20ac}".repeat(300)), [])])),
        ("bone_outside.b3d", b3d::scene([b3d::bone(&[]), b3d::one_triangle(), triangles()])),
    ]
    .map(|(name, bytes)| (name, bytes.to_vec()))
}

/// LODka3D models of one chunk and a skeleton, with each field in turn set to a number that is rarely correct.
fn models() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for (place, part) in lodka::everything().into_iter().enumerate() {
        for mark in part.marks() {
            for odd in [1, 2, 9, u32::MAX] {
                let value = odd.to_le_bytes();
                let width = if odd > 0xff { 4 } else { 1 };
                if part.at(mark) + width > part.len() {
                    continue;
                }
                let odd_part = part.clone().set(mark, &value[..width]);
                let bytes = lodka::file([lodka::skeleton(3), odd_part]).to_vec();
                all.push((format!("{place}_{mark}_{odd:x}.lod"), bytes));
            }
        }
    }
    let pictures: [&[u8]; 4] = [b"GIF89a", b"II*\0", b"\xff\xd8\xff\xe0", b"DDS "];
    let textures = pictures.map(|data| lodka::texture("a", "b", 0, data));
    all.push(("pictures.lod".to_owned(), lodka::file([lodka::textures(&textures)]).to_vec()));
    // Quads, leftover corners, bones by index and by weight.
    for (kind, extra) in [(3, 0), (4, 0), (1, 1), (2, 2)] {
        let groups = vec![lodka::Group { extra, smoothing: true, ..lodka::Group::new(kind, 2) }];
        for bone_ids in [0, 2, 3] {
            let mesh = lodka::Mesh { groups: groups.clone(), bone_ids, ..lodka::weighted(3) };
            let bytes = lodka::file([lodka::skeleton(3), lodka::meshes(&[mesh])]).to_vec();
            all.push((format!("mesh_{kind}_{extra}_{bone_ids}.lod"), bytes));
        }
    }
    all
}

/// Archives with several kinds of end records, and members with every named method.
fn archives() -> Vec<(String, Vec<u8>)> {
    let entries = [zip::Entry::stored("a", b"text"), zip::Entry::deflated("b/c", &[0; 99])];
    let sound = zip::zip(&entries, b"");
    let wide = archives::zip64(b"");
    let locator = wide.len() - 42;
    let poked = |at: usize, value: u8| {
        let mut bytes = wide.clone();
        bytes[at] = value;
        bytes
    };
    let methods: Vec<_> = (0..=u16::from(u8::MAX))
        .filter(|method| matches!(method, 1..=19 | 93..=99))
        .map(|method| zip::Entry::new(format!("{method}"), method, b"????".to_vec(), b"text"))
        .collect();
    let mut bare = zip::Entry::deflated("b", b"text, text, text, text").with_descriptor();
    bare.after.drain(..4);
    // Without their end, and without the end of their data.
    let mut endless = zip::Entry::new("b", 8, b"PK PK".to_vec(), b"").with_descriptor();
    endless.after.clear();
    let endless = zip::zip(&[endless.clone(), endless], b"");
    let mut longer = zip::Entry::deflated("b", b"text");
    longer.data.extend([1, 2, 3]);
    let longer = longer.both(|header| header.packed += 3);
    // With the checksum of one more byte, which is from the directory.
    let into_directory = zip::Entry::new("a", 0, b"text".to_vec(), b"textP").both(|header| header.packed += 1);
    [
        ("disks.zip", sound.clone().set("disk", [1, 0, 1, 0]).to_vec()),
        ("zip64_disks.zip", poked(locator - 56 + 16, 1)),
        ("zip64_lost.zip", poked(locator + 8, wide[locator + 8] ^ 0x55)),
        ("zip64_no_record.zip", poked(locator - 56, 0)),
        ("entry_broken.zip", sound.clone().poke("directory", 47, [0; 4]).to_vec()),
        ("endless.zip", endless.to_vec()[..endless.at("directory")].to_vec()),
        (
            "end_and_more_in_comment.zip",
            zip::zip(&entries, &[&zip::zip(&[], b"").to_vec()[..], b"x"].concat()).to_vec(),
        ),
        ("two_ends.zip", zip::zip(&entries, &zip::zip(&[], b"").to_vec()).to_vec()),
        ("end_in_comment.zip", zip::zip(&entries, b"PK\x05\x06 and so on, for 22 bytes.").to_vec()),
        ("methods.zip", zip::zip(&methods, b"").to_vec()),
        ("bare_descriptor.zip", zip::zip(&[bare], b"").to_vec()),
        ("behind_stream.zip", zip::zip(&[longer], b"").to_vec()),
        ("into_directory.zip", zip::zip(&[into_directory], b"").to_vec()),
        ("no_map.zip", zip::zip(&[zip::Entry::stored("mesh.bm", b"")], b"").to_vec()),
        ("before.zip", archives::zip64(b"bytes before")),
        ("before_classic.zip", [&b"before"[..], &sound.to_vec()].concat()),
    ]
    .map(|(name, bytes)| (name.to_owned(), bytes))
    .into()
}
