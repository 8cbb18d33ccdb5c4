//! The checks of a model that read every element.

use std::fmt;
use std::mem::offset_of;

use zerocopy::FromBytes;
use zerocopy::little_endian::F32;

use super::verify::{Survey, add, within};
use super::wire::{Geom, Joint, Light, MorphBone, MorphMeshRecord, MorphRecord, NarrowWeight, Proxy, WideWeight};
use super::{
    ColliderSet, FaceGroup, Indices, LightScheme, Mesh, MorphCollections, MorphMeshes, Node, Physics, ProxySet,
    Skeleton, WeightRecords, Weights,
};
use crate::base::code::Code;
use crate::base::error::{Context, Error};
use crate::base::impl_fmt::impl_fmt;
use crate::bytes::{Element, LeArray, Table};
use crate::check::{self, Below, Broken, Check, Faults, Finite, Index, IndexOrNone, Numbers, Rows, Rule};
use crate::summary::Severity;

impl<'a> Survey<'_, 'a> {
    pub(super) fn mesh_arrays(&mut self, node: &Node<'a>, mesh: &Mesh<'a>) {
        let vertices = mesh.positions.len();
        self.finite(node, "positions", &mesh.positions);
        self.finite(node, "normals", &mesh.normals);
        for (set, uvs) in mesh.uvs.iter().enumerate() {
            self.finite_in(node, &uvs, |error| error.within_item("uvs", set));
        }
        if !mesh.bone_ids.is_empty() {
            if mesh.bone_ids.len() != vertices {
                let count = mesh.bone_ids.len();
                let message = format_args!("{count} bone ids for {vertices} vertices");
                self.warn_of(node, "bone_ids", mesh.bone_ids.offset(), message);
            }
            if mesh.weights.is_some() {
                self.warn_of(node, "bone_ids", mesh.bone_ids.offset(), "both bone ids and weights");
            }
        }
        self.indices(node, &mesh.bone_ids, mesh.bone_count as usize, "bones", within("bone_ids"));
        if let Some(weights) = mesh.weights {
            self.weights(node, &weights, mesh);
        }
    }

    fn weights(&mut self, node: &Node<'a>, weights: &Weights<'a>, mesh: &Mesh<'a>) {
        let offset = weights.records.as_table().storage().offset;
        let (mut lists, mut closed) = (0_usize, true);
        for list in weights.vertices() {
            lists = lists.saturating_add(1);
            closed = list.is_closed();
        }
        if lists != mesh.positions.len() {
            let message = format_args!("{lists} weight lists for {} vertices", mesh.positions.len());
            self.warn_of(node, "weights", offset, message);
        }
        if !closed {
            self.warn_of(node, "weights", offset, "the last weight list is not closed");
        }
        if weights.bones_per_vertex == 1 {
            // The count of weight records is between the two fields.
            let message = "1, and where each vertex has one bone there are bone ids";
            self.warn_of(node, "bones_per_vertex", offset.saturating_sub(8), message);
        }
        let rows = Rows::from(weights.records.as_table());
        let bones = weights.records.iter().map(|record| record.bone.into());
        self.elements(node, ("weights", "bones"), Below(mesh.bone_count.into()), rows, bones);
        let weight = match weights.records {
            WeightRecords::Narrow(_) => offset_of!(NarrowWeight, weight),
            WeightRecords::Wide(_) => offset_of!(WideWeight, weight),
        };
        let shares = weights.records.iter().map(|record| Numbers([record.weight]));
        self.elements(node, ("weights", "weights"), Finite, rows.into(weight), shares);
    }

    /// Checks the ids and parents of the readable bones.
    #[inline(never)]
    pub(super) fn bones(&mut self, node: &Node<'a>, skeleton: &Skeleton<'a>) {
        let mut parents = Check::new(Broken::new(Code::Range, "the id of no bone before"));
        let mut twice = Check::new(Broken::new(Code::Duplicate, "there twice"));
        for (bone, span) in skeleton.bones.spanned().filter_map(|(bone, span)| Some((bone.ok()?, span))) {
            let has_parent = bone.parent == -1 || self.part.bone_ids.contains(&bone.parent);
            parents.look(span.offset.saturating_add(2), bone.parent, has_parent);
            twice.look(span.offset, bone.id, self.part.bone_ids.insert(bone.id));
        }
        for (check, what) in [(parents, "parents"), (twice, "ids")] {
            self.report(node, check, what, within("bones"));
        }
    }

    pub(super) fn face_group(&mut self, node: &Node<'a>, mesh: &Mesh<'a>, index: usize, group: &FaceGroup<'a>) {
        let corners = group.vertex_indices.len();
        let mut odd = |field: &'static str, offset: u64, message: fmt::Arguments<'_>| {
            let place = |error: Error| error.within(field).within_item("face_groups", index);
            self.warn_in(node, place, offset, message);
        };
        if corners.checked_rem(3) != Some(0) {
            odd("vertex_indices", group.vertex_indices.offset(), format_args!("{corners}, not a multiple of 3"));
        }
        if let Some(smoothing) = group.smoothing.filter(|masks| ![0, group.triangle_count()].contains(&masks.len())) {
            let (masks, triangles) = (smoothing.len(), group.triangle_count());
            odd("smoothing", smoothing.offset(), format_args!("{masks} masks for {triangles} triangles"));
        }
        let uvs = |set| Some(("uv_indices", Some(set), group.uv_indices.get(set)?, mesh.uvs.get(set)?.len()));
        let vertices = ("vertex_indices", None, group.vertex_indices, mesh.positions.len());
        let normals = ("normal_indices", None, group.normal_indices, mesh.normals.len());
        let lists = [Some(vertices), Some(normals), uvs(0), uvs(1)];
        for (field, _, indices, _) in lists.iter().flatten().skip(1) {
            if ![0, corners].contains(&indices.len()) {
                let message = format_args!("{} indices beside {corners} vertex indices", indices.len());
                odd(field, indices.offset(), message);
            }
        }
        for (field, set, indices, count) in lists.into_iter().flatten() {
            self.indices(node, &indices, count, "indices", |error| {
                let error = match set {
                    Some(set) => error.within_item(field, set),
                    None => error.within(field),
                };
                error.within_item("face_groups", index)
            });
        }
    }

    pub(super) fn morph_collections(&mut self, node: &Node<'a>, morphs: &MorphCollections<'a>) {
        let count = morphs.records.len();
        add(&mut self.counted.morph_collections, count as u64);
        let table = morphs.records.as_table();
        if morphs.wide_records {
            self.warn_of(node, "records", table.storage().offset, "of 32 bytes, not 28");
        }
        if !self.deep {
            return;
        }
        let records = &morphs.records;
        // All fields that are checked are after the gap.
        let rows = Rows::from(table).into(if morphs.wide_records { 4 } else { 0 });
        let parents = rows.into(offset_of!(MorphRecord, parent));
        let numbers = records.iter().map(|record| record.parent.get().into());
        self.elements(node, ("records", "parents"), IndexOrNone(count as u64), parents, numbers);
        let proxies = rows.into(offset_of!(MorphRecord, proxy));
        let numbers = records.iter().map(|record| record.proxy.get().into());
        self.elements(node, ("records", "proxies"), IndexOrNone(count as u64), proxies, numbers);
        let bones = records.iter().map(|record| {
            let (of, bone) = (parent(record.parent).and_then(|parent| records.get(parent)), record.parent_bone.get());
            (bone, of.is_none_or(|parent| (-1..parent.bones.get()).contains(&bone)))
        });
        let rule = Broken::new(Code::Range, "of no bone of the parent");
        let check = look(rule, rows.into(offset_of!(MorphRecord, parent_bone)), bones);
        self.report(node, check, "parent bones", within("records"));
        let place = |error: Error, index| node.place(error.within_item("records", index));
        self.ring(parents, "parent", (count, &|index| parent(records.get(index)?.parent)), place);
        self.ring(proxies, "proxy", (count, &|index| parent(records.get(index)?.proxy)), place);
        for (index, collection) in morphs.collections().enumerate() {
            let bones = &collection.bones;
            let parents = bones.iter().map(|bone| bone.parent.get().into());
            let rows = Rows::from(bones).into(offset_of!(MorphBone, parent));
            let check = Check::new(IndexOrNone(bones.len() as u64)).array(rows, parents);
            let place = |error: Error| error.within_item("morph_collections", index);
            check.report("bone parents", self.problems, |error| place(error.within("bones")));
            let parents = |bone| parent(bones.get(bone)?.parent);
            self.ring(rows, "parent", (bones.len(), &parents), |error, bone| {
                place(error.within("parent").within_item("bones", bone))
            });
        }
        self.finite(node, "matrices", &morphs.matrices);
        self.finite(node, "colliders", &morphs.colliders);
    }

    pub(super) fn morph_meshes(&mut self, node: &Node<'a>, morphs: &MorphMeshes<'a>) {
        if !self.deep {
            return;
        }
        let meshes = self.part.known.mesh_count();
        let numbers = morphs.records.iter().map(|record| record.mesh.get().into());
        let rows = Rows::from(&morphs.records);
        let mesh = rows.into(offset_of!(MorphMeshRecord, mesh));
        self.elements(node, ("records", "meshes"), Index(meshes), mesh, numbers);
        self.morphed(node, morphs);
        let extents = morphs.records.iter().map(|record| {
            let (frames, vertices) = (record.frames.get(), record.vertices.get());
            (Extent { frames, vertices }, (frames == 0) == (vertices == 0))
        });
        let halves = look(Broken::new(Code::OddEmpty, "half empty"), rows, extents);
        self.report(node, halves, "records", within("records"));
        let vertices = morphs.vertices.len();
        if usize::try_from(morphs.vertex_count) != Ok(vertices) {
            let hint = morphs.vertex_count;
            let offset = morphs.vertices.offset().saturating_sub(4);
            self.warn_of(node, "vertex_count", offset, format_args!("{hint}, there are {vertices}"));
        }
        self.finite(node, "vertices", &morphs.vertices);
    }

    /// Checks morphed meshes against the meshes and collections that they name.
    fn morphed(&mut self, node: &Node<'a>, morphs: &MorphMeshes<'a>) {
        let mut names = Check::new(Broken::new(Code::Name, "not that of the mesh"));
        let mut counts = Check::new(Broken::new(Code::OddRange, "not that of the mesh"));
        let mut collections = Check::new(Broken::new(Code::Missing, "that of no collection"));
        let mut frames = Check::new(Broken::new(Code::OddRange, "not that of the collection"));
        let known = &self.part.known;
        for (index, morph) in (0..).zip(morphs.meshes()) {
            let offset = Rows::from(&morphs.records).offset_of(index);
            let (vertices, frame_count) = (morph.record.vertices.get(), morph.record.frames.get());
            let mesh = known.mesh(morph.record.mesh.get());
            names.look(offset, morph.name, mesh.is_none_or(|(name, _)| name == morph.name));
            counts.look(offset, vertices, mesh.is_none_or(|(_, count)| usize::try_from(vertices) == Ok(count)));
            let Some(all) = &known.collections else { continue };
            let collection = all.get(&morph.collection_name);
            collections.look(offset, morph.collection_name, morph.collection_name.is_empty() || collection.is_some());
            let is_other = |count| u64::try_from(frame_count) != Ok(count);
            frames.look(offset, frame_count, !collection.copied().flatten().is_some_and(is_other));
        }
        self.report(node, names, "mesh names", within("records"));
        self.report(node, counts, "vertex counts", within("records"));
        self.report(node, collections, "collection names", within("records"));
        self.report(node, frames, "frame counts", within("records"));
    }

    pub(super) fn physics(&mut self, node: &Node<'a>, physics: &Physics<'a>) {
        let [bodies, geoms, joints, links] =
            [physics.bodies.len(), physics.geoms.len(), physics.joints.len(), physics.mesh_links.len()]
                .map(|count| count as u64);
        add(&mut self.counted.bodies, bodies);
        add(&mut self.counted.geoms, geoms);
        add(&mut self.counted.joints, joints);
        if !self.deep {
            return;
        }
        for (what, names, count) in [
            ("body_names", physics.body_names.iter().count(), bodies),
            ("geom_names", physics.geom_names.iter().count(), geoms),
        ] {
            if names as u64 > count {
                self.warn_of(node, what, node.chunk.offset(), format_args!("{names}, there are {count} to name"));
            }
        }
        let meshes = self.part.known.mesh_count();
        let numbers = physics.mesh_links.iter().map(|link| link.get().into());
        self.elements(node, ("mesh_links", "meshes"), Index(meshes), &physics.mesh_links, numbers);
        let geoms = || physics.geoms.iter();
        let rows = Rows::from(&physics.geoms);
        let (body, numbers) = (rows.into(offset_of!(Geom, body)), geoms().map(|geom| geom.body.get().into()));
        self.elements(node, ("geom_records", "bodies"), IndexOrNone(bodies), body, numbers);
        let joints = || physics.joints.iter();
        let ends = Rows::from(&physics.joints);
        let (end, numbers) = (ends.into(offset_of!(Joint, body_1)), joints().map(|joint| joint.body_1.get().into()));
        self.elements(node, ("joint_records", "first bodies"), IndexOrNone(bodies), end, numbers);
        let (end, numbers) = (ends.into(offset_of!(Joint, body_2)), joints().map(|joint| joint.body_2.get().into()));
        self.elements(node, ("joint_records", "second bodies"), IndexOrNone(bodies), end, numbers);
        let ranges = geoms().map(|geom| {
            let (first, count) = (geom.mesh_link.get(), geom.mesh_link_count.get());
            let range = u64::try_from(first).ok().zip(u64::try_from(count).ok());
            let is_inside = range.is_some_and(|(first, count)| first.saturating_add(count) <= links);
            (Links { first, count }, count == 0 || is_inside)
        });
        let rule = Broken::new(Code::Range, format!("not among the {links}"));
        let check = look(rule, rows.into(offset_of!(Geom, mesh_link)), ranges);
        self.report(node, check, "ranges of mesh links", within("geom_records"));
    }

    pub(super) fn lights(&mut self, node: &Node<'a>, scheme: &LightScheme<'a>) {
        if !self.deep {
            return;
        }
        let is_known = |angle: f32| !angle.is_finite() || angle == 180.0 || (0.0..=90.0).contains(&angle);
        let cutoffs = scheme.lights.iter().map(|light| (light.cutoff.get(), is_known(light.cutoff.get())));
        let rule = Broken::new(Code::OddRange, "neither from 0 to 90 nor 180");
        let check = look(rule, Rows::from(&scheme.lights).into(offset_of!(Light, cutoff)), cutoffs);
        self.report(node, check, "cutoffs", within("light_records"));
    }

    pub(super) fn proxy_set(&mut self, node: &Node<'a>, set: &ProxySet<'a>) {
        let count = set.proxies.len() as u64;
        add(&mut self.counted.proxies, count);
        let table = set.proxies.as_table();
        if set.wide_records {
            self.warn_of(node, "proxy_records", table.storage().offset, "of 56 bytes, not 54");
        }
        if !self.deep {
            return;
        }
        let meshes = self.part.known.mesh_count();
        let place = node.chunk.offset().saturating_add(8);
        self.elements(node, ("mesh", ""), Index(meshes), place, std::iter::once(set.mesh.into()));
        if let Some((_, vertices @ 1..)) = self.part.known.mesh(set.mesh) {
            let message = format_args!("{} has {vertices} vertices; proxies stand for an empty one", set.mesh);
            self.warn_of(node, "mesh", place, message);
        }
        let parents = set.proxies.iter().map(|proxy| proxy.parent.get().into());
        self.elements(node, ("proxy_records", "parents"), IndexOrNone(count), Rows::from(table), parents);
        // All fields but the first are after the gap.
        let rows = Rows::from(table).into(if set.wide_records { 2 } else { 0 });
        let shown = set.proxies.iter().map(|proxy| proxy.mesh.get().into());
        let mesh = rows.into(offset_of!(Proxy, mesh));
        self.elements(node, ("proxy_records", "meshes"), IndexOrNone(meshes), mesh, shown);
        let parents = |index| parent(set.proxies.get(index)?.parent);
        self.ring(Rows::from(table), "parent", (set.proxies.len(), &parents), |error, index| {
            node.place(error.within("parent").within_item("proxies", index))
        });
        let mut visible = Faults::default();
        let rows = rows.into(offset_of!(Proxy, visible));
        for (index, proxy) in set.proxies.iter().enumerate().filter(|(_, proxy)| proxy.visible.is_set()) {
            let above = parent(proxy.parent).and_then(|above| set.proxies.get(above));
            if above.is_some_and(|above| !above.visible.is_set()) {
                let offset = rows.offset_of(index as u64);
                let path = [(node.kind.name(), Some(node.index)), ("proxies", Some(index)), ("visible", None)];
                visible.add(Code::Suspicious, (&path, offset), || "true, and what it hangs on is hidden".to_owned());
            }
        }
        visible.report(self.problems);
    }

    /// Reports an item that is its own ancestor. The field with the parent is at these rows. `place` adds the part of
    /// the item to the error.
    fn ring(
        &mut self,
        rows: Rows,
        field: &str,
        (count, parent): (usize, &dyn Fn(usize) -> Option<usize>),
        place: impl FnOnce(Error, usize) -> Error,
    ) {
        let Some(index) = check::ring(count, self.problems, parent) else { return };
        self.problems.report(Severity::Warning, || {
            let error = Error::malformed(format!("the {field} leads back to item {index} itself"));
            place(error.coded(Code::Suspicious).at(rows.offset_of(index as u64)), index)
        });
    }

    pub(super) fn collider_set(&mut self, node: &Node<'a>, set: &ColliderSet<'a>) {
        add(&mut self.counted.colliders, set.colliders.len() as u64);
        if !self.deep {
            return;
        }
        let is_known = |id| self.part.bones_lost || self.part.bone_ids.contains(&id);
        let ids = set.colliders.iter().map(|collider| (collider.bone.get(), is_known(collider.bone.get())));
        let check = look(Broken::new(Code::Range, "of no bone"), Rows::from(&set.colliders), ids);
        self.report(node, check, "bone ids", within("collider_records"));
    }

    /// Checks that the numbers of an array of floats are finite.
    pub(super) fn finite<T: Element>(&mut self, node: &Node<'a>, part: &'static str, array: &LeArray<'a, T>) {
        self.finite_in(node, array, within(part));
    }

    fn finite_in<T: Element>(&mut self, node: &Node<'a>, array: &LeArray<'a, T>, place: impl FnOnce(Error) -> Error) {
        if !self.deep {
            return;
        }
        let floats = <[F32]>::ref_from_bytes(array.as_bytes()).unwrap_or_default();
        let numbers = floats.iter().map(|float| Numbers([float.get()]));
        let check = Check::new(Finite).array(Rows::new(array.offset(), size_of::<F32>()), numbers);
        self.report(node, check, "numbers", place);
    }

    /// Checks that indices are below the length of the list they point into.
    fn indices(
        &mut self,
        node: &Node<'a>,
        indices: &Indices<'a>,
        count: usize,
        what: &str,
        place: impl FnOnce(Error) -> Error,
    ) {
        let check =
            Check::new(Below(count as u64)).array(Rows::from(indices as &dyn Table), indices.iter().map(u64::from));
        self.report(node, check, what, place);
    }

    /// Checks the elements of an array that belongs to this part of the chunk.
    fn elements<R: Rule>(
        &mut self,
        node: &Node<'a>,
        (part, what): (&'static str, &str),
        rule: R,
        rows: impl Into<Rows>,
        values: impl Iterator<Item = R::Value> + Clone,
    ) {
        self.report(node, Check::new(rule).array(rows, values), what, within(part));
    }

    pub(super) fn report<R: Rule>(
        &mut self,
        node: &Node<'a>,
        check: Check<R>,
        what: &str,
        place: impl FnOnce(Error) -> Error,
    ) {
        check.report(what, self.problems, |error| node.place(place(error)));
    }
}

/// Checks values, each of which comes with whether it follows the rule.
fn look<V: Copy + fmt::Display>(
    rule: Broken<V>,
    rows: Rows,
    values: impl Iterator<Item = (V, bool)>,
) -> Check<Broken<V>> {
    let mut check = Check::new(rule);
    for (index, (value, holds)) in (0..).zip(values) {
        check.look(rows.offset_of(index), value, holds);
    }
    check
}

/// Returns the index of a parent, or `None` if there is none.
fn parent(index: impl Into<i32>) -> Option<usize> {
    usize::try_from(index.into()).ok()
}

/// The range of mesh links of a geom.
#[derive(Clone, Copy)]
struct Links {
    first: i32,
    count: i32,
}

impl_fmt!([] Display for Links, |links| "{} from {} on", links.count, links.first);

/// The size of a morphed mesh.
#[derive(Clone, Copy)]
struct Extent {
    frames: i32,
    vertices: i32,
}

impl_fmt!([] Display for Extent, |extent| "{} frames of {} vertices", extent.frames, extent.vertices);
