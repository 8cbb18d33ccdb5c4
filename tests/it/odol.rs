//! ODOL models: written data is read back, unrequested data is not decoded, and errors have a location.

use std::ops::ControlFlow;

use meshpeek::codec::activity;
use meshpeek::dissect::{LineKind, dissect};
use meshpeek::inspect::{Inspect, Outline, PartArray, Visitor, to_bytes};
use meshpeek::odol::{Dialect, Encoding, Filter, IndexBlock, Indices, Lod, Model, Motion, PackedUv, Resolution};
use meshpeek::summary::{Problems, Severity};
use meshpeek::view::{ByteStr, LeArray, Packing, Table};
use meshpeek::{Budget, ErrorKind, Limits};
use zerocopy::little_endian::I32;

use crate::dissect::overview_covers;
use crate::memory::usage_of;
use crate::support::files::{files, outside_file};
use crate::writer::bytes::Bytes;
use crate::writer::odol::{self as writer, Array, BONES};

const ANNIE: &str = "odol/annie_original.p3d";

fn full() -> bool {
    std::env::var_os("MESHPEEK_FULL").is_some()
}

/// All available ODOL files that open.
fn models(files: &[(std::path::PathBuf, Vec<u8>)]) -> impl Iterator<Item = (String, Model<'_>)> {
    files.iter().filter(|(path, _)| path.extension().is_some_and(|ending| ending == "p3d")).filter_map(
        |(path, bytes)| {
            let sound = !path.starts_with("corpus/hostile");
            match Model::parse(bytes) {
                Ok(model) => sound.then(|| (path.display().to_string(), model)),
                Err(error) => {
                    assert!(!sound || bytes.starts_with(b"MLOD"), "{}: {error}", path.display());
                    None
                }
            }
        },
    )
}

fn lods<'a>(model: &Model<'a>) -> Vec<Lod<'a>> {
    (0..model.lod_count()).map(|index| model.lod(index).unwrap().unwrap()).collect()
}

#[test]
fn written_models_are_read_in_every_version() {
    for (version, line) in versions() {
        let layout = if line == Dialect::DayZ { 52 } else { version % 10_000 };
        let (vbs, dayz) = (line == Dialect::Vbs, line == Dialect::DayZ);
        for points in [12, 300, 1100] {
            // The packers are slow: one large file of each kind is enough.
            let is_kind = match points {
                12 => true,
                300 => version == 7,
                _ => matches!(version, 43..=55 | 59 | 63 | 64 | 68 | 69 | 75),
            };
            if !is_kind {
                continue;
            }
            let written = writer::Model { vbs, dayz, ..writer::whole(version, points) };
            let bytes = written.to_vec();
            let model = Model::parse(&bytes).unwrap();
            let mut problems = Problems::new(&Limits::default());
            model.verify(&mut problems);
            assert_eq!(problems.into_vec(), [], "version {version} {line:?}");
            assert_eq!((model.version().stored(), model.version().dialect()), (version, line));
            let start = model.start().unwrap();
            assert_eq!(start.encryption, (layout >= 75).then_some([0.into(); 2]));
            assert_eq!(start.app_id, (layout >= 59).then_some(107_410));
            assert_eq!(
                start.muzzle_flash.map(|name| name.to_string()).as_deref(),
                (layout >= 58).then_some("flash\\muzzle")
            );
            let info = model.info().unwrap();
            assert_eq!(info.thermal, (layout >= 42 || vbs).then_some([60.0, 900.0, 150.0, 5.0]));
            assert_eq!(info.metabolism, (layout >= 43 || vbs).then_some([0.5, 37.0]));
            assert_eq!(info.shadow_offset, (layout >= 48).then_some(f32::MAX));
            assert_eq!(info.bbox_visual_min.zip(info.bbox_visual_max), (layout >= 52).then_some(([-3.0; 3], [3.0; 3])));
            assert_eq!(info.lod_density, (layout >= 70).then_some(0.75));
            assert_eq!(info.draw_importance, (layout >= 71).then_some(1.25));
            assert_eq!(info.explosion_shielding, (layout >= 72).then_some(0.5));
            assert_eq!(info.ai_covers, (layout >= 73).then_some(true));
            assert_eq!((info.dayz_flag, info.dayz_factor), (dayz.then_some(1), dayz.then_some(1.0)));
            assert_eq!(info.dayz_byte, (dayz && version >= 55).then_some(0));
            let numbers =
                |lods: Option<LeArray<'_, I32>>| lods.map(|lods| lods.iter().map(|n| n.get()).collect::<Vec<_>>());
            assert_eq!(numbers(info.shadow_volumes), (layout >= 57).then(|| vec![-1, 0, 1]));
            assert_eq!(numbers(info.shadow_buffers), (layout >= 57).then(|| vec![2, 3, 4]));
            assert_eq!(numbers(info.visible_shadow_buffers), (layout >= 57).then(|| vec![5, 6, 7]));
            let special = info.special_lods;
            assert_eq!(special.geometry_simple, (layout >= 53).then_some(-1));
            assert_eq!(special.geometry_physics, (layout >= 54).then_some(-1));
            assert_eq!(special.unknown, (dayz && version >= 54).then_some(-1));
            assert_eq!([special.memory, special.geometry, special.fire_geometry, special.view_geometry], [-1, 0, 0, 0]);
            assert_eq!([special.view_pilot, special.hit_points], [-1, -1]);
            assert_eq!(info.bbox_min, [-4.0; 3]);
            assert_eq!(info.to_model_space([0.5, 0.0, 0.0]), [1.5, 2.0, 3.0]);
            let later = |name: &'static str| (layout >= 40).then(|| name.to_owned());
            let text = |text: Option<ByteStr<'_>>| text.map(|text| text.to_string());
            assert_eq!((text(info.class), text(info.damage)), (later("house"), later("building")));
            assert_eq!((info.map_type.name(), info.min_shadow), (Some("House"), (layout >= 40).then_some(3)));
            assert_eq!(info.masses.decode().unwrap().iter().map(|m| m.get()).collect::<Vec<_>>(), written.masses);
            assert_eq!(info.skeleton.is_some(), layout >= 40);
            let bones: Vec<_> =
                info.skeleton.iter().flat_map(|s| s.bones.iter()).map(|bone| (bone.name, bone.parent)).collect();
            assert!(bones.iter().zip(BONES).all(|((name, parent), (n, p))| *name == n && *parent == p));
            let pivots = info.skeleton.and_then(|skeleton| skeleton.pivots);
            assert_eq!(text(pivots).as_deref(), (layout > 40 && !vbs).then_some("pivots"));
            let face_default = model.face_default(0);
            let faces = face_default.map(|default| default.faces as usize);
            assert_eq!(faces, (layout >= 40).then_some(written.lods[0].faces.len()));
            for animation in model.animations().iter().flat_map(|animations| animations.animations.iter()) {
                assert_eq!(animation.period, (layout >= 56).then_some([2.0, 0.5]));
                if let Motion::Hide { from, to } = animation.motion() {
                    assert_eq!((from, to), (0.75, (layout >= 55).then_some(-1.0)));
                }
            }
            let lods = lods(&model);
            assert_eq!(lods.len(), written.lods.len());
            for (lod, written) in lods.iter().zip(&written.lods) {
                same_lod(lod, written, layout);
            }
            let packing = lods[0].positions().unwrap().packing();
            let expected = if layout < 44 { Packing::Lzss } else { Packing::Lzo };
            assert_eq!(packing, if points > 1000 { expected } else { Packing::InPlace });
            same_trailer(&model, layout);
        }
    }
}

/// All supported versions, in all dialects.
fn versions() -> impl Iterator<Item = (u32, Dialect)> {
    let arma = std::iter::once(7).chain(40..=75).map(|version| (version, Dialect::Arma));
    let vbs = (40..=43).chain(10_040..=10_043).map(|version| (version, Dialect::Vbs));
    arma.chain(vbs).chain((53..=55).map(|version| (version, Dialect::DayZ)))
}

fn same_trailer(model: &Model<'_>, layout: u32) {
    let trailer = model.trailer().unwrap();
    assert_eq!(trailer.is_some(), layout >= 58);
    let Some(trailer) = trailer else { return };
    let has_shapes = layout >= 68 || layout > 60 && layout % 2 == 1;
    let floats = has_shapes || [59, 62, 66].contains(&layout);
    assert_eq!((trailer.buoyancy_kind, trailer.buoyancy.is_some()), (if floats { 2 } else { 0 }, floats));
    let names =
        if has_shapes { &["components", "roadway", "mirrored_components", "mirrored_roadway"][..] } else { &[] };
    assert_eq!(trailer.shapes().map(|(name, _)| name).collect::<Vec<_>>(), names);
    for (name, shapes) in trailer.shapes() {
        assert_eq!(shapes.physx_version.to_text(), "4.1.1");
        let found: Vec<_> = shapes.shapes.iter().map(|shape| (shape.cooked.len(), shape.bone)).collect();
        match name.ends_with("roadway") {
            false => assert_eq!(found, [(8, None), (9, None)]),
            true => assert_eq!(found, [(4, Some(-1)), (4, Some(0)), (4, Some(1))]),
        }
    }
    if let Some(buoyancy) = trailer.buoyancy {
        assert_eq!(
            (buoyancy.grid.grid(), buoyancy.grid.step(), buoyancy.grid.radius.get()),
            ([2, 1, 3], [0.5; 3], 0.25)
        );
        assert_eq!(
            (buoyancy.grid.sphere_counts.map(I32::get), buoyancy.spheres.len(), buoyancy.volume),
            ([1, 8], 6, 3.5)
        );
        assert_eq!(buoyancy.spheres.get(1).map(|sphere| sphere.surface.get()), Some(9.0));
        let bbox = has_shapes.then_some(([0.0; 3], [1.0, 0.0, 1.0]));
        assert_eq!(buoyancy.bbox_min.zip(buoyancy.bbox_max), bbox);
    }
}

/// Checks that a LOD equals the one that was written.
fn same_lod(lod: &Lod<'_>, written: &writer::Lod, version: u32) {
    let is_flashpoint = version == 7;
    assert_eq!(lod.point_count as usize, written.positions.len());
    assert_eq!(lod.face_area, (version >= 51).then_some(2.5));
    assert_eq!(lod.point_flags.is_some(), (40..50).contains(&version));
    assert_eq!(lod.faces.is_wide(), version >= 69);
    let faces = lod.faces.iter().map(|face| face.unwrap());
    let corners: Vec<Vec<u32>> = faces.clone().map(|face| face.corners.iter().collect()).collect();
    assert_eq!(corners, written.faces.iter().map(|face| wide(face)).collect::<Vec<_>>());
    assert!(faces.clone().all(|face| face.texture == is_flashpoint.then_some(-1)));
    assert!(faces.clone().all(|face| face.flags == is_flashpoint.then_some(0x20)));
    let mut next = 0;
    for (section, (count, texture, material)) in lod.sections.iter().zip(&written.sections) {
        let range = lod.faces.range(section.memory_range());
        assert_eq!(range.ok(), (!is_flashpoint).then_some(next..next + count));
        assert_eq!((section.texture, section.material.or(section.game_material)), (*texture, Some(*material)));
        assert_eq!(section.material_name.is_some(), *material == -1 && !is_flashpoint);
        let flag = section.collimator_flag;
        assert_eq!(flag, (version >= 67).then_some(i32::from(next > 0)));
        assert_eq!(section.collimator.is_some(), flag == Some(1));
        next += count;
    }
    assert_eq!(lod.sections.len(), written.sections.len());
    let links: Vec<[i32; 4]> =
        lod.proxies.iter().map(|p| [p.sequence, p.selection, p.bone.unwrap_or(-1), p.section.unwrap_or(-1)]).collect();
    let proxies = written.proxies.iter().map(|&[sequence, selection, bone, section]| {
        if is_flashpoint { [sequence, selection, -1, -1] } else { [sequence, selection, bone, section] }
    });
    assert_eq!(links, proxies.collect::<Vec<_>>());
    if !is_flashpoint {
        assert_eq!(lod.bones.iter().map(|item| item.get()).collect::<Vec<_>>(), written.items);
        assert_eq!(lod.bone_links.get(2).map(|links| links.len()), written.bone_links.get(2).map(Vec::len));
    }
    let numbers = |block: IndexBlock<'_>| {
        assert_eq!(matches!(block, Indices::U32(_)), version >= 69);
        block.decode().unwrap().iter().collect::<Vec<_>>()
    };
    assert_eq!(numbers(lod.point_to_vertex), wide(&written.edges[0]));
    assert_eq!(numbers(lod.vertex_to_point), wide(&written.edges[1]));
    for (selection, written) in lod.selections.iter().zip(&written.selections) {
        assert_eq!(selection.name.to_text().as_deref(), Some(written.name));
        assert_eq!(numbers(selection.faces), wide(&written.faces));
        let details = selection.face_weights.zip(selection.face_offsets);
        let details = details.map(|(weights, offsets)| [weights.count(), offsets.count()]);
        assert_eq!(details, is_flashpoint.then_some([written.faces.len() as u64; 2]));
        assert_eq!(numbers(selection.vertices), wide(&written.vertices));
        assert_eq!(*selection.weights.decode().unwrap(), written.weights);
        assert_eq!(selection.sections.count() as usize, written.sections.len());
    }
    assert_eq!(lod.properties.len(), written.properties.len());
    assert_eq!(lod.frames.iter().map(|frame| frame.positions.len()).collect::<Vec<_>>(), {
        written.frames.iter().map(Vec::len).collect::<Vec<_>>()
    });
    let table = lod.vertex_table().unwrap();
    let after = if version >= 68 { 5 } else { u64::from(version >= 67) * 4 };
    assert_eq!(table.vertex_table_bytes.map(u64::from), (!is_flashpoint).then(|| lod.vertex_table_byte_len() - after));
    assert_eq!(table.unknown, (version >= 67).then_some(0));
    assert_eq!(table.last_byte, (version >= 68).then_some(1));
    assert_eq!(table.uv_sets().count(), if is_flashpoint { 1 } else { written.uvs.len() });
    let positions: Vec<[f32; 3]> = table.positions.decode().unwrap().iter().map(|p| p.to_array()).collect();
    assert_eq!(positions, written.positions);
    for (set, written) in table.uv_sets().zip(&written.uvs) {
        let decoded = set.decode().unwrap();
        match written {
            Array::Fill(_, count) => assert_eq!(decoded, vec![decoded[0]; *count as usize]),
            Array::Each(raw) => {
                assert_eq!(decoded.len(), raw.len());
                for (coordinate, &[u, _]) in decoded.iter().zip(raw) {
                    assert!((coordinate[0] * 65534.0 - 32767.0 - f32::from(u)).abs() < 0.1);
                }
            }
        }
    }
    let normals = table.normals.decode().unwrap();
    let outward = table.normals.decode_outward().unwrap();
    if let Array::Each(written) = &written.normals {
        for ((inward, outward), written) in normals.iter().zip(outward).zip(written) {
            let written = written.map(|axis| axis as f32 / 511.0);
            assert_eq!(outward, written);
            assert_eq!(*inward, written.map(|axis| -axis));
        }
    }
    assert_eq!(table.tangents.decode().unwrap().len(), if is_flashpoint { 0 } else { written.tangents.len() });
    for (bones, written) in table.bone_refs.decode().unwrap().iter().zip(&written.bone_refs) {
        let pairs: Vec<(u8, u8)> = bones.weights().iter().map(|pair| (pair.bone, pair.weight)).collect();
        assert_eq!(pairs, written.iter().copied().filter(|pair| pair.1 > 0).collect::<Vec<_>>());
    }
    for (neighbors, written) in table.neighbors.decode().unwrap().iter().zip(&written.neighbors) {
        assert_eq!(neighbors.pair.map(|neighbor| neighbor.vertex.get()), *written);
    }
}

fn wide(numbers: &[u16]) -> Vec<u32> {
    numbers.iter().map(|&number| number.into()).collect()
}

#[test]
fn animations_are_read_with_bones_and_axes() {
    let bytes = writer::whole(49, 12).to_vec();
    let model = Model::parse(&bytes).unwrap();
    let animations = model.animations().unwrap();
    let kinds: Vec<_> = animations.animations.iter().filter_map(|animation| animation.kind.name()).collect();
    assert_eq!(kinds.len(), 10);
    assert_eq!(
        animations.animations.get(4).map(|animation| animation.motion()),
        Some(Motion::Translation([0.0, 0.25]))
    );
    let direct = animations.animations.get(8).unwrap().motion();
    assert!(matches!(direct, Motion::Direct { angle: 0.5, offset: 0.125, .. }), "{direct:?}");
    assert_eq!((animations.bone_animations.len(), animations.animation_axes.len()), (3, 3));
    for axes in &animations.animation_axes {
        let axes: Vec<_> = axes.iter().collect();
        assert_eq!(axes.iter().map(|axis| axis.bone).collect::<Vec<_>>(), [-1, 1, 2, 0, 1, 2, 0, 1, 2, 0]);
        let with_axis: Vec<bool> = axes.iter().map(|axis| axis.position.is_some()).collect();
        assert_eq!(with_axis, [false, true, true, true, true, true, true, true, false, false]);
    }
    let moved: Vec<_> = animations
        .bone_animations
        .get(2)
        .unwrap()
        .bones
        .iter()
        .map(|list| list.iter().map(|n| n.get()).collect::<Vec<_>>())
        .collect();
    assert_eq!(moved, [[3, 6, 9], [1, 4, 7], [2, 5, 8]]);
}

#[test]
fn materials_of_all_kinds_and_both_forms_are_read() {
    let of = |kind: u32, other: bool| {
        let lod = writer::Lod { materials: vec![writer::material(kind, 2, other)], ..writer::Lod::strip(1.0, 5) };
        writer::Model::new(50, vec![lod]).to_vec()
    };
    for (kind, other) in (3..=11).chain([16, 20]).map(|kind| (kind, false)).chain([(7, true), (8, true), (11, true)]) {
        let bytes = of(kind, other);
        let lod = Model::parse(&bytes).unwrap().lod(0).unwrap().unwrap();
        let material = lod.materials.get(0).unwrap();
        assert_eq!(material.kind, kind);
        assert_eq!(material.pixel_shader.name(), Some("Super"));
        assert_eq!(material.specular_2.to_array(), [1.25, 1.3125, 1.375, 1.4375]);
        let constants = [0.0, 0.0, -1.0, 30.0, 45.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        assert_eq!(material.last_constants.map(|all| all.to_array()), (kind == 20).then_some(constants));
        assert_eq!(material.constants.map(|all| all[7]), (kind >= 16).then_some(0.99));
        assert_eq!(material.more_constants.map(|all| all[5]), (kind >= 16).then_some(1.0));
        assert_eq!(material.specular_power, 20.0);
        assert_eq!(material.unknown, (kind == 3).then_some(1));
        assert_eq!(material.surface.is_some(), kind >= 6);
        assert_eq!(material.render_flags.map(|flags| flags.0), (kind >= 4).then_some(0x80));
        assert_eq!(material.stages.len(), if kind > 6 { 2 } else { 0 });
        assert_eq!(material.thermal_stage.is_some(), kind >= 10);
        for stage in material.all_stages() {
            assert_eq!(stage.filter, Filter(3));
            let transform = material.transform_of(&stage).map(|transform| transform.uv_source().name());
            assert_eq!(transform, (!(other && kind < 9)).then_some(Some("Tex1")), "kind {kind}, {other}");
        }
        let extra: Vec<bool> = material.all_stages().map(|stage| stage.use_world_environment.is_some()).collect();
        let expected = (0..extra.len()).map(|stage| kind >= 11 && (stage == 2 || !other)).collect::<Vec<_>>();
        assert_eq!(extra, expected);
    }
}

#[test]
fn nothing_is_decoded_before_it_is_read() {
    for bytes in outside_file(ANNIE).into_iter().chain([writer::whole(50, 1100).to_vec()]) {
        let start = activity();
        let model = Model::parse(&bytes).unwrap();
        assert_eq!(activity().decodes, start.decodes);
        // In the header, only the masses may have to be walked, if they are compressed.
        assert_eq!(activity().walks - start.walks, u64::from(model.info().unwrap().masses.borrowed().is_none()));
        let opened = activity();
        let resolutions: Vec<Resolution> = model.lods().map(|entry| entry.resolution).collect();
        assert_eq!(resolutions.len(), model.lod_count());
        assert_eq!(activity(), opened);
        let summary = model.summarize();
        assert!(summary.blocks.packed > 0);
        assert_eq!(activity().decodes, start.decodes, "a summary decodes nothing");
        let lod = model.lod(0).unwrap().unwrap();
        let before = activity();
        let positions = lod.positions().unwrap();
        assert_eq!(activity().decodes, before.decodes);
        // Flags, coordinate sets and the positions themselves.
        assert!(activity().walks - before.walks <= 5);
        let points = positions.decode().unwrap().len();
        assert_eq!((activity().decodes - before.decodes, points), (1, lod.point_count as usize));
    }
}

#[test]
fn finding_every_array_takes_no_memory() {
    let files = files();
    for (name, model) in models(&files) {
        let (arrays, usage) = usage_of(|| {
            let mut arrays = 0_u64;
            for index in 0..model.lod_count() {
                let lod = model.lod(index).unwrap().unwrap();
                let table = lod.vertex_table().unwrap();
                arrays += table.uv_sets().map(|set| set.count()).sum::<u64>() + table.normals.count();
                arrays += lod.selections.iter().map(|selection| selection.vertices.count()).sum::<u64>();
                arrays += lod.materials.iter().map(|material| material.stages.len() as u64).sum::<u64>();
                arrays += lod
                    .sections
                    .iter()
                    .map(|section| section.area_over_texture.map_or(0, |areas| areas.len() as u64))
                    .sum::<u64>();
            }
            arrays
        });
        // Nothing, except for the error of a first reading if materials can be read in two ways.
        assert!(usage.total <= 4096, "{name}: {arrays} elements found with {usage:?}");
        let mut count = Count(0);
        let ((), usage) = usage_of(|| model.outline(&mut Outline::new(&mut count)));
        assert!(usage.peak <= 64 << 10, "{name}: {} arrays reported with {usage:?}", count.0);
    }
}

struct Count(usize);

impl Visitor for Count {
    fn array(&mut self, _: &PartArray<'_>) {
        self.0 += 1;
    }

    fn problem(&mut self, error: &meshpeek::Error) {
        panic!("{error}");
    }
}

/// Every compressed array of one codec, with its stored bytes.
struct Streams<'f> {
    file: &'f [u8],
    packing: Packing,
    take: &'f mut dyn FnMut(&[u8], &dyn Table),
}

impl Visitor for Streams<'_> {
    fn array(&mut self, array: &PartArray<'_>) {
        let table = array.table;
        let storage = table.storage();
        if storage.packing == self.packing {
            let start = storage.offset as usize;
            (self.take)(&self.file[start..start + storage.bytes as usize], table);
        }
    }

    fn problem(&mut self, error: &meshpeek::Error) {
        panic!("{error}");
    }
}

#[test]
fn streams_end_where_another_decoder_ends_them() {
    let files = files();
    let mut streams = 0;
    for (path, bytes) in &files {
        if path.starts_with("corpus/hostile") {
            continue;
        }
        let Ok(model) = Model::parse(bytes) else { continue };
        let mut take = |stream: &[u8], table: &dyn Table| {
            streams += 1;
            let decoded = to_bytes(table, &Limits::default()).unwrap();
            let mut out = vec![0; decoded.len()];
            // It rejects leftover input and input that is cut short.
            lzo1x::decompress(stream, &mut out).unwrap();
            assert_eq!(out, decoded);
            assert!(lzo1x::decompress(&stream[..stream.len() - 1], &mut out).is_err());
            assert!(lzo1x::decompress(&[stream, &[0]].concat(), &mut out).is_err());
        };
        model.outline(&mut Outline::new(&mut Streams { file: bytes, packing: Packing::Lzo, take: &mut take }));
    }
    println!("{streams} streams");
    assert!(streams > 50);
}

#[test]
fn packed_coordinates_span_their_bounds() {
    for name in [ANNIE, "odol/dog.p3d", "odol/Barbedwire.p3d", "odol/astan.p3d", "odol/proxy_man.p3d"] {
        let Some(bytes) = outside_file(name) else { return };
        let model = Model::parse(&bytes).unwrap();
        let mut sets = 0;
        for lod in lods(&model) {
            for set in lod.vertex_table().unwrap().uv_sets().filter(|set| set.count() > 0) {
                let Encoding::Packed(stored) = set.stored else { panic!("{name} is packed") };
                if stored.fill().is_some() {
                    continue;
                }
                sets += 1;
                let raw = stored.decode().unwrap();
                let span = |axis: fn(&PackedUv) -> i16| (raw.iter().map(axis).min(), raw.iter().map(axis).max());
                assert_eq!(span(|uv| uv.u.get()), (Some(-32767), Some(32767)), "{name}");
                assert_eq!(span(|uv| uv.v.get()), (Some(-32767), Some(32767)), "{name}");
                let bounds = set.bounds.unwrap();
                let decoded = set.decode().unwrap();
                for axis in [0, 1] {
                    let values = || decoded.iter().map(|uv| uv[axis]);
                    assert_eq!(values().fold(f32::MAX, f32::min), bounds.min[axis].get());
                    assert_eq!(values().fold(f32::MIN, f32::max), bounds.max[axis].get());
                }
            }
        }
        assert!(sets > 0, "{name}");
    }
}

#[test]
fn normals_have_unit_length_and_point_into_the_body() {
    let Some(bytes) = outside_file(ANNIE) else { return };
    let model = Model::parse(&bytes).unwrap();
    let dot = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let (mut unit, mut zero, mut outward, mut faces) = (0, 0, 0, 0);
    for entry in model.lods().filter(|entry| entry.resolution.is_visual()) {
        let lod = model.lod(entry.index).unwrap().unwrap();
        let table = lod.vertex_table().unwrap();
        let normals = table.normals.decode().unwrap();
        let tangents = table.tangents.decode().unwrap();
        for vector in normals.iter().chain(tangents.iter().flatten()) {
            match dot(*vector, *vector).sqrt() {
                0.0 => zero += 1,
                length => {
                    assert!((0.99..1.01).contains(&length), "{length}");
                    unit += 1;
                }
            }
        }
        let points: Vec<[f32; 3]> = table.positions.decode().unwrap().iter().map(|point| point.to_array()).collect();
        for face in lod.faces.iter() {
            let [a, b, c] = [0, 1, 2].map(|corner| face.as_ref().unwrap().corners.get(corner).unwrap() as usize);
            let from_a = |point: usize| [0, 1, 2].map(|axis| points[point][axis] - points[a][axis]);
            let ([x, y, z], [u, v, w]) = (from_a(b), from_a(c));
            let cross = [y * w - z * v, z * u - x * w, x * v - y * u];
            let inward = dot(cross, [0, 1, 2].map(|axis| normals[a][axis] + normals[b][axis] + normals[c][axis]));
            faces += 1;
            outward += u32::from(inward < 0.0);
        }
    }
    assert!(zero * 100 < unit, "{zero} zeros beside {unit} unit vectors");
    assert!(outward * 100 > faces * 95, "{outward} of {faces} normals lie against their faces");
}

#[test]
fn views_agree_on_every_file_and_on_damaged_ones() {
    for (index, (path, bytes)) in files().into_iter().enumerate() {
        if path.extension().is_none_or(|ending| ending != "p3d") {
            continue;
        }
        crate::fuzz_odol::run(&bytes);
        let rounds = if bytes.len() > 100_000 && !full() { 1 } else { 8_u8 };
        for round in 1..=rounds {
            let mut bent = bytes.clone();
            let place = (index + 1) * usize::from(round) * 7919 % bent.len();
            bent[place] = bent[place].wrapping_add(round.wrapping_mul(37));
            crate::fuzz_odol::run(&bent);
        }
    }
}

/// Asks every question, within little memory.
fn survives(bytes: &[u8]) {
    let limits = Limits::default();
    let ((), usage) = usage_of(|| {
        let Ok(model) = Model::parse_with(bytes, &limits) else { return };
        let _ = model.summarize();
        let mut problems = Problems::new(&limits);
        model.verify(&mut problems);
        for name in model.digest_names() {
            let _ = model.digest(name, &Budget::unlimited(&Limits::default()), &mut |_| {});
        }
    });
    assert!(usage.peak < 64 << 20, "{usage:?}");
}

#[test]
fn a_cut_model_is_an_error_or_a_record() {
    let Some(bytes) = outside_file(ANNIE) else { return };
    let tries = if full() { 1000 } else { 50 };
    for length in (0..tries).map(|cut| bytes.len() * cut / tries) {
        survives(&bytes[..length]);
    }
}

#[test]
fn a_bent_model_is_an_error_or_a_record() {
    let Some(mut bytes) = outside_file(ANNIE) else { return };
    let tries = if full() { 10_000 } else { 60 };
    // Half of the positions are in the header and the first parts of LODs, where structure is dense.
    for round in 0..tries {
        let place = match round % 2 {
            0 => bytes.len() / tries * round,
            _ => round * 7 % 8192,
        };
        let bend = 1 << (round % 8) | (round as u8).wrapping_mul(3);
        bytes[place] ^= bend;
        survives(&bytes);
        bytes[place] ^= bend;
    }
}

#[test]
fn relatives_are_named() {
    let said = |bytes: &[u8]| Model::parse(bytes).unwrap_err().to_string();
    let version = |number: u32| said(&Bytes::new().raw("ODOL").u32(number).u32(0).to_vec());
    assert_eq!(version(76), "at 0x4: ODOL version 76, newer than this reader (7 and 40 to 75)");
    assert_eq!(version(6), "at 0x4: ODOL version 6, older than this reader (7 and 40 to 75)");
    let untested = "at 0x4: ODOL version 39, untested: no file is known to test a reader with (7 and 40 to 75)";
    assert_eq!(version(39), untested);
    assert_eq!(said(b"MLOD\x01\x01\0\0"), "at 0x0: MLOD, a model as edited, which is another format");
    assert_eq!(said(b"\xffODOL\x32\0"), "at 0x0: ODOL model that is LZSS-packed as a whole");
    assert!(matches!(Model::parse(b"BB3D").unwrap_err().kind(), ErrorKind::Unrecognized(_)));
}

/// The errors of verify, as text.
fn problems(bytes: &[u8]) -> Vec<String> {
    let model = Model::parse(bytes).unwrap();
    let mut problems = Problems::new(&Limits::default());
    model.verify(&mut problems);
    let text = |problem: &meshpeek::summary::Problem| format!("{:#x} {}", problem.offset.unwrap_or(0), problem.message);
    problems.into_vec().iter().map(text).collect()
}

#[test]
fn a_broken_lod_hides_no_other() {
    let all: Vec<_> = writer::hostile();
    let file = |name: &str| all.iter().find(|(known, _)| *known == name).unwrap().1.clone();
    for (name, broken, said) in [
        ("range_overlaps.p3d", 1, "runs into that of lods[0]"),
        ("range_backwards.p3d", 0, "ends before it starts"),
        ("range_twice.p3d", 1, "runs into that of lods[0]"),
    ] {
        let bytes = file(name);
        let model = Model::parse(&bytes).unwrap();
        let error = model.lod(broken).unwrap_err();
        assert!(error.to_string().contains(said), "{name}: {error}");
        assert_eq!(error.location(), format!("lods[{broken}]"));
        if name != "range_backwards.p3d" {
            assert!(model.lod(1 - broken).is_ok(), "{name}");
        }
        assert!(model.lod(2).unwrap().is_none());
    }
    let bytes = file("cut.p3d");
    let model = Model::parse(&bytes).unwrap();
    assert!(model.lod(0).is_err());
    assert!(model.lod(1).is_ok() && model.lod(2).is_ok());
    assert_eq!(model.summarize().counts.get("vertices"), None);
    assert_eq!(model.summarize().counts.get("lods"), Some(3));
}

#[test]
fn an_error_in_a_field_has_its_name_and_offset() {
    let whole = || writer::whole(50, 12).bytes();
    let strip = || writer::Model::new(50, vec![writer::Lod::strip(1.0, 5)]).bytes();
    let at = |bytes: &Bytes, mark: &str| bytes.at(mark);
    // A mark, the bytes written there, the distance of the error from the mark, and its text.
    let cases: [(Bytes, &str, &[u8], usize, &str); 16] = [
        (strip(), "textures", &[0xff, 0xff, 0xff, 0xff], 4, "lods[0].textures: needs 4294967295 bytes, "),
        (strip(), "materials", &[0, 0, 0, 1], 4, "lods[0].materials: needs 2030043136 bytes, "),
        (strip(), "faces", &[5], 0, "lods[0].faces[0]: face of 5 corners, not 2 to 4"),
        (strip(), "face_count", &[0xff; 4], 10, "lods[0].faces[3]: face of "),
        (strip(), "sections", &[0, 0, 1, 0], 4, "lods[0].sections: needs 917504 bytes, "),
        (
            strip(),
            "section",
            &[8, 0, 0, 0],
            0,
            "lods[0].sections: 1 of 1 sections is not where the one before ends: 8 instead of 0 at index 0",
        ),
        (strip(), "section_texture", &[2, 0], 0, "lods[0].sections: 1 of 1 textures is not from -1 to 1: 2 at index 0"),
        (strip(), "frames", &[9, 0, 0, 0], 4, "lods[0].frames"),
        (strip(), "uv_count", &[0xff; 4], 4, "lods[0].uvs: needs "),
        (strip(), "positions", &[0, 0, 0, 1], 4, "lods[0].positions: "),
        (strip(), "fill", &[0xff; 4], 5, "lods[0].normals: 4294967295 elements for 5 points"),
        (strip(), "table_size", &[0], 0, "lods[0].vertex_table_bytes: says to take 0 bytes, the LOD ends after "),
        (whole(), "items", &[3, 0, 0, 0], 0, "lods[0].bones: 1 of 4 bones is not below 3: 3 at index 0"),
        (
            whole(),
            "bone_link",
            &[4, 0, 0, 0],
            0,
            "lods[0].bone_links: 1 of 4 bones is not below 4: 4 at index 0 of bone_links[2]",
        ),
        (whole(), "selection_vertices", &[0xff; 4], 4, "lods[0].selections[1].vertices: "),
        (whole(), "special_lods", &[3], 0, "info.special_lods.memory: 3 is not from 0 to 2"),
    ];
    for (bytes, mark, value, distance, said) in cases {
        let expected = at(&bytes, mark) + distance;
        let broken = bytes.set(mark, value).to_vec();
        let problems = problems(&broken);
        let found = problems.iter().find(|problem| problem.contains(said));
        let Some(found) = found else { panic!("{mark}: {said} is not among {problems:#?}") };
        if !matches!(mark, "section" | "section_texture" | "special_lods" | "face_count" | "frames") {
            assert!(found.starts_with(&format!("{expected:#x} ")), "{mark}: {found}, expected at {expected:#x}");
        }
    }
}

#[test]
fn point_flags_before_version_50_are_in_the_lod() {
    let bytes = writer::whole(43, 400).bytes();
    // After the count and the mark of a fill comes the first literal of the stream, whose checksum is now different.
    let literal = bytes.at("point_flags") + 6;
    let mut bytes = bytes.to_vec();
    bytes[literal] ^= 1;
    let found = problems(&bytes);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains(" lods[0].point_flags: LZSS checksum is "), "{found:?}");
}

#[test]
fn errors_in_the_header_say_where() {
    let whole = || writer::whole(50, 12).bytes();
    for (mark, value, said) in [
        ("lod_count", [0xff; 4], "more than 1024 LODs"),
        ("bone_count", [0xff; 4], "info.skeleton.bones at 0xdd: needs 8589934590 bytes"),
        ("masses", [0xff, 0, 0, 1], "info.masses at"),
        ("animation_kind", [10, 0, 0, 0], "animations[9].kind at"),
        ("animated_lods", [0xff, 0xff, 0xff, 0x7f], "bone_animations at 0x37b: needs"),
    ] {
        let broken = whole().set(mark, value).to_vec();
        let model = Model::parse(&broken).unwrap();
        let error = model.whole().unwrap_err();
        assert!(error.to_string().contains(said), "{mark}: {error}");
        let summary = model.summarize();
        assert_eq!((summary.version, summary.counts.get("vertices")), (Some(50), None));
        assert_eq!(summary.counts.get("lods"), (mark != "lod_count").then_some(3));
        assert_eq!(summary.counts.get("bones"), mark.starts_with("anim").then_some(3));
        assert_eq!(summary.bounds.is_some(), mark.starts_with("anim"));
    }
    let small = writer::Model::new(50, Vec::new()).bytes().set("lod_count", [0, 4, 0, 0]).to_vec();
    let error = Model::parse(&small).unwrap().whole().unwrap_err();
    assert!(error.to_string().starts_with("resolutions at 0xc: needs 4096 bytes"));
    // No animation, and -1 for the number of LODs.
    let mut model = writer::whole(50, 12);
    model.animated = false;
    let bytes = model.bytes();
    let at = bytes.at("has_animations");
    let none = [&[1, 0, 0, 0, 0][..], &[0xff; 4]].concat();
    let all = bytes.to_vec();
    let shifted = [&all[..at], &none, &all[at + 1..]].concat();
    assert_eq!(Model::parse(&shifted).unwrap().animations().unwrap().animations.len(), 0);
}

#[test]
fn a_fill_of_billions_is_never_expanded() {
    let bytes = writer::Model::new(50, vec![writer::Lod::strip(1.0, 5)]).bytes().set("fill", [0xff; 4]).to_vec();
    let model = Model::parse(&bytes).unwrap();
    let normals = model.lod(0).unwrap().unwrap().vertex_table().unwrap().normals;
    assert_eq!(normals.count(), u64::from(u32::MAX));
    let mut rows = 0;
    normals
        .as_table()
        .read(&mut |batch| {
            rows += batch.len() / 4;
            ControlFlow::Break(())
        })
        .unwrap();
    assert!(rows < 5000);
    survives(&bytes);
}

/// The warnings of verify too, each with its severity.
fn warnings(bytes: &[u8]) -> Vec<String> {
    let model = Model::parse(bytes).unwrap();
    let mut problems = Problems::new(&Limits::default());
    model.verify(&mut problems);
    let problems = problems.into_vec();
    assert!(problems.iter().all(|problem| problem.severity == Severity::Warning), "{problems:?}");
    assert_eq!(model.summarize().problems, problems);
    problems.iter().map(|problem| problem.message.to_string()).collect()
}

#[test]
fn bytes_after_the_lods_are_reported() {
    let whole = |version| writer::whole(version, 12).bytes();
    assert_eq!(warnings(&whole(50).raw([0; 3]).to_vec()), ["3 bytes after the last LOD"]);
    assert_eq!(warnings(&whole(7).raw([0; 3]).to_vec()), ["3 bytes after the last LOD"]);
    assert_eq!(warnings(&whole(58).raw([0; 3]).to_vec()), ["3 bytes after the trailer"]);
    assert_eq!(warnings(&whole(75).raw([0]).to_vec()), ["1 byte after the trailer"]);
    let twice = [whole(52).to_vec(), whole(52).to_vec()].concat();
    assert_eq!(warnings(&twice), [format!("{} bytes after the last LOD", twice.len() / 2)]);
    // Readers differ on the first version with a kind of buoyancy.
    assert_eq!(warnings(&whole(55).i32(0).to_vec()), [""; 0]);
    // Up to version 67 there may be only a kind of buoyancy.
    for (version, warned) in [(60, 0), (67, 0), (68, 1), (75, 1)] {
        let bytes = whole(version);
        let short = [&bytes.to_vec()[..bytes.at("trailer")], &[0; 4]].concat();
        assert_eq!(warnings(&short).len(), warned, "{version}");
    }
    // A bad trailer does not prevent reading LODs.
    for (mark, value, said) in [
        ("buoyancy", 1, "trailer.buoyancy_kind: buoyancy of kind 1, whose length is unknown"),
        ("grid", -1, "trailer.buoyancy.grid: grid of less than no places"),
        ("grid", i32::MAX, "trailer.buoyancy.spheres: needs "),
        ("shape", i32::MAX, "trailer.mirrored_components.shapes[1].cooked: needs "),
        ("shapes", 0, ""),
    ] {
        let bytes = whole(73).set(mark, value.to_le_bytes()).to_vec();
        let found = warnings(&bytes);
        assert_eq!(found.len(), usize::from(!said.is_empty()), "{mark}: {found:?}");
        assert!(found.iter().all(|found| found.starts_with(said)), "{mark}: {found:?}");
        let model = Model::parse(&bytes).unwrap();
        assert_eq!(lods(&model).len(), 3);
        assert_eq!(model.trailer().is_err(), !said.is_empty());
    }
    let bytes = whole(68);
    let all = bytes.to_vec();
    for length in bytes.at("trailer")..all.len() {
        assert_eq!(warnings(&all[..length]).len(), 1, "{length}");
    }
}

#[test]
fn an_encrypted_model_is_reported_as_such() {
    let bytes = writer::whole(75, 12).bytes().set("encryption", [0, 0, 0, 0, 9, 0, 0, 0]).to_vec();
    let model = Model::parse(&bytes).unwrap();
    assert_eq!((model.start().is_none(), model.version().stored()), (true, 75));
    assert!(matches!(model.whole().unwrap_err().kind(), ErrorKind::Encrypted(_)));
    assert!(model.info().is_err() && model.lods().next().is_none() && model.trailer().unwrap().is_none());
    let summary = model.summarize();
    assert_eq!((summary.version, summary.counts.get("lods"), summary.problems.len()), (Some(75), None, 1));
    assert_eq!(summary.problems[0].offset, Some(8));
}

#[test]
fn an_unknown_material_hides_its_lod_alone() {
    for kind in (12..=19).filter(|&kind| kind != 16).chain([21, u32::MAX]) {
        let bytes = writer::whole(73, 12).bytes().set("material_kind", kind.to_le_bytes()).to_vec();
        let model = Model::parse(&bytes).unwrap();
        let error = model.lod(0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
        assert_eq!(
            error.message(),
            format!("lods[0].materials[1].kind: material of kind {kind}, whose fields are unknown")
        );
        assert!(model.lod(1).is_ok() && model.lod(2).is_ok());
    }
}

#[test]
fn a_block_that_is_neither_raw_nor_packed_is_an_error() {
    let bytes = writer::Model::new(64, vec![writer::Lod::strip(1.0, 5)]).bytes();
    for flag in [1, 3, 0xff] {
        let broken = bytes.clone().set("block_flag", [flag]).to_vec();
        let expected = format!(": block with flag {flag}, not 0 or 2");
        assert!(problems(&broken)[0].ends_with(&expected), "{:?}", problems(&broken));
    }
}

#[test]
fn lines_are_faces_too() {
    for (version, units) in [(50, [6, 10]), (73, [12, 20])] {
        let bytes = writer::Model::new(version, vec![writer::lines()]).to_vec();
        let model = Model::parse(&bytes).unwrap();
        assert_eq!(problems(&bytes), [""; 0]);
        let faces = model.lod(0).unwrap().unwrap().faces;
        let found: Vec<_> = faces.iter().map(|face| face.unwrap()).collect();
        assert_eq!(found.iter().map(|face| face.corners.len()).collect::<Vec<_>>(), [2, 4, 2, 4, 2, 4, 2]);
        assert_eq!([found[0].memory_byte_len(), found[1].memory_byte_len()], units);
        assert_eq!(faces.range(0..faces.memory_byte_len()).unwrap(), 0..7);
    }
}

#[test]
fn a_cut_file_of_version_7_keeps_the_lods_before() {
    let mut written = writer::whole(7, 12);
    written.lods.push(writer::Lod::strip(2.0, 5));
    let bytes = written.bytes();
    let (all, last) = (bytes.to_vec(), bytes.at("lod"));
    let model = Model::parse(&all).unwrap();
    assert_eq!(lods(&model).len(), 4);
    let cut = Model::parse(&all[..last + 9]).unwrap();
    assert!(cut.whole().unwrap_err().to_string().starts_with("lods[3].point_flags at "));
    assert_eq!((cut.lod_count(), cut.lods().count()), (4, 3));
    assert_eq!(cut.lod(0).unwrap().unwrap().faces.len(), written.lods[0].faces.len());
    let summary = cut.summarize();
    assert_eq!((summary.version, summary.counts.get("lods"), summary.counts.get("faces")), (Some(7), Some(4), None));
    // The data after the LODs is missing.
    let cut = Model::parse(&all[..bytes.at("info") + 20]).unwrap();
    assert_eq!((lods(&cut).len(), cut.lod_entry(1).unwrap().resolution), (4, Resolution(1e15)));
    assert_eq!(cut.whole().unwrap_err().location(), "info.or_hints");
}

#[test]
fn a_broken_header_keeps_the_fields_before_the_error() {
    let bytes = writer::whole(73, 12).bytes().set("animated_lods", [0xff, 0xff, 0xff, 0x7f]).to_vec();
    let model = Model::parse(&bytes).unwrap();
    assert_eq!((model.lod_count(), model.resolutions().len()), (3, 3));
    assert_eq!((model.info().unwrap().bone_count(), model.lods().count()), (3, 0));
    let mut names = Vec::new();
    dissect(&model, model.byte_len(), &mut |line| {
        if line.kind != LineKind::Field {
            names.push(line.name.to_owned());
        }
    });
    assert_eq!(names.iter().take(4).collect::<Vec<_>>(), ["header", "resolutions", "info", "skeleton"]);
}

#[test]
fn an_overview_covers_every_byte() {
    let files = files();
    for (name, model) in models(&files) {
        overview_covers(&name, &model);
    }
    for (version, line) in versions() {
        let (vbs, dayz) = (line == Dialect::Vbs, line == Dialect::DayZ);
        let bytes = writer::Model { vbs, dayz, ..writer::whole(version, 12) }.to_vec();
        overview_covers(&format!("{version} {line:?}"), &Model::parse(&bytes).unwrap());
    }
}

#[test]
fn each_inconsistency_is_reported() {
    let whole = |version| writer::whole(version, 12);
    let bytes = |version| whole(version).bytes();
    let with = |change: fn(&mut writer::Model)| {
        let mut model = whole(50);
        change(&mut model);
        model.bytes()
    };
    let float = f32::NAN.to_le_bytes();
    let cases: Vec<(Bytes, &str)> = vec![
        (bytes(50).set("face_zero", [3]), "lods[0].face_block.unknown: 3 is not 0"),
        (bytes(50).set("selection_zero", [4]), "lods[0].selections[1].unknown: 4 is not 0"),
        (bytes(68).poke("after_table", 0, [5]), "lods[0].unknown: 5 is not 0"),
        (bytes(50).poke("face_default", 4, [9]), "face_defaults[2].color: 4286595081, the LOD has 4286595104"),
        (bytes(50).poke("face_default", 8, [9]), "face_defaults[2].special: 9, the LOD has 1"),
        (bytes(50).poke("face_default", 12, [9]), "face_defaults[2].or_hints: 9, the LOD has 7"),
        (bytes(50).poke("face_default", 16, [1]), "face_defaults[2].has_skeleton: 1, the LOD has 0"),
        (bytes(51).poke("face_default", 17, [9]), "face_defaults[2].points: 9, the LOD has 4"),
        (bytes(51).poke("face_default", 21, [9]), "face_defaults[2].face_area: "),
        (
            bytes(50).set("bone_link", [0]),
            "lods[0].bone_links: 1 of 4 links is not to a place of their bone: 0 at index 2",
        ),
        (
            with(|model| model.lods[0].bone_links = vec![vec![0], vec![2], vec![1]]),
            "lods[0].bone_links: 3 links to 4 bones",
        ),
        (
            with(|model| model.bones[2].1 = "window"),
            "info.skeleton.bones: 1 of 3 parents is not the name of a bone: window at index 2",
        ),
        (
            with(|model| model.animated_bones = Some(2)),
            "bone_animations[0].bones: animations of 2 bones for a skeleton of 3",
        ),
        (with(|model| model.animated_lods = Some(2)), "bone_animations: animations of 2 LODs in a model of 3"),
        (bytes(50).set("addressing", [3]), "animations[9].addressing: 3 is unknown"),
        (bytes(50).set("map_type", [99]), "info.map_type: 99 is unknown"),
        (bytes(50).set("shadow_source", [9]), "info.shadow_source: 9 is unknown"),
        (bytes(50).set("codes", [9, 1]), "lods[0].materials[1].pixel_shader: 265 is unknown"),
        (bytes(50).poke("codes", 4, [77]), "lods[0].materials[1].vertex_shader: 77 is unknown"),
        (bytes(50).poke("codes", 8, [77]), "lods[0].materials[1].main_light: 77 is unknown"),
        (bytes(50).poke("codes", 12, [77]), "lods[0].materials[1].fog_mode: 77 is unknown"),
        (
            with(|model| model.lods[0].materials[1] = writer::material_of(11, 2, 1)),
            "lods[0].materials[1].transform_count: 1 transforms for 2 stages",
        ),
        (bytes(50).set("filter", [4]), "lods[0].materials[1].thermal_stage.filter: 4 is unknown"),
        (
            bytes(50).set("uv_source", [9]),
            "lods[0].materials[1].transforms: 1 of 1 sources of coordinates is without a meaning: 9 at index 0",
        ),
        (with(|model| model.lods[0].frames[1].truncate(11)), "lods[0].frames[1].positions: 11 positions for 12 points"),
        (
            with(|model| model.lods[0].frames[1][3][1] = f32::NAN),
            "lods[0].frames[1].positions: 1 of 12 positions is not finite: (1, NaN, 0.5) at index 3",
        ),
        (bytes(44).poke("uvs", 5, float), "lods[0].uvs[0]: 1 of 12 coordinates is not finite: (NaN, -1) at index 0"),
        (bytes(44).poke("normals", 5, float), "lods[0].normals: 1 of 12 normals is not finite: (NaN, "),
        (bytes(44).poke("tangents", 4, float), "lods[0].tangents: 1 of 24 tangents is not finite: (NaN, "),
    ];
    for (bytes, said) in cases {
        let found = warnings_of_verify(&bytes.to_vec());
        assert!(found.iter().any(|found| found.starts_with(said)), "{said} is not among {found:#?}");
        assert!(found.len() <= 3, "{said}: {found:#?}");
        let (path, _) = said.split_once(": ").unwrap();
        assert!(leads_somewhere(&bytes.to_vec(), path), "{path} is no selector");
    }
}

/// Returns true if the path of a problem is that of a part, a field or an array, or of a list of them.
fn leads_somewhere(bytes: &[u8], path: &str) -> bool {
    let selector = path.replace('[', "/").replace(']', "").replace('.', "/");
    let list = format!("{selector}/");
    let model = Model::parse(bytes).unwrap();
    let mut found = false;
    dissect(&model, bytes.len() as u64, &mut |line| {
        found |= line.selector == selector || line.selector.starts_with(&list);
    });
    found
}

#[test]
fn problems_name_their_selectors() {
    let mut checked = 0;
    for (name, bytes) in writer::hostile() {
        let Ok(model) = Model::parse(&bytes) else { continue };
        // If a part cannot be read, the fields before the error are shown.
        let whole = (0..model.lod_count()).all(|index| model.lod(index).is_ok());
        if model.whole().is_err() || !whole {
            continue;
        }
        for problem in problems(&bytes) {
            let (_, message) = problem.split_once(' ').unwrap();
            if let Some((path, _)) = message.split_once(": ").filter(|(path, _)| !path.contains("trailer")) {
                assert!(leads_somewhere(&bytes, path), "{name}: {path} is no selector of {message}");
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn left_and_right_show_the_handedness() {
    let Some(bytes) = outside_file(ANNIE) else { return };
    let model = Model::parse(&bytes).unwrap();
    let memory = usize::try_from(model.info().unwrap().special_lods.memory).unwrap();
    let lod = model.lod(memory).unwrap().unwrap();
    let points = lod.positions().unwrap().decode().unwrap().into_owned();
    let point = |name: &str| {
        let selection = lod.selections.iter().find(|selection| selection.name == name).unwrap();
        points[selection.vertices.decode().unwrap().get(0).unwrap() as usize].to_array()
    };
    let (left, right, neck) = (point("l_eye"), point("r_eye"), point("neck"));
    // Eyes look away from the neck, and are above it: up times forward is right if z points forward, x right and y up
    // in a left-handed space.
    let forward = left[2] - neck[2];
    assert!(left[1] > neck[1] && forward.abs() > 0.05, "{left:?} {neck:?}");
    assert!(forward.signum() * (right[0] - left[0]) > 0.05, "{left:?} {right:?}");
}

/// The warnings of verify alone.
fn warnings_of_verify(bytes: &[u8]) -> Vec<String> {
    let model = Model::parse(bytes).unwrap();
    let mut problems = Problems::new(&Limits::default());
    model.verify(&mut problems);
    let problems = problems.into_vec();
    assert!(problems.iter().all(|problem| problem.severity == Severity::Warning), "{problems:?}");
    problems.iter().map(|problem| problem.message.to_string()).collect()
}

#[test]
fn frames_with_more_numbers_are_read_where_they_fit() {
    for long_frames in [false, true] {
        let mut written = writer::whole(47, 12);
        written.lods[0].long_frames = long_frames;
        // Where readers differ, each case is decided by a single fact.
        written.lods[0].materials.truncate(1);
        let bytes = written.to_vec();
        let model = Model::parse(&bytes).unwrap();
        assert_eq!(problems(&bytes), [""; 0]);
        let frames = model.lod(0).unwrap().unwrap().frames;
        assert_eq!(frames.len(), 2);
        assert!(frames.iter().all(|frame| frame.extra == long_frames.then_some([0.5; 4])));
    }
}

#[test]
fn a_leading_backslash_makes_no_other_reference() {
    let textures = vec!["\\data\\wall_co.paa", "data\\wall_co.paa", "Data\\wall_co.paa"];
    let bytes = writer::Model::new(50, vec![writer::Lod { textures, ..writer::Lod::strip(1.0, 5) }]).to_vec();
    let summary = Model::parse(&bytes).unwrap().summarize();
    let names: Vec<_> = summary.references.iter().map(|reference| reference.name.text.as_str()).collect();
    assert_eq!(names, ["\\data\\wall_co.paa", "Data\\wall_co.paa", "data\\by_name.rvmat"]);
}
