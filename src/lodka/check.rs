//! The part of verifying that looks at every element.

use zerocopy::FromBytes;
use zerocopy::little_endian::F32;

use super::verify::{Survey, add};
use super::wire::{Joint, MorphRecord, Record};
use super::{ColliderSet, FaceGroup, Indices, Mesh, MorphCollections, MorphMeshes, Node, Physics, ProxySet, Weights};
use crate::error::{Context, Error};
use crate::inspect::Span;
use crate::view::{Element, LeArray, Storage, Table};

impl<'a> Survey<'_, 'a> {
    pub(super) fn mesh_arrays(&mut self, node: &Node<'a>, mesh: &Mesh<'a>) {
        let vertices = mesh.positions.len();
        let start = node.chunk.offset();
        for (field, flag) in [("has_skeleton", mesh.has_skeleton), ("visible", mesh.visible)] {
            if flag.0 > 1 {
                self.meaningless(node, start, field, flag.0);
            }
        }
        self.finite(node, "positions", &mesh.positions);
        self.finite(node, "normals", &mesh.normals);
        for uvs in (0..2).filter_map(|set| mesh.uvs(set)) {
            self.finite(node, "uvs", &uvs);
        }
        if !mesh.bone_ids.is_empty() {
            if mesh.bone_ids.len() != vertices {
                let message = format!("{} bone ids for {vertices} vertices", mesh.bone_ids.len());
                self.warn(node, mesh.bone_ids.offset(), message);
            }
            if mesh.weights.is_some() {
                self.warn(node, mesh.bone_ids.offset(), "both bone ids and weights");
            }
        }
        let error = outside(&mesh.bone_ids, mesh.bone_count as usize, "bones");
        self.maybe(node, error.map(|error| error.within("bone_ids")));
        if let Some(weights) = mesh.weights {
            self.weights(node, &weights, mesh);
        }
    }

    fn weights(&mut self, node: &Node<'a>, weights: &Weights<'a>, mesh: &Mesh<'a>) {
        let offset = weights.records.table().storage().offset;
        let records = || (0..weights.records.len()).filter_map(|index| weights.records.get(index));
        let (mut lists, mut closed) = (0_usize, true);
        for list in weights.vertices() {
            lists = lists.saturating_add(1);
            closed = list.is_closed();
        }
        if lists != mesh.positions.len() {
            self.warn(node, offset, format!("{lists} weight lists for {} vertices", mesh.positions.len()));
        }
        if !closed {
            self.warn(node, offset, "the last weight list is not closed");
        }
        let bones = mesh.bone_count.into();
        let error = below(records().map(|record| record.bone.into()), bones);
        let error = error.map(|broken| broken.error("bone", bones, weights.records.table()));
        self.maybe(node, error.map(|error| error.within("weights")));
        if records().any(|record| !record.weight.is_finite()) {
            self.warn(node, offset, "weights: not all are finite numbers");
        }
    }

    pub(super) fn face_group(
        &mut self,
        node: &Node<'a>,
        mesh: &Mesh<'a>,
        (index, span): (usize, Span),
        group: &FaceGroup<'a>,
    ) {
        let corners = group.vertex_indices.len();
        let mut odd = |offset: u64, message: String| {
            self.warning(node, Error::malformed(message).at(offset).within_item("face_groups", index));
        };
        if group.mode.name().is_none() {
            odd(span.offset, format!("mode {} has no meaning", group.mode.0));
        }
        if group.visible.0 > 1 {
            odd(span.offset, format!("visible {} has no meaning", group.visible.0));
        }
        if corners.checked_rem(3) != Some(0) {
            odd(group.vertex_indices.offset(), format!("{corners} vertex indices, not a multiple of 3"));
        }
        if let Some(smoothing) = group.smoothing.filter(|masks| ![0, group.triangle_count()].contains(&masks.len())) {
            let message = format!("{} smoothing masks for {} triangles", smoothing.len(), group.triangle_count());
            odd(smoothing.offset(), message);
        }
        let uvs = |set| Some((group.uv_indices(set)?, mesh.uvs(set)?.len()));
        let others = [Some((group.normal_indices, mesh.normals.len())), uvs(0), uvs(1)];
        for (indices, _) in others.iter().flatten() {
            if ![0, corners].contains(&indices.len()) {
                odd(indices.offset(), format!("{} indices beside {corners} vertex indices", indices.len()));
            }
        }
        let vertices = Some((group.vertex_indices, mesh.positions.len()));
        let names =
            [("vertex_indices", "vertices"), ("normal_indices", "normals"), ("uv_indices", "texture coordinates")];
        let [vertex, normal, uv] = names;
        for ((part, what), found) in [vertex, normal, uv, uv].into_iter().zip([vertices].into_iter().chain(others)) {
            let error = found.and_then(|(indices, count)| outside(&indices, count, what));
            self.maybe(node, error.map(|error| error.within(part).within_item("face_groups", index)));
        }
    }

    pub(super) fn morph_collections(&mut self, node: &Node<'a>, morphs: &MorphCollections<'a>) {
        let count = morphs.records.len();
        add(&mut self.counted.morph_collections, count as u64);
        let table = morphs.records.table();
        if morphs.records.is_wide() {
            self.warn(node, row(table, 0), "records of 32 bytes, not 28");
        }
        if !self.deep {
            return;
        }
        let all = count as u64;
        let column = |field: fn(&MorphRecord) -> i32| morphs.records.iter().map(move |r| field(&r).into());
        let parent = none_or_below(column(|record| record.parent.get()), all);
        self.maybe(node, parent.map(|broken| broken.error("parent", all, table)));
        let proxy = none_or_below(column(|record| record.proxy.get()), all);
        self.maybe(node, proxy.map(|broken| broken.error("proxy", all, table)));
        let bones_of = |index: i32| morphs.records.get(usize::try_from(index).ok()?).map(|parent| parent.bones.get());
        for (index, record) in morphs.records.iter().enumerate() {
            let bone = record.parent_bone.get();
            if let Some(bones) = bones_of(record.parent.get())
                && !(-1..bones).contains(&bone)
            {
                let message = format!("parent bone {bone}, the parent has {bones}");
                let error = Error::malformed(message).at(row(table, index));
                self.error(node, error.within_item("morph_collections", index));
            }
        }
        for (index, collection) in morphs.collections().enumerate() {
            let bones = collection.bones.len() as u64;
            let parents = collection.bones.iter().map(|bone| bone.parent.get().into());
            let parent = none_or_below(parents, bones);
            let error = parent.map(|broken| broken.error("bone parent", bones, &collection.bones));
            self.maybe(node, error.map(|error| error.within_item("morph_collections", index)));
        }
        self.codes(node, "animations", &morphs.animations, morphs.animations.iter().copied());
        self.finite(node, "matrices", &morphs.matrices);
        self.finite(node, "colliders", &morphs.colliders);
    }

    pub(super) fn morph_meshes(&mut self, node: &Node<'a>, morphs: &MorphMeshes<'a>) {
        if !self.deep {
            return;
        }
        let offset = morphs.records.offset();
        let meshes = self.part.meshes.unwrap_or(u64::MAX);
        let mesh = below(morphs.records.iter().map(|record| record.mesh.get().into()), meshes);
        self.maybe(node, mesh.map(|broken| broken.error("mesh", meshes, &morphs.records)));
        for record in morphs.records {
            let (frames, vertices) = (record.frames.get(), record.vertices.get());
            if (frames == 0) != (vertices == 0) {
                self.warn(node, offset, format!("{frames} frames of {vertices} vertices"));
            }
        }
        let vertices = morphs.vertices.len();
        if usize::try_from(morphs.vertex_count_hint) != Ok(vertices) {
            let message = format!("vertex count {}, there are {vertices}", morphs.vertex_count_hint);
            self.warn(node, morphs.vertex_count_at, message);
        }
        self.finite(node, "vertices", &morphs.vertices);
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
        for (what, names, count) in
            [("body", physics.body_names().count(), bodies), ("geom", physics.geom_names().count(), geoms)]
        {
            if names as u64 > count {
                self.warn(node, node.chunk.offset(), format!("{names} {what} names, there are {count}"));
            }
        }
        let meshes = self.part.meshes.unwrap_or(u64::MAX);
        let link = below(physics.mesh_links.iter().map(|link| link.get().into()), meshes);
        self.maybe(node, link.map(|broken| broken.error("mesh link", meshes, &physics.mesh_links)));
        let body = none_or_below(physics.geoms.iter().map(|geom| geom.body.get().into()), bodies);
        self.maybe(node, body.map(|broken| broken.error("geom body", bodies, &physics.geoms)));
        let ends: [fn(&Joint) -> i32; 2] = [|joint| joint.body_1.get(), |joint| joint.body_2.get()];
        for end in ends {
            let body = none_or_below(physics.joints.iter().map(|joint| end(joint).into()), bodies);
            self.maybe(node, body.map(|broken| broken.error("joint body", bodies, &physics.joints)));
        }
        for (index, geom) in physics.geoms.iter().enumerate() {
            let (first, count) = (geom.mesh_link.get(), geom.mesh_link_count.get());
            let end = u64::try_from(first)
                .ok()
                .zip(u64::try_from(count).ok())
                .map(|(first, count)| first.saturating_add(count));
            if count != 0 && end.is_none_or(|end| end > links) {
                let error = Error::malformed(format!("{count} mesh links from {first} on, there are {links}"));
                self.error(node, error.at(row(&physics.geoms, index)).within_item("geoms", index));
            }
        }
        self.codes(node, "bodies", &physics.bodies, physics.bodies.iter().copied());
        self.codes(node, "geoms", &physics.geoms, physics.geoms.iter().copied());
        self.codes(node, "joints", &physics.joints, physics.joints.iter().copied());
        for (index, body) in physics.bodies.iter().enumerate().filter(|(_, body)| (5..=9).contains(&body.kind.0)) {
            let message = format!("a body of the shape {}", body.kind.name().unwrap_or_default());
            self.warn(node, row(&physics.bodies, index), message);
        }
    }

    pub(super) fn proxy_set(&mut self, node: &Node<'a>, set: &ProxySet<'a>) {
        let count = set.proxies.len() as u64;
        add(&mut self.counted.proxies, count);
        let table = set.proxies.table();
        if set.proxies.is_wide() {
            self.warn(node, row(table, 0), "records of 56 bytes, not 54");
        }
        if !self.deep {
            return;
        }
        let meshes = self.part.meshes.unwrap_or(u64::MAX);
        if u64::try_from(set.mesh).is_ok_and(|mesh| mesh >= meshes) || set.mesh < 0 {
            let error = Error::malformed(format!("stands for mesh {}, there are {meshes}", set.mesh));
            self.error(node, error.at(node.chunk.offset().saturating_add(8)));
        }
        let parent = none_or_below(set.proxies.iter().map(|proxy| proxy.parent.get().into()), count);
        self.maybe(node, parent.map(|broken| broken.error("parent", count, table)));
        let mesh = none_or_below(set.proxies.iter().map(|proxy| proxy.mesh.get().into()), meshes);
        self.maybe(node, mesh.map(|broken| broken.error("source mesh", meshes, table)));
        self.codes(node, "proxies", table, set.proxies.iter());
    }

    pub(super) fn collider_set(&mut self, node: &Node<'a>, set: &ColliderSet<'a>) {
        add(&mut self.counted.colliders, set.colliders.len() as u64);
        if !self.deep {
            return;
        }
        for (index, collider) in set.colliders.iter().enumerate() {
            let bone = collider.bone.get();
            if !self.part.bones_lost && !self.part.bone_ids.contains(&bone) {
                let error = Error::malformed(format!("no bone has the id {bone}")).at(row(&set.colliders, index));
                self.error(node, error.within_item("colliders", index));
            }
        }
        self.codes(node, "colliders", &set.colliders, set.colliders.iter().copied());
    }

    /// Codes of records that have no meaning.
    pub(super) fn codes<T: Record>(
        &mut self,
        node: &Node<'a>,
        list: &'static str,
        table: &dyn Table,
        records: impl Iterator<Item = T>,
    ) {
        if !self.deep {
            return;
        }
        for (index, record) in records.enumerate() {
            record.unknown_codes(&mut |field, code| {
                let error = Error::malformed(format!("{field} {code} has no meaning")).at(row(table, index));
                self.warning(node, error.within_item(list, index));
            });
        }
    }

    /// An array of nothing but floats has only finite ones.
    pub(super) fn finite<T: Element>(&mut self, node: &Node<'a>, part: &'static str, array: &LeArray<'a, T>) {
        let floats = <[F32]>::ref_from_bytes(array.as_bytes()).unwrap_or_default();
        if self.deep && floats.iter().any(|float| !float.get().is_finite()) {
            let error = Error::malformed("not all are finite numbers").at(array.offset());
            self.warning(node, error.within(part));
        }
    }

    fn maybe(&mut self, node: &Node<'a>, error: Option<Error>) {
        if let Some(error) = error {
            self.error(node, error);
        }
    }
}

/// The first of some numbers that breaks a rule, and how many do.
struct Broken {
    at: usize,
    value: i64,
    count: usize,
}

impl Broken {
    fn error(&self, what: &str, below: u64, table: &dyn Table) -> Error {
        let Self { at, value, count } = self;
        let more = match count {
            1 => String::new(),
            _ => format!(", the first of {count} such"),
        };
        let message = format!("{what} {value}, there are {below}{more}");
        Error::malformed(message).at(row(table, *at))
    }
}

fn broken(values: impl Iterator<Item = i64>, rule: impl Fn(i64) -> bool) -> Option<Broken> {
    let mut bad = values.enumerate().filter(|(_, value)| !rule(*value));
    let (at, value) = bad.next()?;
    Some(Broken { at, value, count: bad.count().saturating_add(1) })
}

/// Where a row of an array lies.
fn row(table: &dyn Table, index: usize) -> u64 {
    let Storage { offset, bytes, .. } = table.storage();
    let stride = bytes.checked_div(table.rows()).unwrap_or(0);
    offset.saturating_add(stride.saturating_mul(index as u64))
}

fn below(values: impl Iterator<Item = i64>, count: u64) -> Option<Broken> {
    broken(values, |value| u64::try_from(value).is_ok_and(|value| value < count))
}

/// -1 stands for none.
fn none_or_below(values: impl Iterator<Item = i64>, count: u64) -> Option<Broken> {
    broken(values, |value| value == -1 || u64::try_from(value).is_ok_and(|value| value < count))
}

/// Indices past the end of what they point into.
fn outside(indices: &Indices<'_>, count: usize, what: &str) -> Option<Error> {
    let broken = below(indices.iter().map(i64::from), count as u64)?;
    let what = format!("index into {what}");
    Some(broken.error(&what, count as u64, indices))
}
