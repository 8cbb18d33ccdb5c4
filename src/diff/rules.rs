//! Defines which fields and arrays of each format refer to items by number, and which repeat other data.
//!
//! Paths are those of outlines, without numbers. A list is looked up from the top, but inside the same parts as the
//! path itself as far as the two agree. For example, `lods/textures`, requested by `lods/sections/texture`, is the list
//! of the same LOD.

use std::collections::HashMap;

use crate::base::format::Format;
use crate::inspect::selector::Path;
use crate::outline::Part;

/// How something is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Derived from other data: not compared.
    Derived,
    /// A number by which other parts refer to this one: not compared itself.
    Number,
    /// A field or array column with numbers of items of this list. The name after a `#` is the field that numbers the
    /// items, if they are not numbered by their place.
    Item(&'static str),
    /// The parent of the part, as an item of this list. If it differs, the part is moved.
    Parent(&'static str),
    /// An array with a row for each item of this list.
    Rows(&'static str),
    /// Arrays, one for each item of this list.
    Numbered(&'static str),
    /// An array or field that shows the same data as these: compared only if these are equal.
    Repeats(&'static [&'static str]),
    /// A list whose order follows from the order of another.
    Unordered,
}

use Rule::{Derived, Item, Number, Numbered, Parent, Repeats, Rows, Unordered};

const B3D: &[(&str, Rule)] = &[
    ("nodes/parent", Parent("nodes")),
    ("nodes/depth", Derived),
    ("nodes/kind", Derived),
    ("nodes/animation/seconds", Derived),
    ("nodes/keys/first_frame", Derived),
    ("nodes/keys/last_frame", Derived),
    ("brushes/texture_ids", Item("textures")),
    ("brushes/layers", Derived),
    ("meshes", Unordered),
    ("meshes/node", Item("nodes")),
    ("meshes/brush_id", Item("brushes")),
    ("meshes/stride", Derived),
    ("meshes/triangles/brush", Derived),
    ("meshes/triangles/brush_id", Item("brushes")),
    ("meshes/vertices/records", Repeats(&["meshes/positions", "meshes/normals", "meshes/colors", "meshes/uvs"])),
    ("bones", Unordered),
    ("bones/node", Item("nodes")),
    ("unknown_chunks", Unordered),
    ("unknown_chunks/node", Item("nodes")),
];

const ODOL: &[(&str, Rule)] = &[
    ("lod_count", Derived),
    ("resolutions", Derived),
    ("use_defaults", Derived),
    ("face_defaults", Derived),
    ("info/min_shadow", Item("lods")),
    ("info/shadow_volumes", Rows("lods")),
    ("info/shadow_volumes/value", Item("lods")),
    ("info/shadow_buffers", Rows("lods")),
    ("info/shadow_buffers/value", Item("lods")),
    ("info/visible_shadow_buffers", Rows("lods")),
    ("info/visible_shadow_buffers/value", Item("lods")),
    ("info/special_lods/memory", Item("lods")),
    ("info/special_lods/geometry", Item("lods")),
    ("info/special_lods/geometry_simple", Item("lods")),
    ("info/special_lods/geometry_physics", Item("lods")),
    ("info/special_lods/unknown", Item("lods")),
    ("info/special_lods/fire_geometry", Item("lods")),
    ("info/special_lods/view_geometry", Item("lods")),
    ("info/special_lods/view_pilot", Item("lods")),
    ("info/special_lods/view_gunner", Item("lods")),
    ("info/special_lods/view_commander", Item("lods")),
    ("info/special_lods/view_cargo", Item("lods")),
    ("info/special_lods/land_contact", Item("lods")),
    ("info/special_lods/roadway", Item("lods")),
    ("info/special_lods/paths", Item("lods")),
    ("info/special_lods/hit_points", Item("lods")),
    ("animation_axes", Numbered("lods")),
    ("animation_axes", Rows("animations")),
    ("animation_axes/bone", Item("info/skeleton/bones")),
    ("bone_animations/bones", Numbered("info/skeleton/bones")),
    ("bone_animations/bones/value", Item("animations")),
    ("lods/name", Derived),
    ("lods/is_visual", Derived),
    ("lods/bones/value", Item("info/skeleton/bones")),
    ("lods/bone_links", Repeats(&["lods/bones"])),
    ("lods/indices", Repeats(&["lods/faces"])),
    ("lods/uvs", Repeats(&["lods/uv_coordinates"])),
    ("lods/normals", Repeats(&["lods/normal_vectors"])),
    ("lods/tangents", Repeats(&["lods/tangent_vectors"])),
    ("lods/uv_bounds", Derived),
    ("lods/face_default/color", Repeats(&["lods/color"])),
    ("lods/face_default/special", Repeats(&["lods/special"])),
    ("lods/face_default/or_hints", Repeats(&["lods/or_hints"])),
    ("lods/face_default/points", Repeats(&["lods/point_count"])),
    ("lods/face_default/faces", Repeats(&["lods/face_block/count"])),
    ("lods/face_default/face_area", Repeats(&["lods/face_area"])),
    ("lods/sections/texture", Item("lods/textures")),
    ("lods/sections/material", Item("lods/materials")),
    ("lods/proxies/bone", Item("info/skeleton/bones")),
    ("lods/proxies/selection", Item("lods/selections")),
    ("lods/proxies/section", Item("lods/sections")),
    ("lods/selections/sections/value", Item("lods/sections")),
    ("trailer/roadway/shapes/bone", Item("info/skeleton/bones")),
    ("trailer/mirrored_roadway/shapes/bone", Item("info/skeleton/bones")),
];

const MLOD: &[(&str, Rule)] = &[
    ("lod_count", Derived),
    ("lods/name", Derived),
    ("lods/is_visual", Derived),
    ("lods/face_names/texture", Item("lods/textures")),
    ("lods/face_names/material", Item("lods/materials")),
];

const PAA: &[(&str, Rule)] = &[("alpha", Derived), ("mips/pixels", Repeats(&["mips/data"]))];

const RTM: &[(&str, Rule)] = &[
    ("last_time", Derived),
    ("times", Derived),
    ("header/frames", Derived),
    ("header/bones", Derived),
    ("bones/track", Derived),
    ("frames/transforms", Rows("bones")),
];

const BMTR: &[(&str, Rule)] = &[
    ("last_time", Derived),
    ("header/frames", Derived),
    ("header/bones", Derived),
    ("header/bones_hint", Derived),
    ("bones/track", Derived),
    ("frames/transforms", Rows("bones")),
];

const BMX: &[(&str, Rule)] = &[
    ("objects/mesh", Item("meshes")),
    ("objects/mesh_index", Derived),
    ("materials/texture", Item("textures")),
    ("materials/texture_index", Derived),
    ("meshes/faces/material_index", Item("materials")),
];

const LODKA: &[(&str, Rule)] = &[
    ("infos/model", Item("models")),
    ("skeletons/model", Item("models")),
    ("animations/model", Item("models")),
    ("light_schemes/model", Item("models")),
    ("collider_sets/model", Item("models")),
    ("screenshots/model", Item("models")),
    ("material_lists/model", Item("models")),
    ("texture_lists/model", Item("models")),
    ("shader_lists/model", Item("models")),
    ("materials/model", Item("models")),
    ("textures/model", Item("models")),
    ("shaders/model", Item("models")),
    ("meshes/model", Item("models")),
    ("morph_collection_lists/model", Item("models")),
    ("morph_mesh_lists/model", Item("models")),
    ("morph_collections/model", Item("models")),
    ("morph_meshes/model", Item("models")),
    ("physics/model", Item("models")),
    ("proxy_sets/model", Item("models")),
    ("models/chunk_count", Derived),
    ("lists/count", Derived),
    ("material_lists/count", Derived),
    ("material_lists/material_count", Derived),
    ("texture_lists/count", Derived),
    ("texture_lists/texture_count", Derived),
    ("shader_lists/count", Derived),
    ("shader_lists/shader_count", Derived),
    ("skeletons/count", Derived),
    ("skeletons/bone_count", Derived),
    ("skeletons/bones/id", Number),
    ("skeletons/bones/parent", Item("skeletons/bones#id")),
    ("collider_sets/collider_records", Derived),
    ("collider_sets/colliders/bone", Item("skeletons/bones#id")),
    ("light_schemes/light_records", Derived),
    ("meshes/bone_ids/value", Item("skeletons/bones")),
    ("meshes/weights/bone", Item("skeletons/bones")),
    ("morph_collection_lists/records", Derived),
    ("morph_collections/parent", Item("morph_collections")),
    ("morph_collections/proxy", Item("morph_collections")),
    ("morph_collections/bone_records", Derived),
    ("morph_collections/bones/parent", Item("morph_collections/bones")),
    ("morph_collections/animation_records", Derived),
    ("morph_mesh_lists/records", Derived),
    ("morph_meshes/mesh", Item("meshes")),
    ("physics/body_records", Derived),
    ("physics/geom_records", Derived),
    ("physics/geoms/body", Item("physics/bodies")),
    ("physics/joint_records", Derived),
    ("physics/joints/body_1", Item("physics/bodies")),
    ("physics/joints/body_2", Item("physics/bodies")),
    ("proxy_sets/proxy_records", Derived),
    ("proxy_sets/proxies/parent", Item("proxy_sets/proxies")),
    ("proxy_sets/proxies/mesh", Item("meshes")),
];

const RAP: &[(&str, Rule)] = &[
    ("enum_address", Derived),
    ("classes/outer", Parent("classes")),
    ("classes/end", Derived),
    ("classes/entries/address", Derived),
];

const TEXHEADERS: &[(&str, Rule)] = &[
    ("texture_count", Derived),
    ("textures/average", Repeats(&["textures/average_color"])),
    ("textures/mip_count", Repeats(&["textures/mips"])),
];

const BISIGN: &[(&str, Rule)] = &[("key_size", Derived)];

/// The rules of one format by path. They are asked for something inside the part opened last.
#[derive(Default)]
pub(super) struct Rules {
    by_path: HashMap<&'static str, Vec<Rule>>,
    path: Path,
}

impl Rules {
    pub(super) fn of(format: Format) -> Self {
        let rules = match format {
            Format::B3d => B3D,
            Format::Bmx => BMX,
            Format::Lodka => LODKA,
            Format::Odol => ODOL,
            Format::Bmtr => BMTR,
            Format::Rtm => RTM,
            Format::Mlod => MLOD,
            Format::Paa => PAA,
            Format::Rap => RAP,
            Format::TexHeaders => TEXHEADERS,
            Format::Bikey => BISIGN,
            Format::Bisign => BISIGN,
            // Archives are compared member by member.
            _ => &[],
        };
        let mut all = Self::default();
        for &(path, rule) in rules {
            all.by_path.entry(path).or_default().push(rule);
        }
        all
    }

    /// Goes to the rules of a kind of part, inside those around it.
    pub(super) fn enter(&mut self, part: &'static str) {
        self.path.open(&Part::one(part));
    }

    /// Goes back to the rules around the part.
    pub(super) fn leave(&mut self) {
        self.path.close();
    }

    /// Returns the rules of a field, array or part.
    fn of_name(&mut self, name: &str) -> &[Rule] {
        let by_path = &self.by_path;
        match self.path.with(name, None, |path| by_path.get(path)) {
            Some(rules) => rules,
            None => &[],
        }
    }

    pub(super) fn has(&mut self, name: &str, rule: Rule) -> bool {
        self.of_name(name).contains(&rule)
    }

    /// Returns true if a part is not compared as a part of the outline.
    pub(super) fn leave_out(&mut self, part: &Part<'_>, is_archive: bool) -> bool {
        // Members, and data derived from them, are compared in another way.
        is_archive && matches!(part.name, "members" | "directory" | "tail") || self.has(part.name, Derived)
    }

    /// Returns the list that the numbers of a field or column refer to.
    pub(super) fn item(&mut self, name: &str) -> Option<&'static str> {
        for rule in self.of_name(name) {
            if let Item(list) | Parent(list) = rule {
                return Some(list);
            }
        }
        None
    }

    /// Returns the list of possible parents of a part.
    pub(super) fn parent(&mut self, name: &str) -> Option<&'static str> {
        for rule in self.of_name(name) {
            if let Parent(list) = rule {
                return Some(list);
            }
        }
        None
    }

    /// Returns the list that the rows of an array describe.
    pub(super) fn rows(&mut self, name: &str) -> Option<&'static str> {
        for rule in self.of_name(name) {
            if let Rows(list) = rule {
                return Some(list);
            }
        }
        None
    }

    /// Returns the list that several arrays of one name describe.
    pub(super) fn numbered(&mut self, name: &str) -> Option<&'static str> {
        for rule in self.of_name(name) {
            if let Numbered(list) = rule {
                return Some(list);
            }
        }
        None
    }

    /// Returns the arrays or fields that show the same data as this one.
    pub(super) fn repeated(&mut self, name: &str) -> Option<&'static [&'static str]> {
        for rule in self.of_name(name) {
            if let Repeats(arrays) = rule {
                return Some(arrays);
            }
        }
        None
    }
}
