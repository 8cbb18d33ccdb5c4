//! ODOL models: borrowed and decoded data, lists and their counts, tables and their locations must agree.

use std::borrow::Cow;
use std::path::Path;

use meshpeek::inspect::to_bytes;
use meshpeek::odol::{Encoding, IndexBlock, Indices, Lod, Model, Motion, RenderFlags, VertexTable};
use meshpeek::scan::{Depth, Scan};
use meshpeek::schema::{Schema, records};
use meshpeek::summary::{Class, Problem, Problems};
use meshpeek::view::{Block, Element, Filled, Table};
use meshpeek::{Asset, Format, Inspect, Limits};
use zerocopy::IntoBytes;

use crate::views;

/// The maximum number of decoded elements of one array.
const ENOUGH: u64 = 1 << 20;

/// Items are equal by index, are inside the file, and follow each other. The last argument names their record, unless they
/// are none, such as texts.
macro_rules! list {
    ($list:expr, $data:expr, $record:literal) => {{
        let (list, schema) = ($list, record($record));
        for (_, span) in list.spanned() {
            assert!(span.bytes >= schema.min(), "{span:?} is shorter than {}", $record);
            assert!(schema.byte_len().is_none_or(|bytes| bytes == span.bytes), "{span:?} is no {}", $record);
        }
        list!(list, $data);
    }};
    ($list:expr, $data:expr) => {{
        let (list, data) = ($list, $data);
        let mut end = list.offset();
        for (_, span) in list.spanned() {
            assert_eq!(span.offset, end);
            end = span.offset + span.bytes;
        }
        assert_eq!(end, list.offset() + list.byte_len());
        assert!(end <= data.len() as u64);
        assert_eq!(list.iter().count(), list.len());
        assert!(list.get(list.len()).is_none() && list.get(0).is_some() != list.is_empty());
    }};
}

/// The description of a record, whose fields must fit its size.
fn record(name: &str) -> &'static Schema {
    for schema in records(Format::Odol) {
        if schema.name == name {
            assert!(schema.fields.iter().all(|field| !field.kind.to_string().is_empty()));
            let always = schema.fields.iter().filter(|field| field.gate.is_none());
            assert_eq!(always.map(|field| field.kind.min()).sum::<u64>(), schema.min());
            return schema;
        }
    }
    panic!("ODOL has no record {name}")
}

pub fn run(data: &[u8]) {
    crate::any::run(data);
    ahead(data);
    let limits = Limits::default().with_decoded_bytes(1 << 26);
    let Ok(model) = Model::parse_with(data, &limits) else { return };
    assert!(model.info().is_ok() || model.whole().is_err());
    version(&model);
    if let Ok(info) = model.info() {
        block(&info.masses, data);
        if let Some(skeleton) = &info.skeleton {
            list!(&skeleton.bones, data, "Bone");
            assert_eq!(skeleton.bones.len(), info.bone_count());
        }
        let v = model.version();
        assert_eq!(
            info.special_lods.iter().count(),
            12 + usize::from(v.has_simple_geometry()) + usize::from(v >= 54) + usize::from(v.is_dayz(54))
        );
    }
    if let Some(animations) = model.animations() {
        list!(&animations.animations, data, "Animation");
        for animation in &animations.animations {
            let (is_hidden, motion) = (animation.kind.name() == Some("hide"), animation.motion());
            assert_eq!(is_hidden, matches!(motion, Motion::Hide { .. }), "{animation:?} moves by {motion:?}");
        }
        list!(&animations.bone_animations, data, "BoneAnimations");
        list!(&animations.animation_axes, data);
        assert!(animations.animation_axes.iter().all(|axes| axes.iter().count() == animations.animations.len()));
    }
    let mut taken = Vec::new();
    let (mut triangles, mut is_whole) = (Vec::new(), model.whole().is_ok());
    for entry in model.lods() {
        let again = model.lod_entry(entry.index).map(|again| (again.index, again.start, again.end));
        assert_eq!(again, Some((entry.index, entry.start, entry.end)));
        let is_default = model.use_defaults().get(entry.index).map(|flag| *flag == 0);
        assert!(is_default.is_none_or(|is| is == model.face_default(entry.index).is_some()), "{entry:?}");
        if let Ok(Some(lod)) = model.lod(entry.index) {
            assert!(entry.start <= entry.end && entry.end as usize <= data.len());
            let table = lod.vertex_table_offset()..lod.vertex_table_offset() + lod.vertex_table_byte_len();
            match model.version().is_flashpoint() {
                false => assert_eq!(table.end, u64::from(entry.end)),
                true => assert_eq!(table.start, u64::from(entry.start)),
            }
            taken.push(entry.start..entry.end);
            self::lod(&lod, data);
            let corners: Result<Vec<_>, _> =
                lod.faces.iter().map(|face| face.map(|face| face.corners.iter().count() as u64)).collect();
            is_whole &= corners.is_ok();
            let of_lod = corners.unwrap_or_default().iter().map(|corners| corners - 2).sum();
            triangles.push((entry.resolution.0, of_lod));
        } else {
            is_whole &= model.lod(entry.index).is_ok();
        }
    }
    if is_whole {
        crate::any::same_triangles(&model.summarize().counts, &triangles);
    }
    taken.sort_by_key(|range| (range.start, range.end));
    assert!(taken.windows(2).all(|pair| pair[0].end <= pair[1].start), "a byte is part of two LODs");
    assert!(model.lod(model.lod_count()).unwrap().is_none());
    if let Ok(Some(trailer)) = model.trailer() {
        for (_, shapes) in trailer.shapes() {
            list!(&shapes.shapes, data, "Shape");
            assert!(
                shapes
                    .shapes
                    .iter()
                    .all(|shape| shape.cooked.offset() + shape.cooked.len() as u64 <= data.len() as u64)
            );
        }
        if let Some(buoyancy) = trailer.buoyancy {
            let places = buoyancy.grid.grid().iter().map(|&count| count as u64).product::<u64>();
            assert_eq!(places, buoyancy.spheres.len() as u64);
        }
    }
}

/// A model whose data is decoded while streams are found, as in a scan, equals one whose data is decoded on demand.
fn ahead(data: &[u8]) {
    let Ok(asset) = Asset::parse(data) else { return };
    let record = |depth, digests| {
        let mut scan = Scan::new(["a.p3d"]);
        (scan.depth, scan.digests) = (depth, digests);
        scan.record(Path::new("a.p3d"), data)
    };
    let mut problems = Problems::new(&Limits::default());
    asset.verify(&mut problems);
    let (problems, found) = (problems.into_vec(), record(Depth::Verify, false).summary.problems);
    let is_spent = |problems: &[Problem]| problems.iter().any(|problem| problem.code.class() == Class::Limit);
    if is_spent(&problems) || is_spent(&found) {
        return;
    }
    assert_eq!(found, problems);
    assert_eq!(record(Depth::Verify, true).digests, record(Depth::Summary, true).digests);
}

/// Assertions for a version number.
fn version(model: &Model<'_>) {
    let version = model.version();
    assert!(matches!(version.layout(), 7 | 40..=75) && !version.game().is_empty(), "{version}");
    assert!(!version.is_vbs() || version.dialect().name() != "DayZ");
    assert!(!version.evidence().to_string().is_empty());
    assert!(model.info().is_err() || model.start().is_some());
    assert!(format!("{model:?}").len() < 100);
    if let Ok(info) = model.info() {
        let center = info.to_model_space([0.0; 3]);
        assert_eq!(center.map(f32::to_bits), info.bounding_center.map(|part| (part + 0.0).to_bits()));
    }
}

fn lod(lod: &Lod<'_>, data: &[u8]) {
    list!(&lod.proxies, data, "Proxy");
    list!(&lod.bone_links, data);
    list!(&lod.textures, data);
    list!(&lod.materials, data, "Material");
    list!(&lod.sections, data, "Section");
    list!(&lod.selections, data, "Selection");
    list!(&lod.properties, data, "Property");
    list!(&lod.frames, data, "Frame");
    indices(&lod.point_to_vertex, data);
    indices(&lod.vertex_to_point, data);
    for material in &lod.materials {
        list!(&material.stages, data, "Stage");
        let (flags, shader) = (material.render_flags, material.pixel_shader);
        let is_split = |flags: RenderFlags| flags.names().count() as u32 + flags.unknown_bits().count_ones();
        assert!(flags.is_none_or(|flags| is_split(flags) == flags.0.count_ones()), "{flags:?}");
        assert!(shader.description().is_none() || shader.stage_count().is_some() || shader.name().is_some());
        for stage in material.all_stages() {
            let named = stage.transform.and_then(|index| material.transforms.get(index as usize));
            assert_eq!(material.transform_of(&stage).is_some(), stage.own_transform.or(named).is_some());
        }
    }
    for selection in lod.selections.iter().take(64) {
        indices(&selection.faces, data);
        block(&selection.sections, data);
        indices(&selection.vertices, data);
        block(&selection.weights, data);
    }
    if let Some(flags) = &lod.point_flags {
        assert_eq!(flags.count(), u64::from(lod.point_count));
        filled(flags, data);
    }
    faces(lod);
    if let Ok(table) = lod.vertex_table() {
        let positions = lod.positions().expect("what is found from the whole table is found alone");
        assert_eq!((positions.offset(), positions.count()), (table.positions.offset(), table.positions.count()));
        vertices(&table, data);
    }
}

fn faces(lod: &Lod<'_>) {
    let mut end = 0;
    let mut is_sound = true;
    for face in lod.faces.iter() {
        match face {
            Ok(face) => {
                assert!(matches!(face.corners.len(), 2..=4));
                assert_eq!(*face.corners.to_native(), *face.corners.iter().collect::<Vec<_>>());
                views::both_ways(|| face.corners.iter());
                assert!(!face.corners.is_empty());
                assert!(face.corners.iter().enumerate().all(|(place, corner)| face.corners.get(place) == Some(corner)));
                end += face.memory_byte_len();
            }
            Err(_) => is_sound = false,
        }
    }
    if is_sound && lod.faces.has_units() {
        assert_eq!(lod.faces.range(0..end).ok(), Some(0..lod.faces.len()));
        let unit = if lod.faces.is_wide() { 4 } else { 2 };
        assert_eq!(u64::from(end), lod.faces.byte_len() + (unit - 1) * lod.faces.len() as u64);
    }
    for section in lod.sections.iter().take(16) {
        if let Ok(range) = lod.faces.range(section.memory_range()) {
            assert!(range.start <= range.end && range.end <= lod.faces.len());
        }
    }
}

fn vertices(table: &VertexTable<'_>, data: &[u8]) {
    block(&table.positions, data);
    block(&table.bone_refs, data);
    block(&table.neighbors, data);
    if let Some(flags) = &table.point_flags {
        filled(flags, data);
    }
    for set in table.uv_sets().take(8) {
        match &set.stored {
            Encoding::Packed(array) => filled(array, data),
            Encoding::Float(array) => filled(array, data),
        }
        if set.count() < ENOUGH {
            assert!(set.decode().ok().is_none_or(|all| all.len() as u64 == set.count()));
        }
    }
    match &table.normals {
        Encoding::Packed(array) => filled(array, data),
        Encoding::Float(array) => filled(array, data),
    }
    match &table.tangents {
        Encoding::Packed(array) => block(array, data),
        Encoding::Float(array) => block(array, data),
    }
    if table.normals.count() < ENOUGH
        && let (Ok(normals), Ok(outward)) = (table.normals.decode(), table.normals.decode_outward())
    {
        let turned = normals.iter().flatten().zip(outward.iter().flatten());
        assert!(turned.into_iter().all(|(a, b)| *a == -b || a.is_nan()));
    }
}

fn indices(numbers: &IndexBlock<'_>, data: &[u8]) {
    match numbers {
        Indices::U16(numbers) => block(numbers, data),
        Indices::U32(numbers) => block(numbers, data),
    }
    if numbers.count() > ENOUGH {
        return;
    }
    if let Ok(decoded) = numbers.decode() {
        assert_eq!((decoded.len() as u64, decoded.is_empty()), (numbers.count(), numbers.count() == 0));
        assert!(to_bytes(numbers, &Limits::default()).is_ok_and(|bytes| bytes == decoded.as_bytes()));
        assert!(numbers.in_place().is_none_or(|rows| rows.bytes == decoded.as_bytes()));
        assert!(numbers.columns().len() == 1 && numbers.offset() < data.len() as u64);
    }
}

/// A block is the same borrowed, decoded and read as a table, and is inside the file.
fn block<T: Element>(block: &Block<'_, T>, data: &[u8]) {
    assert!(block.offset() + block.stored_byte_len() <= data.len() as u64);
    if block.count() > ENOUGH {
        return;
    }
    let decoded = block.decode();
    match block.borrowed() {
        Some(array) => {
            assert!(matches!(&decoded, Ok(Cow::Borrowed(all)) if std::ptr::eq(*all, array.as_slice())));
            assert_eq!(array.len() as u64, block.count());
        }
        None => assert!(!matches!(decoded, Ok(Cow::Borrowed(_)))),
    }
    if let Ok(decoded) = decoded {
        assert_eq!(decoded.as_bytes().len() as u64, block.decoded_byte_len());
        views::native(&block.to_native().expect("what decodes decodes to numbers too"), &decoded);
        assert!(to_bytes(block, &Limits::default()).is_ok_and(|bytes| bytes == decoded.as_bytes()));
        let mut into = decoded.to_vec();
        into.as_mut_bytes().fill(0xaa);
        assert!(block.decode_into(&mut into).is_ok() && into.as_bytes() == decoded.as_bytes());
        into.push(T::new_zeroed());
        assert!(block.decode_into(&mut into).is_err(), "as many elements as there are, and one more");
    }
}

fn filled<T: Element>(array: &Filled<'_, T>, data: &[u8]) {
    match (array.fill(), array.block()) {
        (Some(value), None) => {
            let last = array.count().checked_sub(1).and_then(|last| array.get(usize::try_from(last).unwrap()));
            assert!(last.is_none_or(|last| std::ptr::eq(last, value)));
            assert!(array.storage().offset < data.len() as u64);
            if array.count() < 1 << 12 {
                let all = array.decode().expect("few elements of one value");
                views::native(&array.to_native().expect("the same as numbers"), &all);
            }
        }
        (None, Some(stored)) => {
            block(&stored, data);
            let first = stored.borrowed().and_then(|stored| stored.get(0));
            assert_eq!(array.get(0).map(std::ptr::from_ref), first.map(std::ptr::from_ref));
            assert!(array.count() > 1 << 12 || array.to_native().is_ok() == array.decode().is_ok());
        }
        _ => panic!("an array is one value or a block"),
    }
}
