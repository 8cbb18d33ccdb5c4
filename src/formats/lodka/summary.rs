//! The five questions of [`Inspect`], answered for models.

use super::content::Content;
use super::verify::Survey;
use super::{Mesh, Model};
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::base::span::Span;
use crate::budget::Budget;
use crate::bytes::Table;
use crate::bytes::batch::to_the_end;
use crate::inspect::{Depth, Inspect, Region, no_digest};
use crate::outline::Outline;
use crate::summary::{Problems, Summary};

impl Inspect for Model<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (Format::Lodka, &self.limits, self.data.len() as u64)
    }

    /// For a summary, one walk over all chunks and what is in them, but for the elements of arrays.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let (counts, references) = Survey::new(self, depth, problems).run();
        Summary { version: Some(1), counts, references, ..Summary::new(Format::Lodka, self.data.len() as u64) }
    }

    fn outline(&self, out: &mut Outline<'_>) {
        super::outline::model(self, out);
    }

    fn dissect(&self, out: &mut Outline<'_>) {
        super::outline::dissect(self, out);
    }

    /// The chunks as they nest, header included; those of data with the name and counts of what they hold.
    fn regions(&self, sink: &mut dyn FnMut(Region<'_>)) {
        let mut deepest = 0;
        for node in self.nodes() {
            let node = match node {
                Ok(node) => node,
                Err(error) => {
                    sink(Region::problem(deepest, &error, 0));
                    continue;
                }
            };
            deepest = node.depth;
            let span = Span { offset: node.chunk.offset(), bytes: node.chunk.byte_len() };
            let content = node.content();
            let note = content.as_ref().map_or_else(|_| String::new(), |content| note(content, node.count_hint()));
            sink(Region::part(node.depth, node.chunk.tag().to_string(), note, span));
            if let Err(error) = content {
                sink(Region::problem(node.depth.saturating_add(1), &error, span.offset));
            }
        }
    }

    fn digest_names(&self) -> &'static [&'static str] {
        &["positions"]
    }

    fn digest(&self, name: &str, _: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        if name != "positions" {
            return Err(no_digest(self.format(), name));
        }
        let mut sink = to_the_end(sink);
        for mesh in self.views::<Mesh<'_>>() {
            mesh?.positions.read(&mut sink)?;
        }
        Ok(())
    }
}

fn note(content: &Content<'_>, count: i32) -> String {
    match content {
        Content::Chunks => format!("count {count}"),
        Content::Unknown => format!("unknown, count {count}"),
        Content::Info(_) => String::new(),
        Content::Skeleton(skeleton) => format!("{} bones", skeleton.bone_count),
        Content::Animation(animation) => format!("{}, {} frames", animation.name, animation.frame_count),
        Content::MaterialList(list) => format!("{} materials", list.material_count.unwrap_or(0)),
        Content::TextureList(list) => format!("{} textures", list.texture_count),
        Content::ShaderList(list) => format!("{} shaders", list.shader_count),
        Content::Mesh(mesh) => {
            format!("{}, {} vertices, {} face groups", mesh.name, mesh.positions.len(), mesh.face_group_count)
        }
        Content::MorphCollections(morphs) => format!("{} collections", morphs.records.len()),
        Content::MorphMeshes(morphs) => format!("{} meshes", morphs.records.len()),
        Content::Physics(physics) => {
            let (bodies, geoms, joints) = (physics.bodies.len(), physics.geoms.len(), physics.joints.len());
            format!("{bodies} bodies, {geoms} geoms, {joints} joints")
        }
        Content::LightScheme(scheme) => scheme.name.to_string(),
        Content::ProxySet(set) => format!("{} proxies for mesh {}", set.proxies.len(), set.mesh),
        Content::ColliderSet(set) => format!("{}, {} colliders", set.name, set.colliders.len()),
        Content::Screenshot(screenshot) => screenshot.name.to_string(),
    }
}
