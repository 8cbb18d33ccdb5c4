//! The checks of a model that read every element.

use std::fmt;
use std::mem::offset_of;

use zerocopy::FromBytes;
use zerocopy::little_endian::F32;

use super::verify::{Survey, add};
use super::wire::{Geom, Joint, Light, MorphBone, MorphMeshRecord, MorphRecord, Proxy};
use super::{
    ColliderSet, FaceGroup, Indices, LightScheme, Mesh, MorphCollections, MorphMeshes, Node, Physics, ProxySet,
    Skeleton, Weights,
};
use crate::base::code::Code;
use crate::base::error::{Context, Error};
use crate::base::impl_fmt::impl_fmt;
use crate::bytes::{Element, LeArray, Table};
use crate::check::{
    self, Below, Broken, Check, Faults, Finite, Index, IndexOrNone, Numbers, Rows, Rule, Segment, rules,
};
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
        let records = || (0..weights.records.len()).filter_map(move |index| weights.records.get(index));
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
        let table = Rows::from(weights.records.as_table());
        let bones = records().map(|record| record.bone.into());
        let check = Check::new(Below(mesh.bone_count.into())).array(table, bones);
        self.report(node, check, "bones", within("weights"));
        let shares = records().map(|record| Numbers([record.weight]));
        let bytes = weights.records.as_table().storage().bytes.checked_div(weights.records.len() as u64).unwrap_or(0);
        // The weight is the last field.
        let table = table.into(usize::try_from(bytes).unwrap_or(0).saturating_sub(size_of::<F32>()));
        self.report(node, Check::new(Finite).array(table, shares), "weights", within("weights"));
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
            self.problems.report(Severity::Warning, || {
                let error = Error::malformed(message.to_string()).at(offset).within(field);
                at_node(node, error.within_item("face_groups", index))
            });
        };
        if corners.checked_rem(3) != Some(0) {
            odd("vertex_indices", group.vertex_indices.offset(), format_args!("{corners}, not a multiple of 3"));
        }
        if let Some(smoothing) = group.smoothing.filter(|masks| ![0, group.triangle_count()].contains(&masks.len())) {
            let (masks, triangles) = (smoothing.len(), group.triangle_count());
            odd("smoothing", smoothing.offset(), format_args!("{masks} masks for {triangles} triangles"));
        }
        let uvs = |set| Some((group.uv_indices.get(set)?, mesh.uvs.get(set)?.len()));
        let others = [Some((group.normal_indices, mesh.normals.len())), uvs(0), uvs(1)];
        for ((indices, _), field) in others.iter().flatten().zip(["normal_indices", "uv_indices", "uv_indices"]) {
            if ![0, corners].contains(&indices.len()) {
                let message = format_args!("{} indices beside {corners} vertex indices", indices.len());
                odd(field, indices.offset(), message);
            }
        }
        let vertices = Some((group.vertex_indices, mesh.positions.len()));
        let parts =
            [("vertex_indices", None), ("normal_indices", None), ("uv_indices", Some(0)), ("uv_indices", Some(1))];
        for ((part, set), found) in parts.into_iter().zip([vertices].into_iter().chain(others)) {
            if let Some((indices, count)) = found {
                self.indices(node, &indices, count, "indices", |error| {
                    let error = match set {
                        Some(set) => error.within_item(part, set),
                        None => error.within(part),
                    };
                    error.within_item("face_groups", index)
                });
            }
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
        let all = count as u64;
        let wide = if morphs.wide_records { 4_usize } else { 0 };
        let [up, bone, proxy] =
            [offset_of!(MorphRecord, parent), offset_of!(MorphRecord, parent_bone), offset_of!(MorphRecord, proxy)]
                .map(|into| wide.saturating_add(into));
        for (field, into, what) in [
            ((|record| record.parent.get()) as fn(&MorphRecord) -> i32, up, "parents"),
            (|record| record.proxy.get(), proxy, "proxies"),
        ] {
            let numbers = morphs.records.iter().map(move |record| field(&record).into());
            let check = Check::new(IndexOrNone(all)).array(Rows::from(table).into(into), numbers);
            self.report(node, check, what, within("records"));
        }
        let bones_of = |index: i32| morphs.records.get(usize::try_from(index).ok()?).map(|parent| parent.bones.get());
        let mut parent_bones = Check::new(Broken::new(Code::Range, "of no bone of the parent"));
        let rows = Rows::from(table).into(bone);
        for (index, record) in (0..).zip(morphs.records.iter()) {
            let bone = record.parent_bone.get();
            let known = bones_of(record.parent.get()).is_none_or(|bones| (-1..bones).contains(&bone));
            parent_bones.look(rows.offset_of(index), bone, known);
        }
        self.report(node, parent_bones, "parent bones", within("records"));
        let records = |index| morphs.records.get(index);
        let parents = |index| parent(records(index)?.parent);
        self.ring(node, "records", (table, up), "parent", (count, &parents));
        let proxies = |index| parent(records(index)?.proxy);
        self.ring(node, "records", (table, proxy), "proxy", (count, &proxies));
        for (index, collection) in morphs.collections().enumerate() {
            let bones = &collection.bones;
            let parents = bones.iter().map(|bone| bone.parent.get().into());
            let rows = Rows::from(bones).into(offset_of!(MorphBone, parent));
            let check = Check::new(IndexOrNone(bones.len() as u64)).array(rows, parents);
            let place = |error: Error| error.within("bones").within_item("morph_collections", index);
            check.report("bone parents", self.problems, place);
            self.morph_bones(index, bones);
        }
        self.finite(node, "matrices", &morphs.matrices);
        self.finite(node, "colliders", &morphs.colliders);
    }

    fn morph_bones(&mut self, collection: usize, bones: &LeArray<'a, MorphBone>) {
        let Some(index) = check::ring(bones.len(), self.problems, |index| parent(bones.get(index)?.parent)) else {
            return;
        };
        let field = offset_of!(MorphBone, parent) as u64;
        let offset = Rows::from(bones).offset_of(index as u64).saturating_add(field);
        let path = [("morph_collections", Some(collection)), ("bones", Some(index)), ("parent", None)];
        let mut fault = Faults::default();
        fault.add(Code::Suspicious, (&path, offset), || format!("the parent leads back to item {index} itself"));
        fault.report(self.problems);
    }

    pub(super) fn morph_meshes(&mut self, node: &Node<'a>, morphs: &MorphMeshes<'a>) {
        if !self.deep {
            return;
        }
        let meshes = self.part.known.mesh_count();
        let numbers = morphs.records.iter().map(|record| record.mesh.get().into());
        let rows = Rows::from(&morphs.records).into(offset_of!(MorphMeshRecord, mesh));
        self.report(node, Check::new(Index(meshes)).array(rows, numbers), "meshes", within("records"));
        self.morphed(node, morphs);
        let mut halves = Check::new(Broken::new(Code::OddEmpty, "half empty"));
        for (index, record) in (0..).zip(morphs.records) {
            let (frames, vertices) = (record.frames.get(), record.vertices.get());
            let offset = Rows::from(&morphs.records).offset_of(index);
            halves.look(offset, Extent { frames, vertices }, (frames == 0) == (vertices == 0));
        }
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
        self.report(
            node,
            Check::new(Index(meshes)).array(&physics.mesh_links, numbers),
            "meshes",
            within("mesh_links"),
        );
        let numbers = physics.geoms.iter().map(|geom| geom.body.get().into());
        let rows = Rows::from(&physics.geoms).into(offset_of!(Geom, body));
        let check = Check::new(IndexOrNone(bodies)).array(rows, numbers);
        self.report(node, check, "bodies", within("geom_records"));
        for (end, into, what) in [
            ((|joint| joint.body_1.get()) as fn(&Joint) -> i32, offset_of!(Joint, body_1), "first bodies"),
            (|joint| joint.body_2.get(), offset_of!(Joint, body_2), "second bodies"),
        ] {
            let numbers = physics.joints.iter().map(|joint| end(joint).into());
            let rows = Rows::from(&physics.joints).into(into);
            let check = Check::new(IndexOrNone(bodies)).array(rows, numbers);
            self.report(node, check, what, within("joint_records"));
        }
        let ranges = physics
            .geoms
            .iter()
            .map(|geom| Links { first: geom.mesh_link.get().into(), count: geom.mesh_link_count.get().into() });
        let rows = Rows::from(&physics.geoms).into(offset_of!(Geom, mesh_link));
        let check = Check::new(LinksOf(links)).array(rows, ranges);
        self.report(node, check, "ranges of mesh links", within("geom_records"));
    }

    pub(super) fn lights(&mut self, node: &Node<'a>, scheme: &LightScheme<'a>) {
        if !self.deep {
            return;
        }
        let lights = || scheme.lights.iter();
        let cutoffs = lights().map(|light| light.cutoff.get());
        let beyond = |angle: f32| angle.is_finite() && angle != 180.0 && !(0.0..=90.0).contains(&angle);
        let words = ("light_records", "cutoffs", "neither from 0 to 90 nor 180");
        let rows = Rows::from(&scheme.lights).into(offset_of!(Light, cutoff));
        self.odd(node, words, rows, cutoffs, beyond);
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
        let own = Check::new(Index(meshes)).array(place, std::iter::once(set.mesh.into()));
        self.report(node, own, "", within("mesh"));
        if let Some((_, vertices @ 1..)) = self.part.known.mesh(set.mesh) {
            let message = format_args!("{} has {vertices} vertices; proxies stand for an empty one", set.mesh);
            self.warn_of(node, "mesh", place, message);
        }
        let gap = if set.wide_records { 2_usize } else { 0 };
        for (what, count, into, field) in [
            ("parents", count, 0, (|proxy| proxy.parent.get()) as fn(&Proxy) -> i16),
            ("meshes", meshes, gap.saturating_add(offset_of!(Proxy, mesh)), |proxy| proxy.mesh.get()),
        ] {
            let numbers = set.proxies.iter().map(move |proxy| field(&proxy).into());
            let check = Check::new(IndexOrNone(count)).array(Rows::from(table).into(into), numbers);
            self.report(node, check, what, within("proxy_records"));
        }
        let parents = |index| parent(set.proxies.get(index)?.parent);
        self.ring(node, "proxies", (table, 0), "parent", (set.proxies.len(), &parents));
        let mut visible = Faults::default();
        let rows = Rows::from(table).into(gap.saturating_add(offset_of!(Proxy, visible)));
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

    /// Reports an item that is its own ancestor. The field with the parent is at offset `into` of each row.
    fn ring(
        &mut self,
        node: &Node<'a>,
        list: &'static str,
        (table, into): (&dyn Table, usize),
        field: &'static str,
        (count, parent): (usize, &dyn Fn(usize) -> Option<usize>),
    ) {
        let Some(index) = check::ring(count, self.problems, parent) else { return };
        let offset = Rows::from(table).offset_of(index as u64).saturating_add(into as u64);
        let mut fault = Faults::default();
        let (own, row) = ((node.kind.name(), Some(node.index)), (list, Some(index)));
        let (with_field, whole) = ([own, row, (field, None)], [own, row]);
        let path: &[Segment] = if list == "records" { &whole } else { &with_field };
        fault.add(Code::Suspicious, (path, offset), || format!("the {field} leads back to item {index} itself"));
        fault.report(self.problems);
    }

    pub(super) fn collider_set(&mut self, node: &Node<'a>, set: &ColliderSet<'a>) {
        add(&mut self.counted.colliders, set.colliders.len() as u64);
        if !self.deep {
            return;
        }
        let mut ids = Check::new(Broken::new(Code::Range, "of no bone"));
        let rows = Rows::from(&set.colliders);
        for (index, collider) in (0..).zip(set.colliders) {
            let id = collider.bone.get();
            ids.look(rows.offset_of(index), id, self.part.bones_lost || self.part.bone_ids.contains(&id));
        }
        self.report(node, ids, "bone ids", within("collider_records"));
    }

    /// Warns about values if `is_odd` returns true for them.
    fn odd<V: Copy + fmt::Display>(
        &mut self,
        node: &Node<'a>,
        (list, what, words): (&'static str, &'static str, &'static str),
        rows: impl Into<Rows>,
        values: impl Iterator<Item = V>,
        is_odd: impl Fn(V) -> bool,
    ) {
        let mut check = Check::new(Broken::new(Code::OddRange, words));
        let rows = rows.into();
        for (index, value) in (0..).zip(values) {
            check.look(rows.offset_of(index), value, !is_odd(value));
        }
        self.report(node, check, what, within(list));
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

    pub(super) fn report<R: Rule>(
        &mut self,
        node: &Node<'a>,
        check: Check<R>,
        what: &str,
        place: impl FnOnce(Error) -> Error,
    ) {
        check.report(what, self.problems, |error| at_node(node, place(error)));
    }
}

/// Returns the index of a parent, or `None` if there is none.
fn parent(index: impl Into<i32>) -> Option<usize> {
    usize::try_from(index.into()).ok()
}

/// Adds a part of the chunk to an error.
fn within(part: &'static str) -> impl FnOnce(Error) -> Error {
    move |error| error.within(part)
}

fn at_node(node: &Node<'_>, error: Error) -> Error {
    error.within_item(node.kind.name(), node.index)
}

/// The range of mesh links of a geom.
#[derive(Clone, Copy)]
pub(crate) struct Links {
    first: i64,
    count: i64,
}

impl_fmt!([] Display for Links, |links| "{} from {} on", links.count, links.first);

rules! {
    /// The range is inside a list of this length.
    LinksOf(u64) of Links = Code::Range, |Self(all), Links { first, count }| {
        let end = u64::try_from(first).ok().zip(u64::try_from(count).ok());
        count == 0 || end.is_some_and(|(first, count)| first.saturating_add(count) <= *all)
    }, format!("not among the {all}");
}

/// The size of a morphed mesh.
#[derive(Clone, Copy)]
struct Extent {
    frames: i32,
    vertices: i32,
}

impl_fmt!([] Display for Extent, |extent| "{} frames of {} vertices", extent.frames, extent.vertices);
