//! The part of verifying that looks at every element.

use std::fmt;

use zerocopy::FromBytes;
use zerocopy::little_endian::F32;

use super::verify::{Survey, add};
use super::wire::{Joint, MorphRecord};
use super::{
    ColliderSet, FaceGroup, Indices, Mesh, MorphCollections, MorphMeshes, Node, Physics, ProxySet, Skeleton, Weights,
};
use crate::check::{Below, Broken, Check, Finite, Index, IndexOrNone, Numbers, Rows, Rule};
use crate::error::{Context, Error};
use crate::inspect::Span;
use crate::summary::{Code, Severity};
use crate::view::record::Fixed;
use crate::view::{Element, LeArray, Table};

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
        for uvs in (0..2).filter_map(|set| mesh.uvs.get(set)) {
            self.finite(node, "uvs", &uvs);
        }
        if !mesh.bone_ids.is_empty() {
            if mesh.bone_ids.len() != vertices {
                let count = mesh.bone_ids.len();
                self.warn(node, mesh.bone_ids.offset(), format_args!("{count} bone ids for {vertices} vertices"));
            }
            if mesh.weights.is_some() {
                self.warn(node, mesh.bone_ids.offset(), "both bone ids and weights");
            }
        }
        self.indices(node, &mesh.bone_ids, mesh.bone_count as usize, "bones", |error| error.within("bone_ids"));
        if let Some(weights) = mesh.weights {
            self.weights(node, &weights, mesh);
        }
    }

    fn weights(&mut self, node: &Node<'a>, weights: &Weights<'a>, mesh: &Mesh<'a>) {
        let offset = weights.records.table().storage().offset;
        let records = || (0..weights.records.len()).filter_map(move |index| weights.records.get(index));
        let (mut lists, mut closed) = (0_usize, true);
        for list in weights.vertices() {
            lists = lists.saturating_add(1);
            closed = list.is_closed();
        }
        if lists != mesh.positions.len() {
            self.warn(node, offset, format_args!("{lists} weight lists for {} vertices", mesh.positions.len()));
        }
        if !closed {
            self.warn(node, offset, "the last weight list is not closed");
        }
        let table = Rows::from(weights.records.table());
        let bones = records().map(|record| record.bone.into());
        let check = Check::new(Below(mesh.bone_count.into())).array(table, bones);
        self.tell(node, check, "bones", |error| error.within("weights"));
        let shares = records().map(|record| Numbers([record.weight]));
        self.tell(node, Check::new(Finite).array(table, shares), "weights", |error| error.within("weights"));
    }

    /// The bones that can be read.
    #[inline(never)]
    pub(super) fn bones(&mut self, node: &Node<'a>, skeleton: &Skeleton<'a>) {
        let mut ids = Check::new(Broken::new(Code::OddRange, "negative"));
        let mut parents = Check::new(Broken::new(Code::Range, "the id of no bone before"));
        let mut twice = Check::new(Broken::new(Code::Duplicate, "there twice"));
        for (span, bone) in skeleton.bones.spanned().filter_map(|(span, bone)| Some((span, bone.ok()?))) {
            ids.look(span.offset, bone.id, bone.id >= 0);
            let has_parent = bone.parent == -1 || self.part.bone_ids.contains(&bone.parent);
            parents.look(span.offset.saturating_add(2), bone.parent, has_parent);
            twice.look(span.offset, bone.id, self.part.bone_ids.insert(bone.id));
        }
        for (check, what) in [(ids, "ids"), (parents, "parents"), (twice, "ids")] {
            self.tell(node, check, what, |error| error.within("bones"));
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
        let mut odd = |offset: u64, message: fmt::Arguments<'_>| {
            self.problems.tell(Severity::Warning, || {
                at_node(node, Error::malformed(message.to_string()).at(offset).within_item("face_groups", index))
            });
        };
        if group.mode.name().is_none() {
            odd(span.offset, format_args!("mode {} is unknown", group.mode.0));
        }
        if group.visible.0 > 1 {
            odd(span.offset, format_args!("visible {} is unknown", group.visible.0));
        }
        if corners.checked_rem(3) != Some(0) {
            odd(group.vertex_indices.offset(), format_args!("{corners} vertex indices, not a multiple of 3"));
        }
        if let Some(smoothing) = group.smoothing.filter(|masks| ![0, group.triangle_count()].contains(&masks.len())) {
            let (masks, triangles) = (smoothing.len(), group.triangle_count());
            odd(smoothing.offset(), format_args!("{masks} smoothing masks for {triangles} triangles"));
        }
        let uvs = |set| Some((group.uv_indices.get(set)?, mesh.uvs.get(set)?.len()));
        let others = [Some((group.normal_indices, mesh.normals.len())), uvs(0), uvs(1)];
        for (indices, _) in others.iter().flatten() {
            if ![0, corners].contains(&indices.len()) {
                odd(indices.offset(), format_args!("{} indices beside {corners} vertex indices", indices.len()));
            }
        }
        let vertices = Some((group.vertex_indices, mesh.positions.len()));
        let parts = ["vertex_indices", "normal_indices", "uv_indices", "uv_indices"];
        for (part, found) in parts.into_iter().zip([vertices].into_iter().chain(others)) {
            if let Some((indices, count)) = found {
                self.indices(node, &indices, count, "indices", |error| {
                    error.within(part).within_item("face_groups", index)
                });
            }
        }
    }

    pub(super) fn morph_collections(&mut self, node: &Node<'a>, morphs: &MorphCollections<'a>) {
        let count = morphs.records.len();
        add(&mut self.counted.morph_collections, count as u64);
        let table = morphs.records.table();
        if morphs.records.is_wide() {
            self.warn(node, table.storage().offset, "records of 32 bytes, not 28");
        }
        if !self.deep {
            return;
        }
        let all = count as u64;
        for (field, what) in [
            ((|record| record.parent.get()) as fn(&MorphRecord) -> i32, "parents"),
            (|record| record.proxy.get(), "proxies"),
        ] {
            let numbers = morphs.records.iter().map(move |record| field(&record).into());
            self.tell(node, Check::new(IndexOrNone(all)).array(Rows::from(table), numbers), what, |error| error);
        }
        let bones_of = |index: i32| morphs.records.get(usize::try_from(index).ok()?).map(|parent| parent.bones.get());
        let mut parent_bones = Check::new(Broken::new(Code::Range, "of no bone of the parent"));
        let rows = Rows::from(table);
        for (index, record) in (0..).zip(morphs.records.iter()) {
            let bone = record.parent_bone.get();
            let known = bones_of(record.parent.get()).is_none_or(|bones| (-1..bones).contains(&bone));
            parent_bones.look(rows.offset_of(index), bone, known);
        }
        self.tell(node, parent_bones, "parent bones", |error| error);
        for (index, collection) in morphs.collections().enumerate() {
            let bones = &collection.bones;
            let parents = bones.iter().map(|bone| bone.parent.get().into());
            self.tell(
                node,
                Check::new(IndexOrNone(bones.len() as u64)).array(bones, parents),
                "bone parents",
                |error| error.within_item("morph_collections", index),
            );
        }
        self.codes(node, "animations", &morphs.animations, morphs.animations.iter().copied());
        self.finite(node, "matrices", &morphs.matrices);
        self.finite(node, "colliders", &morphs.colliders);
    }

    pub(super) fn morph_meshes(&mut self, node: &Node<'a>, morphs: &MorphMeshes<'a>) {
        if !self.deep {
            return;
        }
        let meshes = self.part.meshes.unwrap_or(u64::MAX);
        let numbers = morphs.records.iter().map(|record| record.mesh.get().into());
        self.tell(node, Check::new(Index(meshes)).array(&morphs.records, numbers), "meshes", |error| error);
        let mut halves = Check::new(Broken::new(Code::OddEmpty, "half empty"));
        for (index, record) in (0..).zip(morphs.records) {
            let (frames, vertices) = (record.frames.get(), record.vertices.get());
            let offset = Rows::from(&morphs.records).offset_of(index);
            halves.look(offset, Extent { frames, vertices }, (frames == 0) == (vertices == 0));
        }
        self.tell(node, halves, "records", |error| error);
        let vertices = morphs.vertices.len();
        if usize::try_from(morphs.vertex_count) != Ok(vertices) {
            let hint = morphs.vertex_count;
            self.warn(
                node,
                morphs.vertices.offset().saturating_sub(4),
                format_args!("vertex count {hint}, there are {vertices}"),
            );
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
            [("body", physics.body_names.iter().count(), bodies), ("geom", physics.geom_names.iter().count(), geoms)]
        {
            if names as u64 > count {
                self.warn(node, node.chunk.offset(), format_args!("{names} {what} names, there are {count}"));
            }
        }
        let meshes = self.part.meshes.unwrap_or(u64::MAX);
        let numbers = physics.mesh_links.iter().map(|link| link.get().into());
        self.tell(node, Check::new(Index(meshes)).array(&physics.mesh_links, numbers), "meshes", |error| {
            error.within("mesh_links")
        });
        let numbers = physics.geoms.iter().map(|geom| geom.body.get().into());
        self.tell(node, Check::new(IndexOrNone(bodies)).array(&physics.geoms, numbers), "bodies", |error| {
            error.within("geoms")
        });
        let ends = [(|joint| joint.body_1.get()) as fn(&Joint) -> i32, |joint| joint.body_2.get()];
        for (end, what) in ends.into_iter().zip(["first bodies", "second bodies"]) {
            let numbers = physics.joints.iter().map(|joint| end(joint).into());
            self.tell(node, Check::new(IndexOrNone(bodies)).array(&physics.joints, numbers), what, |error| {
                error.within("joints")
            });
        }
        let ranges = physics
            .geoms
            .iter()
            .map(|geom| Links { first: geom.mesh_link.get().into(), count: geom.mesh_link_count.get().into() });
        self.tell(node, Check::new(LinksOf(links)).array(&physics.geoms, ranges), "ranges of mesh links", |error| {
            error.within("geoms")
        });
        self.codes(node, "bodies", &physics.bodies, physics.bodies.iter().copied());
        self.codes(node, "geoms", &physics.geoms, physics.geoms.iter().copied());
        self.codes(node, "joints", &physics.joints, physics.joints.iter().copied());
        let mut shapes = Check::new(Broken::new(Code::UnknownCode, "of no body"));
        let rows = Rows::from(&physics.bodies);
        for (index, body) in (0..).zip(physics.bodies) {
            shapes.look(rows.offset_of(index), body.kind.name().unwrap_or_default(), !(5..=9).contains(&body.kind.0));
        }
        self.tell(node, shapes, "shapes", |error| error.within("bodies"));
    }

    pub(super) fn proxy_set(&mut self, node: &Node<'a>, set: &ProxySet<'a>) {
        let count = set.proxies.len() as u64;
        add(&mut self.counted.proxies, count);
        let table = set.proxies.table();
        if set.proxies.is_wide() {
            self.warn(node, table.storage().offset, "records of 56 bytes, not 54");
        }
        if !self.deep {
            return;
        }
        let meshes = self.part.meshes.unwrap_or(u64::MAX);
        let place = node.chunk.offset().saturating_add(8);
        let own = Check::new(Index(meshes)).array(place, std::iter::once(set.mesh.into()));
        self.tell(node, own, "", |error| error.within("mesh"));
        let parents = set.proxies.iter().map(|proxy| proxy.parent.get().into());
        self.tell(node, Check::new(IndexOrNone(count)).array(Rows::from(table), parents), "parents", |error| error);
        let sources = set.proxies.iter().map(|proxy| proxy.mesh.get().into());
        self.tell(node, Check::new(IndexOrNone(meshes)).array(Rows::from(table), sources), "meshes", |error| error);
        self.codes(node, "proxies", table, set.proxies.iter());
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
        self.tell(node, ids, "bone ids", |error| error.within("colliders"));
        self.codes(node, "colliders", &set.colliders, set.colliders.iter().copied());
    }

    /// Codes of records that have no meaning: one problem for each field.
    pub(super) fn codes<T: Fixed>(
        &mut self,
        node: &Node<'a>,
        list: &'static str,
        table: &dyn Table,
        records: impl Iterator<Item = T>,
    ) {
        if !self.deep {
            return;
        }
        let mut fields: Vec<(&'static str, Check<Broken<i64>>)> = Vec::new();
        let rows = Rows::from(table);
        let mut count = 0;
        for (index, record) in (0..).zip(records) {
            count = index;
            record.unknown_codes(&mut |field, code| {
                let known = fields.iter().position(|(name, _)| *name == field);
                let at = known.unwrap_or(fields.len());
                if known.is_none() {
                    fields.push((field, Check::new(Broken::new(Code::UnknownCode, "unknown"))));
                }
                if let Some((_, check)) = fields.get_mut(at) {
                    check.skip_to(index);
                    check.next(rows.offset_of(index), code);
                }
            });
        }
        for (field, mut check) in fields {
            check.skip_to(count.saturating_add(1));
            self.tell(node, check, "codes", |error| error.within(field).within(list));
        }
    }

    /// An array of nothing but floats has only finite ones.
    pub(super) fn finite<T: Element>(&mut self, node: &Node<'a>, part: &'static str, array: &LeArray<'a, T>) {
        if !self.deep {
            return;
        }
        let floats = <[F32]>::ref_from_bytes(array.as_bytes()).unwrap_or_default();
        let numbers = floats.iter().map(|float| Numbers([float.get()]));
        let check = Check::new(Finite).array(Rows::new(array.offset(), size_of::<F32>()), numbers);
        self.tell(node, check, "numbers", |error| error.within(part));
    }

    /// Indices past the end of what they point into.
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
        self.tell(node, check, what, place);
    }

    fn tell<R: Rule>(&mut self, node: &Node<'a>, check: Check<R>, what: &str, place: impl FnOnce(Error) -> Error) {
        check.tell(what, self.problems, |error| at_node(node, place(error)));
    }
}

fn at_node(node: &Node<'_>, error: Error) -> Error {
    error.within_item(node.kind.name(), node.index)
}

/// The mesh links of a geom.
#[derive(Clone, Copy)]
struct Links {
    first: i64,
    count: i64,
}

impl fmt::Display for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} from {} on", self.count, self.first)
    }
}

/// They lie among so many.
struct LinksOf(u64);

impl Rule for LinksOf {
    type Value = Links;

    fn code(&self) -> Code {
        Code::Range
    }

    fn holds(&self, Links { first, count }: Links) -> bool {
        let end = u64::try_from(first).ok().zip(u64::try_from(count).ok());
        count == 0 || end.is_some_and(|(first, count)| first.saturating_add(count) <= self.0)
    }
}

impl fmt::Display for LinksOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not among the {}", self.0)
    }
}

/// What is morphed.
#[derive(Clone, Copy)]
struct Extent {
    frames: i32,
    vertices: i32,
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} frames of {} vertices", self.frames, self.vertices)
    }
}
