//! What can be wrong with a model, and the counts that fall out of looking.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Display;

use super::chunk::{Chunks, Kind};
use super::content::Content;
use super::{Animation, Chunk, Material, Mesh, Model, Node, Nodes, Skeleton};
use crate::error::{Context, Error, Result};
use crate::inspect::Span;
use crate::summary::{Counts, Problems, Reference, ReferenceKind, References, Severity};
use crate::view::chunk::Tag;
use crate::view::record::Fixed;

/// Chunks that must not have come before one: what they hold rests on it.
const BEHIND: &[(&[u8; 4], &[&[u8; 4]])] =
    &[(b"SKL1", &[b"ANS1", b"MSL1", b"CLL1"]), (b"MSL1", &[b"PXL1", b"MAN1"]), (b"MAN1", &[b"MMD1"])];

/// The counts of a file.
#[derive(Default)]
pub(super) struct Counted {
    models: u64,
    bones: u64,
    animations: u64,
    frames: u64,
    materials: u64,
    textures: u64,
    shaders: u64,
    meshes: u64,
    vertices: u64,
    face_groups: u64,
    triangles: u64,
    pub(super) morph_collections: u64,
    pub(super) bodies: u64,
    pub(super) geoms: u64,
    pub(super) joints: u64,
    light_schemes: u64,
    pub(super) proxies: u64,
    collider_sets: u64,
    pub(super) colliders: u64,
}

/// What was met so far in the current LOD1.
#[derive(Default)]
pub(super) struct OpenPart {
    tags: BTreeSet<Tag>,
    /// How many meshes it has in all, if that can be told; only looked at in a deep survey.
    pub(super) meshes: Option<u64>,
    pub(super) bone_ids: HashSet<i16>,
    /// Whether some bones could not be read.
    pub(super) bones_lost: bool,
}

/// One walk over a file: always its structure, on request every index and number too.
pub(super) struct Survey<'s, 'a> {
    model: &'s Model<'a>,
    pub(super) deep: bool,
    pub(super) problems: &'s mut Problems,
    pub(super) counted: Counted,
    references: References,
    pub(super) part: OpenPart,
    /// Where a chunk ends that claims more than there is: those inside it that end there are cut by the same.
    cut: Option<u64>,
}

impl<'s, 'a> Survey<'s, 'a> {
    pub(super) fn new(model: &'s Model<'a>, deep: bool, problems: &'s mut Problems) -> Self {
        let (counted, part, cut) = Default::default();
        let references = References::new(&model.limits);
        Self { model, deep, problems, counted, references, part, cut }
    }

    pub(super) fn run(mut self) -> (Counts, Vec<Reference>) {
        for node in self.model.nodes() {
            if let Some(node) = self.problems.ok(node) {
                self.node(&node);
            }
        }
        let c = self.counted;
        let counts = Counts::known([
            ("models", c.models),
            ("bones", c.bones),
            ("animations", c.animations),
            ("frames", c.frames),
            ("materials", c.materials),
            ("textures", c.textures),
            ("shaders", c.shaders),
            ("meshes", c.meshes),
            ("vertices", c.vertices),
            ("face_groups", c.face_groups),
            ("triangles", c.triangles),
            ("morph_collections", c.morph_collections),
            ("bodies", c.bodies),
            ("geoms", c.geoms),
            ("joints", c.joints),
            ("light_schemes", c.light_schemes),
            ("proxies", c.proxies),
            ("collider_sets", c.collider_sets),
            ("colliders", c.colliders),
        ]);
        (counts, self.references.into_vec(self.problems))
    }

    fn node(&mut self, node: &Node<'a>) {
        match node.kind {
            Kind::Part => {
                add(&mut self.counted.models, 1);
                let meshes = if self.deep { meshes(&node.chunk) } else { None };
                self.part = OpenPart { meshes, ..OpenPart::default() };
            }
            Kind::Unknown => self.unknown(node),
            Kind::Animation => add(&mut self.counted.animations, 1),
            Kind::Mesh => add(&mut self.counted.meshes, 1),
            Kind::LightScheme => add(&mut self.counted.light_schemes, 1),
            Kind::ColliderSet => add(&mut self.counted.collider_sets, 1),
            _ => {}
        }
        let once = matches!(node.kind, Kind::MaterialList | Kind::TextureList | Kind::ShaderList);
        if node.kind != Kind::Unknown && (node.depth == 1 || once) {
            self.order(node);
        }
        match node.content() {
            Ok(content) => self.content(node, &content),
            Err(error) => {
                self.part.bones_lost |= node.kind == Kind::Skeleton;
                let end = node.chunk.offset().saturating_add(node.chunk.bytes());
                let holds_chunks = matches!(node.kind, Kind::Part | Kind::List | Kind::Unknown);
                if !(holds_chunks && self.cut == Some(end)) {
                    self.problems.error(&error);
                }
                if node.chunk.missing() > 0 {
                    self.cut = Some(end);
                }
            }
        }
    }

    fn unknown(&mut self, node: &Node<'a>) {
        let tag = node.chunk.tag();
        let offset = node.chunk.offset();
        if tag.0 == *b"PHS1" && node.parent == Some(Tag(*b"LOD1")) {
            self.warn(node, offset, format_args!("PHS1 of version {}, only 2 is known", node.count_hint()));
        } else if Kind::is_known(tag) {
            self.warn(node, offset, format_args!("{tag} does not belong here"));
        }
    }

    fn order(&mut self, node: &Node<'a>) {
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

    fn content(&mut self, node: &Node<'a>, content: &Content<'a>) {
        let counts = match content {
            // A list that breaks off is told of elsewhere.
            Content::Chunks => Chunks::new(node.chunk.body())
                .try_fold(0_usize, |count, chunk| chunk?.whole().map(|_| count.saturating_add(1)))
                .ok(),
            Content::Info(_) | Content::Screenshot(_) => Some(1),
            Content::MaterialList(list) => list.material_count.and_then(|count| usize::try_from(count).ok()),
            Content::Mesh(mesh) => usize::try_from(mesh.face_group_count).ok(),
            _ => None,
        };
        let hint = i64::from(node.count_hint());
        if counts.is_some_and(|count| i64::try_from(count) != Ok(hint)) {
            let (count, tag) = (counts.unwrap_or(0), node.chunk.tag());
            let offset = node.chunk.offset().saturating_add(8);
            self.warn(node, offset, format_args!("count {hint} of {tag}, there are {count}"));
        }
        match content {
            Content::Skeleton(skeleton) => self.skeleton(node, skeleton),
            Content::Animation(animation) => self.animation(node, animation),
            Content::MaterialList(list) => {
                for (span, material) in list.materials.spanned() {
                    let Some(material) = self.entry(node, material) else { continue };
                    add(&mut self.counted.materials, 1);
                    self.material(node, span, &material);
                }
            }
            Content::TextureList(list) => {
                for (index, record) in list.records.enumerate() {
                    let Some(record) = self.entry(node, record) else { continue };
                    add(&mut self.counted.textures, 1);
                    if let Err(error) = record.texture() {
                        self.error(node, error.within_item("textures", index));
                    }
                }
            }
            Content::ShaderList(list) => {
                for (index, shader) in list.shaders.enumerate() {
                    let Some(shader) = self.entry(node, shader) else { continue };
                    add(&mut self.counted.shaders, 1);
                    if let Err(error) = shader.bump() {
                        self.error(node, error.within("bump").within_item("shaders", index));
                    }
                }
            }
            Content::Mesh(mesh) => self.mesh(node, mesh),
            Content::MorphCollections(morphs) => self.morph_collections(node, morphs),
            Content::MorphMeshes(morphs) => self.morph_meshes(node, morphs),
            Content::Physics(physics) => self.physics(node, physics),
            Content::LightScheme(scheme) => self.codes(node, "lights", &scheme.lights, scheme.lights.iter().copied()),
            Content::ProxySet(set) => self.proxy_set(node, set),
            Content::ColliderSet(set) => self.collider_set(node, set),
            Content::Chunks | Content::Unknown | Content::Info(_) | Content::Screenshot(_) => {}
        }
    }

    fn skeleton(&mut self, node: &Node<'a>, skeleton: &Skeleton<'a>) {
        for bone in skeleton.bones {
            match self.entry(node, bone) {
                Some(_) => add(&mut self.counted.bones, 1),
                None => self.part.bones_lost = true,
            }
        }
        if self.deep {
            self.bones(node, skeleton);
        }
    }

    fn animation(&mut self, node: &Node<'a>, animation: &Animation<'a>) {
        add(&mut self.counted.frames, animation.frame_count.into());
        let offset = node.chunk.offset();
        if animation.bone_count == 0 && animation.frame_count > 0 {
            self.warn(node, offset.saturating_add(8), format_args!("{} frames of no bone", animation.frame_count));
        }
        // Kind, interval and mode come first.
        if animation.mode.name().is_none() {
            self.meaningless(node, offset.saturating_add(17), "mode", animation.mode.0);
        }
        if animation.interval < 0 {
            self.warn(node, offset.saturating_add(13), format_args!("interval of {} ms", animation.interval));
        }
        self.finite(node, "keys", &animation.keys);
    }

    fn material(&mut self, node: &Node<'a>, span: Span, material: &Material<'a>) {
        for name in material.texture_files() {
            self.references.add(ReferenceKind::Texture, name);
        }
        if !self.deep {
            return;
        }
        if let Some(options) = material.options {
            if options.shininess > 128 {
                self.warn(node, span.offset, format_args!("shininess {} is above 128", options.shininess));
            }
            options.unknown_codes(&mut |field, code| {
                self.meaningless(node, span.offset, field, code);
            });
        }
        if let Some(mapping) = material.mapping_mode
            && mapping.name().is_none()
        {
            self.meaningless(node, span.offset, "mapping_mode", mapping.0);
        }
    }

    fn mesh(&mut self, node: &Node<'a>, mesh: &Mesh<'a>) {
        add(&mut self.counted.vertices, mesh.positions.len() as u64);
        if mesh.uv_counts_apart {
            self.warn(node, node.chunk.offset(), "texture coordinate counts each before its own array");
        }
        if self.deep {
            self.mesh_arrays(node, mesh);
        }
        for (index, (span, group)) in mesh.face_groups.spanned().enumerate() {
            let Some(group) = self.entry(node, group) else { continue };
            add(&mut self.counted.face_groups, 1);
            add(&mut self.counted.triangles, group.triangle_count() as u64);
            if self.deep {
                self.face_group(node, mesh, (index, span), &group);
            }
        }
    }

    /// An entry of the chunk, or what is wrong with it.
    fn entry<T>(&mut self, node: &Node<'a>, entry: Result<T>) -> Option<T> {
        entry.map_err(|error| self.error(node, error)).ok()
    }

    pub(super) fn error(&mut self, node: &Node<'a>, error: Error) {
        self.problems.error(&error.within_item(node.kind.name(), node.index));
    }

    #[cold]
    pub(super) fn warn(&mut self, node: &Node<'a>, offset: u64, message: impl Display) {
        self.problems.tell(Severity::Warning, || {
            Error::malformed(message.to_string()).at(offset).within_item(node.kind.name(), node.index)
        });
    }

    pub(super) fn meaningless(&mut self, node: &Node<'a>, offset: u64, field: &str, code: impl Into<i64>) {
        self.warn(node, offset, format_args!("{field} {} is unknown", code.into()));
    }
}

/// How many meshes a LOD1 has; `None` where a chunk is cut, behind which there may have been others.
fn meshes(part: &Chunk<'_>) -> Option<u64> {
    Nodes::part(part, 0).try_fold(0_u64, |count, node| {
        let node = node.ok().filter(|node| node.body().is_ok())?;
        Some(count.saturating_add((node.kind == Kind::Mesh).into()))
    })
}

pub(super) fn add(count: &mut u64, more: u64) {
    *count = count.saturating_add(more);
}
