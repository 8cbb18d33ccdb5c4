//! Every field of a model, told once, in the order of the file.

use zerocopy::little_endian::F32;

use super::list::{Item, List};
use super::{
    Animation, Animations, FaceIter, Lod, LodEntry, Material, Model, ModelInfo, Motion, Section, Selection, Shapes,
    Skeleton, Stage, Trailer, VertexTable, table,
};
use crate::inspect::{Outline, Part, Span, Value};
use crate::view::{ByteStr, Element, LeArray, Table};

pub(super) fn model(model: &Model<'_>, out: &mut Outline<'_>) {
    let header = &model.header;
    out.field("version", model.version().stored());
    out.field("lod_count", header.lod_count);
    out.part(spanning("header", header.start), |out| {
        out.field("encryption", header.encryption.map(|words| words.map(i64::from).to_vec()));
        out.field("app_id", header.app_id);
        out.field("muzzle_flash", header.muzzle_flash);
    });
    if model.version().is_flashpoint() {
        lods(model, out);
        array("resolutions", header.resolutions, out);
        if let Some(info) = out.ok(model.info()) {
            info_part(info, out);
        }
        return;
    }
    array("resolutions", header.resolutions, out);
    if let Some(info) = &header.info {
        info_part(info, out);
    }
    if let Some(span) = header.animation_block {
        out.part(spanning("animation_block", span), |out| {
            out.field("count", header.animations.map_or(0, |animations| animations.list.len()));
        });
    }
    if let Some(animations) = &header.animations {
        self::animations(animations, out);
    }
    array("lod_starts", header.starts, out);
    array("lod_ends", header.ends, out);
    array("use_defaults", header.use_defaults, out);
    if let Some(defaults) = header.face_defaults {
        out.part(Part::one("face_defaults").spanning(defaults.offset(), defaults.left()), |_| {});
    }
    out.ok(model.whole());
    lods(model, out);
    if let Some(trailer) = model.trailer() {
        out.part(spanning("trailer", trailer.span), |out| self::trailer(&trailer, out));
    }
}

fn lods(model: &Model<'_>, out: &mut Outline<'_>) {
    for entry in model.lods() {
        lod_entry(model, &entry, out);
    }
}

/// An array that not every file has.
fn array<T: Element>(name: &'static str, array: Option<LeArray<'_, T>>, out: &mut Outline<'_>) {
    if let Some(array) = array {
        out.array(name, &array);
    }
}

fn spanning(name: &'static str, Span { offset, bytes }: Span) -> Part<'static> {
    Part::one(name).spanning(offset, bytes)
}

fn trailer(trailer: &Trailer<'_>, out: &mut Outline<'_>) {
    let mut groups = trailer.shapes();
    for (name, group) in groups.by_ref().take(2) {
        shapes(name, &group, out);
    }
    out.field("buoyancy_kind", trailer.buoyancy_kind);
    if let Some(buoyancy) = &trailer.buoyancy {
        out.part(spanning("buoyancy", buoyancy.span), |out| {
            out.field("grid", buoyancy.grid().map(i64::from).to_vec());
            out.field("step", buoyancy.step());
            out.field("radius", buoyancy.radius());
            out.field("sphere_counts", buoyancy.sphere_counts().map(i64::from).to_vec());
            out.array("spheres", &buoyancy.spheres);
            out.field("volume", buoyancy.volume);
            out.field("bbox_min", buoyancy.bounds[0]);
            out.field("bbox_max", buoyancy.bounds[1]);
        });
    }
    for (name, group) in groups {
        shapes(name, &group, out);
    }
}

fn shapes(name: &'static str, shapes: &Shapes<'_>, out: &mut Outline<'_>) {
    out.part(spanning(name, shapes.span), |out| {
        out.coded("physx_version", shapes.physx_version, Some(shapes.physx_version_text()));
        for (_, shape, part) in parts("shapes", &shapes.list) {
            out.part(part, |out| {
                out.array("cooked", &shape.cooked);
                out.field("bone", shape.bone);
            });
        }
    });
}

fn info_part(info: &ModelInfo<'_>, out: &mut Outline<'_>) {
    out.part(spanning("info", info.span), |out| self::info(info, out));
}

fn info(info: &ModelInfo<'_>, out: &mut Outline<'_>) {
    out.field("special", info.special);
    out.field("bounding_sphere", info.bounding_sphere);
    out.field("geometry_sphere", info.geometry_sphere);
    out.field("remarks", info.remarks);
    out.field("and_hints", info.and_hints);
    out.field("or_hints", info.or_hints);
    out.field("aiming_center", info.aiming_center);
    out.field("color", info.color);
    out.field("color_top", info.color_top);
    out.field("view_density", info.view_density);
    out.field("bbox_min", info.bbox_min);
    out.field("bbox_max", info.bbox_max);
    out.field("lod_density", info.lod_density);
    out.field("draw_importance", info.draw_importance);
    out.field("bbox_visual_min", info.bbox_visual.map(|[min, _]| min));
    out.field("bbox_visual_max", info.bbox_visual.map(|[_, max]| max));
    out.field("bounding_center", info.bounding_center);
    out.field("geometry_center", info.geometry_center);
    out.field("center_of_mass", info.center_of_mass);
    out.field("inverse_inertia", info.inverse_inertia.concat());
    out.field("auto_center", info.auto_center);
    out.field("lock_auto_center", info.lock_auto_center);
    out.field("can_occlude", info.can_occlude);
    out.field("can_be_occluded", info.can_be_occluded);
    out.field("ai_covers", info.ai_covers);
    out.field("dayz_flag", info.dayz_flag);
    out.field("dayz_factor", info.dayz_factor);
    out.field("thermal", info.thermal);
    out.field("metabolism", info.metabolism);
    out.field("force_not_alpha", info.force_not_alpha);
    let source = info.shadow_source.map(|source| Value::Coded(source.into(), source.name().map(Into::into)));
    out.field("shadow_source", source);
    out.field("prefer_shadow_volume", info.prefer_shadow_volume);
    out.field("shadow_offset", info.shadow_offset);
    out.field("animated", info.animated);
    if let Some(skeleton) = &info.skeleton {
        let part = spanning("skeleton", skeleton.span).labelled(skeleton.name);
        out.part(part, |out| self::skeleton(skeleton, out));
    }
    out.coded("map_type", info.map_type, info.map_type.name());
    out.array("masses", &info.masses);
    out.field("mass", info.mass);
    out.field("inverse_mass", info.inverse_mass);
    out.field("armor", info.armor);
    out.field("inverse_armor", info.inverse_armor);
    out.field("explosion_shielding", info.explosion_shielding);
    out.part(Part::one("special_lods"), |out| {
        for (name, lod) in info.special_lods.iter() {
            out.field(name, lod);
        }
    });
    out.field("min_shadow", info.min_shadow);
    out.field("can_blend", info.can_blend);
    out.field("class", info.class);
    out.field("damage", info.damage);
    out.field("frequent", info.frequent);
    out.field("unknown", info.unknown);
    array("shadow_volumes", info.shadow_volumes, out);
    array("shadow_buffers", info.shadow_buffers, out);
    array("visible_shadow_buffers", info.visible_shadow_buffers, out);
    out.field("dayz_byte", info.dayz_byte);
}

fn skeleton(skeleton: &Skeleton<'_>, out: &mut Outline<'_>) {
    out.field("name", skeleton.name);
    out.field("is_discrete", skeleton.is_discrete);
    for (index, bone, part) in parts("bones", &skeleton.bones) {
        out.part(part.labelled(bone.name), |out| {
            out.field("index", index);
            out.field("name", bone.name);
            out.field("parent", bone.parent);
        });
    }
    out.field("pivots", skeleton.pivots);
}

fn animations(animations: &Animations<'_>, out: &mut Outline<'_>) {
    for (_, animation, part) in parts("animations", &animations.list) {
        out.part(part.labelled(animation.name), |out| self::animation(&animation, out));
    }
    let count = animations.list.len();
    for (index, (bones, axes)) in animations.by_bone.iter().zip(&animations.axes).enumerate() {
        out.part(Part::item("animated_lods", index), |out| {
            for (bone, list) in bones.iter().enumerate() {
                out.array_item("bone_animations", bone, &list);
            }
            out.array("animation_axes", &table::axes(&axes, count));
        });
    }
}

fn animation(animation: &Animation<'_>, out: &mut Outline<'_>) {
    out.coded("kind", animation.kind, animation.kind.name());
    out.field("name", animation.name);
    out.field("source", animation.source);
    out.field("phase", animation.phase);
    out.field("value", animation.value);
    out.field("period", animation.period);
    out.coded("addressing", animation.addressing, animation.addressing.name());
    match animation.motion {
        Motion::Rotation(angles) => out.field("angles", angles),
        Motion::Translation(offsets) => out.field("offsets", offsets),
        Motion::Direct { position, direction, angle, offset } => {
            out.field("axis_position", position);
            out.field("axis_direction", direction);
            out.field("angle", angle);
            out.field("axis_offset", offset);
        }
        Motion::Hide { from, to } => {
            out.field("hide_value", from);
            out.field("unhide_value", to);
        }
    }
}

fn lod_entry(model: &Model<'_>, entry: &LodEntry, out: &mut Outline<'_>) {
    let label = entry.resolution.to_string();
    let part = Part::item("lods", entry.index).labelled(ByteStr::from(label.as_str()));
    let part = match model.contains(entry.start, entry.end) {
        true => part.spanning(entry.start.into(), entry.bytes().into()),
        false => part,
    };
    out.part(part, |out| {
        out.field("name", label.as_str());
        out.field("resolution", entry.resolution.0);
        out.field("is_visual", entry.resolution.is_visual());
        out.field("start", entry.start);
        out.field("end", entry.end);
        if let Some(default) = entry.face_default {
            out.part(Part::one("face_default"), |out| {
                out.field("faces", default.faces.get());
                out.field("color", default.color.get());
                out.field("special", default.special.get());
                out.field("or_hints", default.or_hints.get());
                out.field("has_skeleton", default.has_skeleton);
                out.field("points", entry.face_default_more.map(|more| more.points.get()));
                out.field("face_area", entry.face_default_more.map(|more| more.face_area.get()));
            });
        }
        let lod = model.lod(entry.index).transpose();
        if let Some(lod) = out.ok(lod).flatten() {
            self::lod(&lod, out);
            if let Some(vertices) = out.ok(lod.vertex_table()) {
                self::vertices(&lod, &vertices, out);
            }
        }
    });
}

fn lod(lod: &Lod<'_>, out: &mut Outline<'_>) {
    for (_, proxy, part) in parts("proxies", &lod.proxies) {
        out.part(part.labelled(proxy.model), |out| {
            out.field("model", proxy.model);
            out.field("transform", proxy.transform.to_array());
            out.field("sequence", proxy.sequence);
            out.field("selection", proxy.selection);
            out.field("bone", proxy.bone);
            out.field("section", proxy.section);
        });
    }
    out.array("items", &lod.items);
    for (index, links) in lod.bone_links.iter().enumerate() {
        out.array_item("bone_links", index, &links);
    }
    out.field("point_count", lod.point_count);
    out.field("face_area", lod.face_area);
    out.field("or_hints", lod.or_hints);
    out.field("and_hints", lod.and_hints);
    out.field("bbox_min", lod.bbox_min);
    out.field("bbox_max", lod.bbox_max);
    out.field("center", lod.center);
    out.field("radius", lod.radius);
    out.texts("textures", lod.textures.iter());
    for (_, material, part) in parts("materials", &lod.materials) {
        out.part(part.labelled(material.name), |out| self::material(&material, out));
    }
    out.array("point_to_vertex", &lod.point_to_vertex);
    out.array("vertex_to_point", &lod.vertex_to_point);
    out.part(Part::one("face_block").spanning(lod.faces.offset(), lod.faces.bytes()), |out| {
        out.field("count", lod.faces.len());
        out.field("memory_bytes", lod.faces.memory_bytes);
        out.field("unknown", lod.faces.unknown);
    });
    out.array("faces", &table::corners(&lod.faces));
    out.array("indices", &table::indices(&lod.faces));
    let mut faces = lod.faces.iter();
    for (_, section, part) in parts("sections", &lod.sections) {
        out.part(part, |out| self::section(&section, &mut faces, out));
    }
    for (_, selection, part) in parts("selections", &lod.selections) {
        out.part(part.labelled(selection.name), |out| self::selection(&selection, out));
    }
    for (_, property, part) in parts("properties", &lod.properties) {
        out.part(part.labelled(property.name), |out| {
            out.field("name", property.name);
            out.field("value", property.value);
        });
    }
    for (_, frame, part) in parts("frames", &lod.frames) {
        out.part(part, |out| {
            out.field("time", frame.time);
            out.array("positions", &frame.positions);
        });
    }
    out.field("color_top", lod.color_top);
    out.field("color", lod.color);
    out.field("special", lod.special);
    out.field("simple_bone_refs", lod.simple_bone_refs);
}

fn material(material: &Material<'_>, out: &mut Outline<'_>) {
    out.field("name", material.name);
    out.field("kind", material.kind);
    for (name, color) in [
        ("emissive", material.emissive()),
        ("ambient", material.ambient()),
        ("diffuse", material.diffuse()),
        ("forced_diffuse", material.forced_diffuse()),
        ("specular", material.specular()),
    ] {
        out.field(name, color.to_array());
    }
    out.field("constants", material.constants.map(|all| all.map(F32::get)));
    out.field("specular_2", material.specular_2().to_array());
    out.field("specular_power", material.specular_power());
    out.field("more_constants", material.more_constants.map(|all| all.map(F32::get)));
    out.field("last_constants", material.last_constants());
    out.coded("pixel_shader", material.pixel_shader(), material.pixel_shader().name());
    out.coded("vertex_shader", material.vertex_shader(), material.vertex_shader().name());
    out.coded("main_light", material.main_light(), material.main_light().name());
    out.coded("fog_mode", material.fog_mode(), material.fog_mode().name());
    out.field("unknown", material.unknown);
    out.field("surface", material.surface);
    out.field("render_flag_count", material.render_flag_count);
    out.field("render_flags", material.render_flags);
    for (index, stage) in material.stages.iter().enumerate() {
        out.part(Part::item("stages", index).labelled(stage.texture), |out| self::stage(&stage, out));
    }
    out.array("transforms", &material.transforms);
    if let Some(stage) = material.thermal_stage {
        out.part(Part::one("thermal_stage").labelled(stage.texture), |out| self::stage(&stage, out));
    }
}

fn stage(stage: &Stage<'_>, out: &mut Outline<'_>) {
    out.coded("filter", stage.filter, stage.filter.name());
    out.field("texture", stage.texture);
    out.field("transform", stage.transform);
    out.field("use_world_environment", stage.use_world_environment);
    if let Some(own) = stage.own_transform {
        out.coded("uv_source", own.uv_source(), own.uv_source().name());
        out.field("own_transform", own.transform.to_array());
    }
}

fn section(section: &Section<'_>, faces: &mut FaceIter<'_>, out: &mut Outline<'_>) {
    let units = section.units();
    out.field("start", units.start);
    out.field("end", units.end);
    // Sections follow each other; of one that lies behind the one before, the faces stay untold.
    let first = faces.seek(units.start).ok();
    let end = first.and_then(|_| faces.seek(units.end).ok());
    out.field("first_face", first);
    out.field("face_count", first.zip(end).map(|(first, end)| end.saturating_sub(first)));
    out.field("min_bone", section.min_bone());
    out.field("bone_count", section.bone_count());
    out.field("user_value", section.user_value());
    out.field("texture", section.texture());
    out.field("flags", section.flags());
    out.field("material", section.material());
    out.field("material_name", section.material_name);
    out.array("area_over_texture", &section.area_over_texture);
    out.field("collimator_flag", section.collimator_flag);
    if let Some(collimator) = section.collimator {
        out.part(Part::one("collimator"), |out| {
            out.field("a", collimator.a.to_array());
            out.field("b", collimator.b.to_array());
            out.field("c", collimator.c.get());
            out.field("d", collimator.d.to_array());
            out.field("e", collimator.e.get());
        });
    }
}

fn selection(selection: &Selection<'_>, out: &mut Outline<'_>) {
    out.field("name", selection.name);
    out.array("faces", &selection.faces);
    if let Some(details) = &selection.face_details {
        out.array("face_weights", &details.weights);
        out.array("face_offsets", &details.offsets);
    }
    out.field("unknown", selection.unknown);
    out.field("is_sectional", selection.is_sectional);
    out.array("sections", &selection.sections);
    out.array("vertices", &selection.vertices);
    out.array("weights", &selection.weights);
}

fn vertices(lod: &Lod<'_>, vertices: &VertexTable<'_>, out: &mut Outline<'_>) {
    out.field("vertex_table_offset", lod.vertex_table_offset());
    out.field("vertex_table_bytes", vertices.size_hint);
    out.field("uv_count", vertices.uv_count_hint);
    // An array whose count is no other's could claim any number of rows.
    let sound = |array: &dyn Table, out: &mut Outline<'_>| out.ok(vertices.check_count(array)).is_some();
    if let Some(flags) = lod.point_flags.or(vertices.point_flags).filter(|flags| sound(flags, out)) {
        out.array("point_flags", &flags);
    }
    for (index, set) in vertices.uv_sets().enumerate() {
        if sound(set.stored.as_table(), out) {
            out.array_item("uvs", index, set.stored.as_table());
        }
    }
    for (index, set) in vertices.uv_sets().enumerate() {
        if vertices.check_count(set.stored.as_table()).is_ok() {
            out.array_item("uv_coordinates", index, &table::coordinates(&set));
        }
    }
    for (index, set) in vertices.uv_sets().enumerate() {
        out.part(Part::item("uv_bounds", index), |out| {
            out.field("min", set.bounds.map(|bounds| bounds.min));
            out.field("max", set.bounds.map(|bounds| bounds.max));
        });
    }
    out.array("positions", &vertices.positions);
    if sound(vertices.normals.as_table(), out) {
        out.array("normals", vertices.normals.as_table());
        out.array("normal_vectors", &table::normal_vectors(&vertices.normals));
    }
    out.array("tangents", vertices.tangents.as_table());
    out.array("tangent_vectors", &table::tangent_vectors(&vertices.tangents));
    out.array("bone_refs", &vertices.bone_refs);
    out.array("neighbors", &vertices.neighbors);
    out.field("unknown", vertices.unknown);
    out.field("last_byte", vertices.last_byte);
}

/// The items of a list with their places, as parts that know where they lie.
fn parts<'a, T, C: Copy>(
    name: &'static str,
    list: &List<'a, T, C>,
) -> impl Iterator<Item = (usize, T, Part<'static>)> + use<'a, T, C>
where
    T: Item<'a, C>,
{
    list.placed().enumerate().map(move |(index, (item, Span { offset, bytes }))| {
        (index, item, Part::item(name, index).spanning(offset, bytes))
    })
}
