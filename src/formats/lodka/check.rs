//! The checks of a model that read every element.

use std::iter::zip;
use std::mem::offset_of;

use zerocopy::FromBytes;
use zerocopy::little_endian::{F32, I16, I32};

use super::verify::Survey;
use super::wire::{Geom, Joint, Light, MorphBone, MorphMeshRecord, MorphRecord, NarrowWeight, Proxy, WideWeight};
use super::{
    ColliderSet, FaceGroup, Indices, LightScheme, Mesh, MorphCollections, MorphMeshes, Node, Physics, ProxySet,
    Skeleton, WeightRecords, Weights,
};
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::impl_fmt::impl_fmt;
use crate::base::place::{Locate, Root};
use crate::bytes::{Element, LeArray, Table};
use crate::check::{self, Below, Broken, Check, Faults, Finite, Index, IndexOrNone, Numbers, Rows, Rule};

impl<'a> Survey<'_, 'a> {
    /// Checks the arrays of a mesh, except those of its face groups.
    pub(super) fn mesh_arrays(&mut self, node: &Node<'a>, mesh: &Mesh<'a>) {
        let vertices = mesh.positions.len();
        self.finite(node, "positions", &mesh.positions);
        self.finite(node, "normals", &mesh.normals);
        for (set, uvs) in mesh.uvs.iter().enumerate() {
            self.finite_in(node.item("uvs", set), &uvs);
        }
        if !mesh.bone_ids.is_empty() {
            if mesh.bone_ids.len() != vertices {
                let count = mesh.bone_ids.len();
                let message = format_args!("{count} bone ids for {vertices} vertices");
                self.warn(node.field("bone_ids"), mesh.bone_ids.offset(), message);
            }
            if mesh.weights.is_some() {
                self.warn(node.field("bone_ids"), mesh.bone_ids.offset(), "both bone ids and weights");
            }
        }
        self.indices(node.field("bone_ids"), &mesh.bone_ids, mesh.bone_count as usize, "bones");
        if let Some(weights) = mesh.weights {
            self.weights(node, &weights, mesh);
        }
    }

    /// Checks the weights of a mesh: a list for each vertex, bones that exist, and finite numbers.
    fn weights(&mut self, node: &Node<'a>, weights: &Weights<'a>, mesh: &Mesh<'a>) {
        let offset = weights.records.as_table().storage().offset;
        let mut lists = Amount(0);
        let mut is_last_closed = true;
        for list in weights.vertices() {
            lists += 1;
            is_last_closed = list.is_closed();
        }
        if lists.0 != mesh.positions.len() {
            let message = format_args!("{} weight lists for {} vertices", lists.0, mesh.positions.len());
            self.warn(node.field("weights"), offset, message);
        }
        if !is_last_closed {
            self.warn(node.field("weights"), offset, "the last weight list is not closed");
        }
        if weights.bones_per_vertex == 1 {
            // The records come after this field and their count, two numbers of 4 bytes.
            let message = "1, and where each vertex has one bone there are bone ids";
            self.warn(node.field("bones_per_vertex"), offset.saturating_sub(8), message);
        }
        let rows = Rows::from(weights.records.as_table());
        let bones = weights.records.iter().map(|record| record.bone.into());
        self.elements(node.field("weights"), "bones", Below(mesh.bone_count.into()), rows, bones);
        let weight_offset = match weights.records {
            WeightRecords::Narrow(_) => offset_of!(NarrowWeight, weight),
            WeightRecords::Wide(_) => offset_of!(WideWeight, weight),
        };
        let numbers = weights.records.iter().map(|record| Numbers([record.weight]));
        self.elements(node.field("weights"), "weights", Finite, rows.into(weight_offset), numbers);
    }

    /// Checks the readable bones: each id is there once, and each parent is a bone before it. Keeps the ids for the
    /// checks of colliders.
    #[inline(never)]
    pub(super) fn bones(&mut self, node: &Node<'a>, skeleton: &Skeleton<'a>) {
        let mut parents = Check::new(Broken::new(Code::Range, "the id of no bone before"));
        let mut twice = Check::new(Broken::new(Code::Duplicate, "there twice"));
        for (bone, span) in skeleton.bones.spanned() {
            let Ok(bone) = bone else { continue };
            // A root has the parent -1.
            let has_parent = bone.parent == -1 || self.part.bone_ids.contains(&bone.parent);
            // A bone starts with its id, of 2 bytes, and then has that of its parent.
            parents.look(span.offset.saturating_add(2), bone.parent, has_parent);
            twice.look(span.offset, bone.id, self.part.bone_ids.insert(bone.id));
        }
        parents.report("parents", self.problems, node.field("bones"));
        twice.report("ids", self.problems, node.field("bones"));
    }

    /// Checks the face group at `index` of a mesh: whole triangles, a mask for each or none, and indices of existing
    /// vertices, normals and texture coordinates.
    pub(super) fn face_group(&mut self, node: &Node<'a>, mesh: &Mesh<'a>, index: usize, group: &FaceGroup<'a>) {
        let place = node.item("face_groups", index);
        let corners = group.vertex_indices.len();
        if corners.checked_rem(3) != Some(0) {
            let message = format_args!("{corners}, not a multiple of 3");
            self.warn(place.field("vertex_indices"), group.vertex_indices.offset(), message);
        }
        let triangles = group.triangle_count();
        if let Some(smoothing) = group.smoothing
            && !smoothing.is_empty()
            && smoothing.len() != triangles
        {
            let message = format_args!("{} masks for {triangles} triangles", smoothing.len());
            self.warn(place.field("smoothing"), smoothing.offset(), message);
        }
        self.check_index_count(place.field("normal_indices"), &group.normal_indices, corners);
        for indices in group.uv_indices.iter() {
            self.check_index_count(place.field("uv_indices"), &indices, corners);
        }
        self.indices(place.field("vertex_indices"), &group.vertex_indices, mesh.positions.len(), "indices");
        self.indices(place.field("normal_indices"), &group.normal_indices, mesh.normals.len(), "indices");
        for (set, (indices, uvs)) in zip(group.uv_indices.iter(), mesh.uvs.iter()).enumerate() {
            self.indices(place.item("uv_indices", set), &indices, uvs.len(), "indices");
        }
    }

    /// Warns unless there is no index, or one for each of the `corners`.
    fn check_index_count(&mut self, place: impl Locate, indices: &Indices<'a>, corners: usize) {
        if !indices.is_empty() && indices.len() != corners {
            let message = format_args!("{} indices beside {corners} vertex indices", indices.len());
            self.warn(place, indices.offset(), message);
        }
    }

    /// Counts the morph collections. In a deep survey, checks what they refer to, and that the numbers of their frames are
    /// finite.
    pub(super) fn morph_collections(&mut self, node: &Node<'a>, morphs: &MorphCollections<'a>) {
        let count = morphs.records.len();
        self.counted.morph_collections += count as u64;
        let table = morphs.records.as_table();
        if morphs.wide_records {
            self.warn(node.field("records"), table.storage().offset, "of 32 bytes, not 28");
        }
        if !self.deep {
            return;
        }
        let records = &morphs.records;
        // All fields that are checked are after the gap, which `MorphRecord` does not have.
        let gap = if morphs.wide_records { size_of::<I32>() } else { 0 };
        let rows = Rows::from(table).into(gap);
        let parents = rows.into(offset_of!(MorphRecord, parent));
        let numbers = records.iter().map(|record| record.parent.get().into());
        self.elements(node.field("records"), "parents", IndexOrNone(count as u64), parents, numbers);
        let proxies = rows.into(offset_of!(MorphRecord, proxy));
        let numbers = records.iter().map(|record| record.proxy.get().into());
        self.elements(node.field("records"), "proxies", IndexOrNone(count as u64), proxies, numbers);
        let bone_rows = rows.into(offset_of!(MorphRecord, parent_bone));
        let mut bones = Check::new(Broken::new(Code::Range, "of no bone of the parent"));
        for (index, record) in zip(0.., records.iter()) {
            let bone = record.parent_bone.get();
            // A parent that does not exist was reported above.
            let is_known = match to_index(record.parent).and_then(|parent| records.get(parent)) {
                Some(parent) => (-1..parent.bones.get()).contains(&bone),
                None => true,
            };
            bones.look(bone_rows.offset_of(index), bone, is_known);
        }
        bones.report("parent bones", self.problems, node.field("records"));
        if let Some(index) = check::ring(count, self.problems, |index| to_index(records.get(index)?.parent)) {
            self.leads_back("parent", parents, index, node.item("records", index));
        }
        if let Some(index) = check::ring(count, self.problems, |index| to_index(records.get(index)?.proxy)) {
            self.leads_back("proxy", proxies, index, node.item("records", index));
        }
        for (index, collection) in morphs.collections().enumerate() {
            self.morph_bones(&collection.bones, Root.item("morph_collections", index));
        }
        self.finite(node, "matrices", &morphs.matrices);
        self.finite(node, "colliders", &morphs.colliders);
    }

    /// Checks the parents of the bones of one morph collection, which is at `place`.
    fn morph_bones(&mut self, bones: &LeArray<'a, MorphBone>, place: impl Locate + Copy) {
        let parents = bones.iter().map(|bone| bone.parent.get().into());
        let rows = Rows::from(bones).into(offset_of!(MorphBone, parent));
        let check = Check::new(IndexOrNone(bones.len() as u64)).array(rows, parents);
        check.report("bone parents", self.problems, place.field("bones"));
        if let Some(bone) = check::ring(bones.len(), self.problems, |bone| to_index(bones.get(bone)?.parent)) {
            self.leads_back("parent", rows, bone, place.item("bones", bone).field("parent"));
        }
    }

    /// In a deep survey, checks morphed meshes: what they refer to, their sizes, and that their vertices are finite.
    pub(super) fn morph_meshes(&mut self, node: &Node<'a>, morphs: &MorphMeshes<'a>) {
        if !self.deep {
            return;
        }
        let meshes = self.part.known.mesh_count();
        let numbers = morphs.records.iter().map(|record| record.mesh.get().into());
        let rows = Rows::from(&morphs.records);
        let mesh_rows = rows.into(offset_of!(MorphMeshRecord, mesh));
        self.elements(node.field("records"), "meshes", Index(meshes), mesh_rows, numbers);
        self.morphed(node, morphs);
        let mut halves = Check::new(Broken::new(Code::OddEmpty, "half empty"));
        for (index, record) in zip(0.., morphs.records.iter()) {
            let frames = record.frames.get();
            let vertices = record.vertices.get();
            halves.look(rows.offset_of(index), Extent { frames, vertices }, (frames == 0) == (vertices == 0));
        }
        halves.report("records", self.problems, node.field("records"));
        let vertices = morphs.vertices.len();
        if usize::try_from(morphs.vertex_count) != Ok(vertices) {
            let hint = morphs.vertex_count;
            // The count is directly before the vertices.
            let offset = morphs.vertices.offset().saturating_sub(size_of::<I32>() as u64);
            self.warn(node.field("vertex_count"), offset, format_args!("{hint}, there are {vertices}"));
        }
        self.finite(node, "vertices", &morphs.vertices);
    }

    /// Checks morphed meshes against the meshes and collections that they name. What is unknown counts as equal.
    fn morphed(&mut self, node: &Node<'a>, morphs: &MorphMeshes<'a>) {
        let mut names = Check::new(Broken::new(Code::Name, "not that of the mesh"));
        let mut counts = Check::new(Broken::new(Code::OddRange, "not that of the mesh"));
        let mut collections = Check::new(Broken::new(Code::Missing, "that of no collection"));
        let mut frames = Check::new(Broken::new(Code::OddRange, "not that of the collection"));
        let known = &self.part.known;
        for (index, morph) in zip(0.., morphs.meshes()) {
            let offset = Rows::from(&morphs.records).offset_of(index);
            let vertices = morph.record.vertices.get();
            let frame_count = morph.record.frames.get();
            let mesh = known.mesh(morph.record.mesh.get());
            names.look(offset, morph.name, mesh.is_none_or(|(name, _)| name == morph.name));
            counts.look(offset, vertices, mesh.is_none_or(|(_, count)| usize::try_from(vertices) == Ok(count)));
            let Some(all) = &known.collections else { continue };
            let collection = all.get(&morph.collection_name);
            collections.look(offset, morph.collection_name, morph.collection_name.is_empty() || collection.is_some());
            // The number of frames is unknown if several collections have this name.
            let is_same = match collection {
                Some(Some(count)) => u64::try_from(frame_count) == Ok(*count),
                _ => true,
            };
            frames.look(offset, frame_count, is_same);
        }
        names.report("mesh names", self.problems, node.field("records"));
        counts.report("vertex counts", self.problems, node.field("records"));
        collections.report("collection names", self.problems, node.field("records"));
        frames.report("frame counts", self.problems, node.field("records"));
    }

    /// Counts bodies, geoms and joints. In a deep survey, checks what they refer to.
    pub(super) fn physics(&mut self, node: &Node<'a>, physics: &Physics<'a>) {
        let bodies = physics.bodies.len() as u64;
        let geoms = physics.geoms.len() as u64;
        let joints = physics.joints.len() as u64;
        self.counted.bodies += bodies;
        self.counted.geoms += geoms;
        self.counted.joints += joints;
        if !self.deep {
            return;
        }
        for (field, names, count) in [
            ("body_names", physics.body_names.iter().count(), bodies),
            ("geom_names", physics.geom_names.iter().count(), geoms),
        ] {
            if names as u64 > count {
                self.warn(node.field(field), node.chunk.offset(), format_args!("{names}, there are {count} to name"));
            }
        }
        let meshes = self.part.known.mesh_count();
        let numbers = physics.mesh_links.iter().map(|link| link.get().into());
        self.elements(node.field("mesh_links"), "meshes", Index(meshes), &physics.mesh_links, numbers);
        let geom_rows = Rows::from(&physics.geoms);
        let rows = geom_rows.into(offset_of!(Geom, body));
        let numbers = physics.geoms.iter().map(|geom| geom.body.get().into());
        self.elements(node.field("geom_records"), "bodies", IndexOrNone(bodies), rows, numbers);
        let joint_rows = Rows::from(&physics.joints);
        let rows = joint_rows.into(offset_of!(Joint, body_1));
        let numbers = physics.joints.iter().map(|joint| joint.body_1.get().into());
        self.elements(node.field("joint_records"), "first bodies", IndexOrNone(bodies), rows, numbers);
        let rows = joint_rows.into(offset_of!(Joint, body_2));
        let numbers = physics.joints.iter().map(|joint| joint.body_2.get().into());
        self.elements(node.field("joint_records"), "second bodies", IndexOrNone(bodies), rows, numbers);
        let links = physics.mesh_links.len() as u64;
        let rows = geom_rows.into(offset_of!(Geom, mesh_link));
        let mut ranges = Check::new(Broken::new(Code::Range, format!("not among the {links}")));
        for (index, geom) in zip(0.., physics.geoms.iter()) {
            let range = Links { first: geom.mesh_link.get(), count: geom.mesh_link_count.get() };
            // The first link of an empty range means nothing.
            ranges.look(rows.offset_of(index), range, range.count == 0 || range.is_within(links));
        }
        ranges.report("ranges of mesh links", self.problems, node.field("geom_records"));
    }

    /// In a deep survey, checks the opening angles of lights.
    pub(super) fn lights(&mut self, node: &Node<'a>, scheme: &LightScheme<'a>) {
        if !self.deep {
            return;
        }
        let rows = Rows::from(&scheme.lights).into(offset_of!(Light, cutoff));
        let mut cutoffs = Check::new(Broken::new(Code::OddRange, "neither from 0 to 90 nor 180"));
        for (index, light) in zip(0.., scheme.lights.iter()) {
            let angle = light.cutoff.get();
            // Fields that are not finite are reported by the check of all fields.
            let is_known = !angle.is_finite() || angle == 180.0 || (0.0..=90.0).contains(&angle);
            cutoffs.look(rows.offset_of(index), angle, is_known);
        }
        cutoffs.report("cutoffs", self.problems, node.field("light_records"));
    }

    /// Counts proxies. In a deep survey, checks what they refer to, and reports visible ones below hidden ones.
    pub(super) fn proxy_set(&mut self, node: &Node<'a>, set: &ProxySet<'a>) {
        let count = set.proxies.len() as u64;
        self.counted.proxies += count;
        let table = set.proxies.as_table();
        if set.wide_records {
            self.warn(node.field("proxy_records"), table.storage().offset, "of 56 bytes, not 54");
        }
        if !self.deep {
            return;
        }
        let meshes = self.part.known.mesh_count();
        // The header has the mesh in place of a count.
        let mesh_offset = node.count_offset();
        self.elements(node.field("mesh"), "", Index(meshes), mesh_offset, std::iter::once(set.mesh.into()));
        if let Some((_, vertices @ 1..)) = self.part.known.mesh(set.mesh) {
            let message = format_args!("{} has {vertices} vertices; proxies stand for an empty one", set.mesh);
            self.warn(node.field("mesh"), mesh_offset, message);
        }
        let parents = set.proxies.iter().map(|proxy| proxy.parent.get().into());
        self.elements(node.field("proxy_records"), "parents", IndexOrNone(count), Rows::from(table), parents);
        // All fields but the first are after the gap, which `Proxy` does not have.
        let gap = if set.wide_records { size_of::<I16>() } else { 0 };
        let rows = Rows::from(table).into(gap);
        let shown = set.proxies.iter().map(|proxy| proxy.mesh.get().into());
        let mesh_rows = rows.into(offset_of!(Proxy, mesh));
        self.elements(node.field("proxy_records"), "meshes", IndexOrNone(meshes), mesh_rows, shown);
        let ring = check::ring(set.proxies.len(), self.problems, |index| to_index(set.proxies.get(index)?.parent));
        if let Some(index) = ring {
            self.leads_back("parent", Rows::from(table), index, node.item("proxies", index).field("parent"));
        }
        let mut visible = Faults::default();
        let rows = rows.into(offset_of!(Proxy, visible));
        for (index, proxy) in set.proxies.iter().enumerate() {
            if proxy.visible.is_set()
                && let Some(parent) = to_index(proxy.parent)
                && let Some(parent) = set.proxies.get(parent)
                && !parent.visible.is_set()
            {
                let offset = rows.offset_of(index as u64);
                let path = [(node.kind.name(), Some(node.index)), ("proxies", Some(index)), ("visible", None)];
                visible.add(Code::Suspicious, &path, offset, "true, and what it hangs on is hidden");
            }
        }
        visible.report(self.problems);
    }

    /// Warns that the item at `index` is its own ancestor by way of this field, which is at these rows.
    fn leads_back(&mut self, field: &str, rows: Rows, index: usize, place: impl Locate) {
        let message = format_args!("the {field} leads back to item {index} itself");
        self.warn(place, rows.offset_of(index as u64), message);
    }

    /// Counts colliders. In a deep survey, checks that their bones exist.
    pub(super) fn collider_set(&mut self, node: &Node<'a>, set: &ColliderSet<'a>) {
        self.counted.colliders += set.colliders.len() as u64;
        if !self.deep {
            return;
        }
        let rows = Rows::from(&set.colliders);
        let mut ids = Check::new(Broken::new(Code::Range, "of no bone"));
        for (index, collider) in zip(0.., set.colliders.iter()) {
            let id = collider.bone.get();
            let is_known = self.part.bones_lost || self.part.bone_ids.contains(&id);
            ids.look(rows.offset_of(index), id, is_known);
        }
        ids.report("bone ids", self.problems, node.field("collider_records"));
    }

    /// In a deep survey, checks that all numbers are finite in the array of this name, whose elements consist of
    /// floats.
    pub(super) fn finite<T: Element>(&mut self, node: &Node<'a>, name: &'static str, array: &LeArray<'a, T>) {
        self.finite_in(node.field(name), array);
    }

    /// Does what [`finite`](Self::finite) does, for an array in this place.
    fn finite_in<T: Element>(&mut self, place: impl Locate, array: &LeArray<'a, T>) {
        if !self.deep {
            return;
        }
        let floats = <[F32]>::ref_from_bytes(array.as_bytes()).unwrap_or_default();
        let numbers = floats.iter().map(|float| Numbers([float.get()]));
        let check = Check::new(Finite).array(Rows::new(array.offset(), size_of::<F32>()), numbers);
        check.report("numbers", self.problems, place);
    }

    /// Checks that indices are below `count`, the length of the list they point into. `what` names them in a message.
    fn indices(&mut self, place: impl Locate, indices: &Indices<'a>, count: usize, what: &str) {
        let rows = Rows::from(indices as &dyn Table);
        let check = Check::new(Below(count as u64)).array(rows, indices.iter().map(u64::from));
        check.report(what, self.problems, place);
    }

    /// Checks elements of an array in this place, or one field of each. They are at these rows, and `what` names them
    /// in a message.
    fn elements<R: Rule>(
        &mut self,
        place: impl Locate,
        what: &str,
        rule: R,
        rows: impl Into<Rows>,
        values: impl Iterator<Item = R::Value> + Clone,
    ) {
        Check::new(rule).array(rows, values).report(what, self.problems, place);
    }
}

/// Converts the stored index of a parent or proxy. A negative one stands for none.
fn to_index(index: impl Into<i32>) -> Option<usize> {
    usize::try_from(index.into()).ok()
}

/// The range of mesh links of a geom.
#[derive(Clone, Copy)]
struct Links {
    first: i32,
    count: i32,
}

impl Links {
    /// Returns true if the range is inside a list of this length. A negative number never is.
    fn is_within(self, len: u64) -> bool {
        let Ok(first) = u64::try_from(self.first) else { return false };
        let Ok(count) = u64::try_from(self.count) else { return false };
        first.saturating_add(count) <= len
    }
}

impl_fmt!([] Display for Links, |links| "{} from {} on", links.count, links.first);

/// The size of a morphed mesh.
#[derive(Clone, Copy)]
struct Extent {
    frames: i32,
    vertices: i32,
}

impl_fmt!([] Display for Extent, |extent| "{} frames of {} vertices", extent.frames, extent.vertices);
