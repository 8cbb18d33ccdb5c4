//! Checks models, and counts their parts on the way.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Display;

use super::chunk::Chunks;
use super::content::Content;
use super::kind::Kind;
use super::known::Known;
use super::{Animation, Bump, Mesh, Model, Node, Skeleton};
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Context, Result};
use crate::base::place::Locate;
use crate::base::text::AnsiStr;
use crate::bytes::chunk::Tag;
use crate::check::{self, Faults, Segment};
use crate::inspect::{Depth, Inspect as _};
use crate::summary::{Counts, Problems, Reference, ReferenceKind, References, Severity, counted};

/// Chunks, each with the chunks that depend on it and must come after it.
const BEHIND: &[(&[u8; 4], &[&[u8; 4]])] =
    &[(b"SKL1", &[b"ANS1", b"MSL1", b"CLL1"]), (b"MSL1", &[b"PXL1", b"MAN1"]), (b"MAN1", &[b"MMD1"])];

counted! {
    models,
    bones inside,
    animations,
    frames inside,
    materials inside,
    textures inside,
    shaders inside,
    meshes,
    vertices inside,
    face_groups inside,
    triangles inside,
    morph_collections inside,
    bodies inside,
    geoms inside,
    joints inside,
    light_schemes,
    proxies inside,
    collider_sets,
    colliders inside,
}

/// The data found so far in the current LOD1. In a deep survey also everything that other chunks refer to.
#[derive(Default)]
pub(super) struct OpenPart<'a> {
    tags: BTreeSet<Tag>,
    pub(super) known: Known<'a>,
    pub(super) bone_ids: HashSet<i16>,
    /// True if some bones could not be read.
    pub(super) bones_lost: bool,
}

/// One walk over a file. Depending on the depth, it reads only the chunk headers, all records, or all indices and
/// numbers too.
pub(super) struct Survey<'s, 'a> {
    model: &'s Model<'a>,
    depth: Depth,
    pub(super) deep: bool,
    pub(super) problems: &'s mut Problems,
    pub(super) counted: Counted,
    references: References,
    pub(super) part: OpenPart<'a>,
    /// The end of a chunk that is cut short. Chunks inside it with the same end are not reported again.
    cut: Option<u64>,
}

impl<'s, 'a> Survey<'s, 'a> {
    /// Prepares a walk over the model. Problems that it finds go to `problems`.
    pub(super) fn new(model: &'s Model<'a>, depth: Depth, problems: &'s mut Problems) -> Self {
        Self {
            model,
            depth,
            deep: depth == Depth::Verify,
            problems,
            counted: Counted::default(),
            references: References::new(&model.limits),
            part: OpenPart::default(),
            cut: None,
        }
    }

    /// Walks over the file. Returns the numbers of its parts, and the files that it refers to.
    pub(super) fn run(mut self) -> (Counts, Vec<Reference>) {
        let nodes = if self.depth == Depth::Header { self.model.nodes_by_headers() } else { self.model.nodes() };
        for node in nodes {
            if let Some(node) = self.problems.ok(node) {
                self.visit(&node);
            }
        }
        if self.deep {
            let bounds = (self.model.data.size(), &self.model.limits);
            // An outline describes records as arrays, whose fields have no rules.
            let dissects = true;
            check::fields(bounds, dissects, self.problems, |out| self.model.dissect(out));
        }
        // The contents of chunks are counted only if they were read.
        let counts = self.counted.counts(self.depth > Depth::Header);
        (counts, self.references.into_vec(self.problems))
    }

    /// Counts a chunk and checks its place. Unless only headers are read, reads and checks its content, too.
    fn visit(&mut self, node: &Node<'a>) {
        match node.kind {
            Kind::Part => {
                self.counted.models += 1;
                self.part = OpenPart::default();
                if self.deep {
                    let known = Known::of(&node.chunk, self.problems.budget());
                    self.part.known = self.problems.ok(known).unwrap_or_default();
                }
            }
            Kind::Unknown => self.report_unknown(node),
            Kind::Animation => self.counted.animations += 1,
            Kind::Mesh => self.counted.meshes += 1,
            Kind::LightScheme => self.counted.light_schemes += 1,
            Kind::ColliderSet => self.counted.collider_sets += 1,
            _ => {}
        }
        // A model has at most one of each chunk that is directly in LOD1, and of these, which are in a list.
        let is_single_in_list = matches!(node.kind, Kind::MaterialList | Kind::TextureList | Kind::ShaderList);
        if node.kind != Kind::Unknown && (node.depth == 1 || is_single_in_list) {
            self.check_order(node);
        }
        if self.depth == Depth::Header {
            return;
        }
        match &node.content() {
            Ok(content) => self.content(node, content),
            Err(error) => {
                self.part.bones_lost |= node.kind == Kind::Skeleton;
                let end = node.chunk.offset().saturating_add(node.chunk.byte_len());
                let reads_no_field = matches!(node.kind, Kind::Part | Kind::List | Kind::Unknown);
                let is_parent_reported = self.cut == Some(end);
                if !(reads_no_field && is_parent_reported) {
                    self.problems.error(error);
                }
                if node.chunk.missing() > 0 {
                    self.cut = Some(end);
                }
            }
        }
    }

    /// Warns about a chunk of a version that is not known, or that the format does not have in this place. A tag that
    /// the format does not have at all is no problem.
    fn report_unknown(&mut self, node: &Node<'a>) {
        let tag = node.chunk.tag();
        let offset = node.chunk.offset();
        if tag.0 == *b"PHS1" && node.parent == Some(Tag(*b"LOD1")) {
            self.warn(node, offset, format_args!("PHS1 of version {}, only 2 is known", node.count_hint()));
        } else if Kind::is_known(tag) {
            self.warn(node, offset, format_args!("{tag} does not belong here"));
        }
    }

    /// Warns if the chunk comes after one that depends on it, or if the model already has a chunk with its tag.
    fn check_order(&mut self, node: &Node<'a>) {
        let tag = node.chunk.tag();
        for (first, later) in BEHIND {
            if tag.0 == **first
                && let Some(later) = later.iter().find(|later| self.part.tags.contains(&Tag(***later)))
            {
                self.warn(node, node.chunk.offset(), format_args!("{tag} after {}", Tag(**later)));
            }
        }
        if !self.part.tags.insert(tag) {
            self.warn(node, node.chunk.offset(), format_args!("a second {tag} in one model"));
        }
    }

    /// Warns if the count in a chunk's header is not the number of items in the chunk. Skips the chunks whose items are
    /// counted nowhere else.
    fn check_count(&mut self, node: &Node<'a>, content: &Content<'a>) {
        let actual = match content {
            // A list of chunks that ends with an error is reported elsewhere.
            Content::Chunks => count_chunks(node).ok(),
            Content::Info(_) | Content::Screenshot(_) => Some(1),
            Content::MaterialList(list) => list.material_count.and_then(|count| usize::try_from(count).ok()),
            Content::Mesh(mesh) => usize::try_from(mesh.face_group_count).ok(),
            _ => None,
        };
        let hint = i64::from(node.count_hint());
        let tag = node.chunk.tag();
        if let Some(count) = actual
            && i64::try_from(count) != Ok(hint)
        {
            self.warn(node, node.count_offset(), format_args!("count {hint} of {tag}, there are {count}"));
        }
    }

    /// Counts and checks the items in a chunk. In a deep survey, checks the elements of its arrays, too.
    fn content(&mut self, node: &Node<'a>, content: &Content<'a>) {
        self.check_count(node, content);
        match content {
            Content::Skeleton(skeleton) => self.skeleton(node, skeleton),
            Content::Animation(animation) => self.animation(node, animation),
            Content::MaterialList(list) => {
                for material in list.materials {
                    let Some(material) = self.entry(node, material) else { continue };
                    for file in material.texture_files() {
                        self.references.add(ReferenceKind::Texture, file);
                    }
                    self.counted.materials += 1;
                }
            }
            Content::TextureList(list) => {
                let mut missing = Faults::default();
                for record in list.records {
                    let Some(record) = self.entry(node, record) else { continue };
                    // The textures of all models are in one list.
                    let index = as_index(self.counted.textures.0);
                    if let Some(texture) = self.problems.ok(record.texture().within_item("textures", index)) {
                        let path = [("textures", Some(index)), ("material", None)];
                        self.material_name(texture.material, &path, &mut missing);
                    }
                    self.counted.textures += 1;
                }
                missing.report(self.problems);
            }
            Content::ShaderList(list) => {
                let mut missing = Faults::default();
                for shader in list.shaders {
                    let Some(shader) = self.entry(node, shader) else { continue };
                    let index = as_index(self.counted.shaders.0);
                    let bump = self.problems.ok(shader.bump().within("bump").within_item("shaders", index)).flatten();
                    if let Some(bump) = bump {
                        self.bump(&bump, index, &mut missing);
                    }
                    self.counted.shaders += 1;
                }
                missing.report(self.problems);
            }
            Content::Mesh(mesh) => self.mesh(node, mesh),
            Content::MorphCollections(morphs) => self.morph_collections(node, morphs),
            Content::MorphMeshes(morphs) => self.morph_meshes(node, morphs),
            Content::Physics(physics) => self.physics(node, physics),
            Content::LightScheme(scheme) => self.lights(node, scheme),
            Content::ProxySet(set) => self.proxy_set(node, set),
            Content::ColliderSet(set) => self.collider_set(node, set),
            Content::Chunks | Content::Unknown | Content::Info(_) | Content::Screenshot(_) => {}
        }
    }

    /// Counts the bones, and in a deep survey checks them.
    fn skeleton(&mut self, node: &Node<'a>, skeleton: &Skeleton<'a>) {
        for bone in skeleton.bones {
            match self.entry(node, bone) {
                Some(_) => self.counted.bones += 1,
                None => self.part.bones_lost = true,
            }
        }
        if self.deep {
            self.bones(node, skeleton);
        }
    }

    /// Counts the frames of an animation, and in a deep survey checks its keys. Warns about frames without bones.
    fn animation(&mut self, node: &Node<'a>, animation: &Animation<'a>) {
        self.counted.frames += animation.frame_count.into();
        if animation.bone_count == 0 && animation.frame_count > 0 {
            let message = format_args!("{} frames of no bone", animation.frame_count);
            self.warn(node, node.count_offset(), message);
        }
        self.finite(node, "keys", &animation.keys);
    }

    /// Checks that the materials exist that the bump mapping shader at `index` names.
    fn bump(&self, bump: &Bump<'a>, index: usize, missing: &mut Faults) {
        for (field, name) in [
            ("material", bump.material),
            ("normal_material", bump.normal_material),
            ("specular_material", bump.specular_material),
        ] {
            let path = [("shaders", Some(index)), ("bump", None), (field, None)];
            self.material_name(name, &path, missing);
        }
    }

    /// Checks that the material with this name exists, and otherwise adds a fault to `missing`. `path` leads to the
    /// field with the name.
    fn material_name(&self, name: AnsiStr<'a>, path: &[Segment], missing: &mut Faults) {
        if !self.part.known.has_material(name) {
            // The field of a single name starts with its length. In a face group, the lengths of all names come first.
            let length_bytes = if path.last() == Some(&("materials", None)) { 0 } else { size_of::<i32>() as u64 };
            let offset = self.model.offset_of(name).saturating_sub(length_bytes);
            missing.add(Code::Missing, path, offset, format_args!("{name} is none of the model's materials"));
        }
    }

    /// Counts the vertices, face groups and triangles of a mesh, and in a deep survey checks them.
    fn mesh(&mut self, node: &Node<'a>, mesh: &Mesh<'a>) {
        self.counted.vertices += mesh.positions.len() as u64;
        if mesh.uv_counts_apart {
            self.warn(node, node.chunk.offset(), "texture coordinate counts each before its own array");
        }
        if self.deep {
            self.mesh_arrays(node, mesh);
        }
        let mut missing = Faults::default();
        let before = self.counted.face_groups.0;
        for group in mesh.face_groups {
            let Some(group) = self.entry(node, group) else { continue };
            if self.deep {
                let index = as_index((self.counted.face_groups - before).0);
                self.face_group(node, mesh, index, &group);
                let path = [("meshes", Some(node.index)), ("face_groups", Some(index)), ("materials", None)];
                for name in group.materials.iter() {
                    self.material_name(name, &path, &mut missing);
                }
            }
            self.counted.face_groups += 1;
            self.counted.triangles += group.triangle_count() as u64;
        }
        missing.report(self.problems);
    }

    /// Returns an entry of the chunk, or reports its error.
    fn entry<T>(&mut self, node: &Node<'a>, entry: Result<T>) -> Option<T> {
        self.problems.ok_in(node, entry)
    }

    /// Adds a warning about the part at `place` and the field or element at `offset` in the file.
    pub(super) fn warn(&mut self, place: impl Locate, offset: u64, message: impl Display) {
        self.problems.report_at(Severity::Warning, place, offset, message);
    }
}

/// Counts the chunks in a list of chunks. Returns an error if one of them is cut short.
fn count_chunks(node: &Node<'_>) -> Result<usize> {
    let mut count = Amount(0);
    for chunk in Chunks::new(node.chunk.body()) {
        chunk?.whole()?;
        count += 1;
    }
    Ok(count.0)
}

/// Converts the number of items counted so far to the index of the next item.
fn as_index(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
