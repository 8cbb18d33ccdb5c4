//! Triangles of all formats in one coordinate system.

use meshpeek::geometry::Primitive;
use meshpeek::view::{Strided, Vec3};
use meshpeek::{Asset, Format, Inspect, codec};

use crate::memory::usage_of;
use crate::support::files::{files, outside, root};
use crate::writer;

fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the number of corners whose normal is on the front side of their triangle, and the number of the others.
fn sides(primitive: &Primitive<'_>) -> (u64, u64) {
    let Ok(positions) = primitive.positions() else { return (0, 0) };
    let world = primitive.world_matrix;
    let Ok(Some(normals)) = primitive.normals() else { return (0, 0) };
    let normal = world.normals();
    let (mut front, mut back) = (0, 0);
    for corners in primitive.corners() {
        let Ok(corners) = corners else { break };
        let Some(points) = corners.iter().map(|c| positions.array(c.position as usize)).collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        let points: Vec<[f32; 3]> = points.into_iter().map(|point| world.point(point)).collect();
        let face = cross(sub(points[1], points[0]), sub(points[2], points[0]));
        for corner in corners {
            let side = normals.array(corner.normal as usize).map_or(0.0, |one| dot(normal(one), face));
            front += u64::from(side > 0.0);
            back += u64::from(side < 0.0);
        }
    }
    (front, back)
}

/// Returns true if most triangles have normals on their front side.
fn faces_outwards(bytes: &[u8]) -> Option<bool> {
    let asset = Asset::parse(bytes).unwrap();
    let visual = |p: &Primitive<'_>| p.place.lod.is_none_or(|(_, resolution)| (0.0..1000.0).contains(&resolution));
    let all = asset.primitives().map(Result::unwrap).filter(visual).map(|primitive| sides(&primitive));
    let (front, back) = all.fold((0, 0), |(front, back), (f, b)| (front + f, back + b));
    (front + back > 0).then_some(front > 4 * back)
}

#[test]
fn real_models_have_their_normals_on_the_outside() {
    let Some(folder) = outside() else { return };
    let mut checked = 0;
    let folders = ["odol", "odol_later", "odol_rewritten", "mlod"].map(|name| folder.join(name));
    let more = ["b3d/character.b3d", "wild/key.b3d", "lodka/model.lod", "wild/baseball_bat_barbed.p3d"];
    let files = folders.iter().flat_map(|folder| folder.read_dir().unwrap()).map(|entry| entry.unwrap().path());
    for path in files.chain(more.map(|name| folder.join(name))) {
        // In the first one, the normals are those of both sides.
        let mixed = path.ends_with("v71_armake_acre2_wire.p3d");
        if mixed || !path.extension().is_some_and(|name| name == "p3d" || name == "b3d" || name == "lod") {
            continue;
        }
        if let Some(outwards) = faces_outwards(&std::fs::read(&path).unwrap()) {
            assert!(outwards, "{}", path.display());
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked}");
}

/// The asset in these bytes.
fn is_inside(bytes: &[u8], column: Strided<'_, Vec3>) -> bool {
    let first = std::ptr::from_ref(column.get(0).unwrap()).cast::<u8>();
    bytes.as_ptr_range().contains(&first)
}

#[test]
fn positions_are_inside_the_file() {
    let mut checked = std::collections::BTreeMap::new();
    for (path, bytes) in files() {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        let format = asset.format();
        for primitive in asset.primitives().flatten() {
            let Ok(positions) = primitive.positions() else { continue };
            if positions.is_empty() {
                continue;
            }
            let in_file = positions.borrowed().is_some_and(|column| is_inside(&bytes, column));
            let in_table = positions.borrowed().is_some() && path.ends_with("corpus/bmx/stored.bmx") == in_file;
            let packed = format == Format::Odol && positions.borrowed().is_none();
            assert!(in_file || format == Format::Bmx && in_table || packed, "{}: {primitive:?}", path.display());
            *checked.entry((format.name(), in_file)).or_insert(0) += 1;
        }
    }
    for format in ["b3d", "bmx", "lodka", "mlod", "odol"] {
        assert!(checked.contains_key(&(format, true)), "{format}: {checked:?}");
    }
}

#[test]
fn nothing_is_decoded_or_copied_before_it_is_asked_for() {
    for (path, bytes) in files() {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        let format = asset.format();
        if !matches!(format, Format::B3d | Format::Lodka | Format::Odol) {
            continue;
        }
        let before = codec::activity().decodes;
        // Not kept, so that memory is counted for one at a time.
        let (count, usage) = usage_of(|| asset.primitives().flatten().filter(|one| one.vertex_count().is_ok()).count());
        assert_eq!(codec::activity().decodes, before, "{}", path.display());
        // A frame for each level of nodes, and small lists; no array that grows with the file.
        assert!(usage.peak < 64_000, "{}: {count} primitives took {usage:?}", path.display());
        let Some(packed) =
            asset.primitives().flatten().find(|one| one.positions().is_ok_and(|all| all.borrowed().is_none()))
        else {
            continue;
        };
        let before = codec::activity().decodes;
        // They were decoded to be found, and are not again.
        packed.positions().unwrap();
        assert_eq!(codec::activity().decodes, before, "{}", path.display());
        let again = asset.primitives().flatten().find(|one| one.place == packed.place).unwrap();
        again.positions().unwrap();
        assert_eq!(codec::activity().decodes, before + 1, "{}", path.display());
    }
}

#[test]
fn welding_makes_a_vertex_of_each_corner_that_is_unlike_the_others() {
    for (path, bytes) in files() {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        for primitive in asset.primitives().flatten() {
            let Ok(welded) = primitive.to_welded(|_| Ok(())) else { continue };
            let triangles: Vec<_> = primitive.triangles().flatten().collect();
            assert_eq!(triangles.len() as u64, welded.triangles.len() as u64 + welded.left_out, "{}", path.display());
            let (vertices, positions) = (welded.corners.len(), primitive.vertex_count().unwrap());
            assert!(welded.triangles.iter().flatten().all(|&vertex| (vertex as usize) < vertices));
            assert!(primitive.is_indexed_by_corner() || vertices <= positions, "{}", path.display());
            if welded.left_out == 0 {
                let back =
                    welded.triangles.iter().map(|all| all.map(|vertex| welded.corners[vertex as usize].position));
                assert!(back.eq(triangles), "{}", path.display());
            }
        }
    }
}

#[test]
fn a_scene_has_its_parts() {
    let bytes = std::fs::read(root().join("corpus/b3d/everything.b3d")).unwrap();
    let asset = Asset::parse(&bytes).unwrap();
    let all: Vec<_> = asset.primitives().map(Result::unwrap).collect();
    let places: Vec<_> = all.iter().map(|one| (one.place.node.unwrap(), one.place.mesh, one.place.part)).collect();
    assert_eq!(places, [(0, 0, 0), (0, 0, 1), (0, 0, 2), (3, 1, 0)]);
    let leaf = all[0].material().unwrap().unwrap();
    let bark = all[1].material().unwrap().unwrap();
    assert_eq!((leaf.name, bark.name), ("leaf".into(), "bark".into()));
    assert_eq!(leaf.textures.iter().map(|texture| texture.index).collect::<Vec<_>>(), [Some(1), Some(0)]);
    assert_eq!((leaf.textures[0].clamped, leaf.textures[1].uv_set), ([true, true], 1));
    assert_eq!((bark.color, bark.unlit, bark.two_sided), ([1.0, 0.5, 0.25, 0.75], true, true));
    // Counterclockwise in our coordinate system: the last two corners of the file's 0 1 2 are swapped.
    assert_eq!(all[0].triangles().map(Result::unwrap).collect::<Vec<_>>(), [[0, 2, 1]]);
    assert_eq!((all[0].uv_sets().unwrap(), all[0].colors().unwrap().is_some()), (2, true));
    let weights = all[0].to_weights().unwrap().unwrap();
    assert_eq!((weights.of(0)[0].joint, weights.of(0)[0].weight, weights.of(1).len()), (1, 0.25, 0));
    assert_eq!(all[3].to_weights().unwrap().unwrap().of(2)[0].joint, 4);
}

/// Flags of the only section of a model, and whether its triangles are visible.
fn visible_with(flags: u32) -> bool {
    use writer::odol::{Lod, Model};
    let bytes = Model::new(73, vec![Lod::strip(1.0, 8)]).bytes();
    let bytes = bytes.poke("section", SECTION_FLAGS, flags.to_le_bytes()).to_vec();
    let asset = Asset::parse(&bytes).unwrap();
    let Asset::Odol(model) = &asset else { panic!("an ODOL model") };
    assert_eq!(model.lod(0).unwrap().unwrap().sections.iter().next().unwrap().flags, flags);
    let primitive = asset.primitives().next().unwrap().unwrap();
    primitive.place.visible
}

/// The offset of the flags in a section of version 73.
pub const SECTION_FLAGS: usize = 22;

#[test]
fn a_section_of_odol_is_hidden_by_either_of_two_flags() {
    assert!(visible_with(0) && visible_with(1 << 5) && visible_with(!(1 << 22 | 1 << 28)));
    for flag in [1 << 22, 1 << 28] {
        assert!(!visible_with(flag) && !visible_with(flag | 1 << 5), "{flag:#x}");
    }
}

#[test]
fn triangles_of_collision_and_shadow_lods_are_visible_but_not_visual() {
    use writer::odol::{Lod, Model};
    let numbers = [2.5, 1000.0, 1e13, 10_010.0, 3e16];
    let model = Model::new(73, numbers.map(|number| Lod::strip(number, 8)).to_vec()).bytes().to_vec();
    let asset = Asset::parse(&model).unwrap();
    let mut found = Vec::new();
    for primitive in asset.primitives() {
        let place = primitive.unwrap().place;
        assert!(place.visible);
        found.push((place.is_visual(), place.lod_name().unwrap()));
    }
    let names = ["2.5", "View Gunner", "Geometry", "Shadow Volume 10", "3e16"];
    let expected: Vec<_> = names.iter().map(|name| (*name == "2.5", (*name).to_owned())).collect();
    assert_eq!(found, expected);
    // Those without LODs are all visual.
    let scene = std::fs::read(root().join("corpus/b3d/everything.b3d")).unwrap();
    for primitive in Asset::parse(&scene).unwrap().primitives() {
        let place = primitive.unwrap().place;
        assert!(place.is_visual() && place.lod_name().is_none());
    }
}

/// Sections that go back over earlier faces cost a walk each, so their number is bounded.
#[test]
fn sections_of_odol_go_over_the_same_faces_only_so_often() {
    use writer::odol::{Lod, Model};
    let primitives = |turns: usize| {
        let mut lod = Lod::strip(1.0, 100);
        lod.sections = vec![(lod.faces.len(), 1, -1); turns];
        let written = Model::new(73, vec![lod]).bytes();
        let (first, mut bytes) = (written.at("section"), written.to_vec());
        let units = <[u8; 4]>::try_from(&bytes[first + 4..first + 8]).unwrap();
        // The writer gives the first section all faces, and the others those after the last. Here they start with the
        // first again.
        let rest = &bytes[first + 8..first + 20];
        let [empty, whole] = [units, [0; 4]].map(|start| [&start[..], &units, rest].concat());
        let places: Vec<usize> = (0..bytes.len() - 20).filter(|&at| bytes[at..at + 20] == empty).collect();
        assert_eq!(places.len(), turns - 1);
        places.iter().for_each(|&at| bytes[at..at + 20].copy_from_slice(&whole));
        let asset = Asset::parse(&bytes).unwrap();
        asset.primitives().map(|primitive| primitive.map(drop).map_err(|error| error.to_string())).collect::<Vec<_>>()
    };
    assert!(primitives(60).iter().all(Result::is_ok));
    let all = primitives(100);
    assert_eq!(
        all.last().unwrap().as_ref().unwrap_err().split(": ").last().unwrap(),
        "sections that go over the same faces again and again"
    );
    assert_eq!(all.iter().filter(|one| one.is_ok()).count(), 65);
}

#[test]
fn a_model_that_is_cut_says_so_among_its_primitives() {
    let mut cut = 0;
    for (path, bytes) in files() {
        let Ok(whole) = Asset::parse(&bytes) else { continue };
        if whole.primitives().next().is_none() || whole.primitives().any(|primitive| primitive.is_err()) {
            continue;
        }
        let count = whole.primitives().count();
        for part in 1..40 {
            let end = bytes.len() * part / 40;
            let Ok(asset) = Asset::parse(&bytes[..end]) else { continue };
            // A cut map is only a cut zip.
            if asset.format() != whole.format() {
                continue;
            }
            let read: Vec<_> = asset.primitives().collect();
            let sound = read.iter().flatten().count();
            let is_said = read.iter().any(Result::is_err);
            // Between two models of a file, nothing shows that there was another.
            let is_known = !asset.summarize().problems.is_empty();
            assert!(sound == count || is_said || !is_known, "{} up to {end}: {sound} of {count}", path.display());
            cut += 1;
        }
    }
    assert!(cut > 100, "{cut}");
}
