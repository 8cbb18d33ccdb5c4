//! Materials.

use super::array::{Layout, Reading};
use super::codes::{Filter, FogMode, MainLight, PixelShader, RenderFlags, VertexShader};
use super::wire::{LastConstants, StageTransform};
use crate::base::error::{Error, Result};
use crate::base::text::ByteStr;
use crate::bytes::{Color, LeArray};
use crate::record::list::Count;
use crate::record::{Framing, List, record};

record! {
    /// A copy of the material file from when the model was binarised. Its fields depend on its kind, not on the file's
    /// version: 9 is Arma, 10 Arma 2 and VBS2, 11 Arma 3, 16 and 20 DayZ. The fields of other kinds from 12 on are
    /// unknown.
    Material<'a>(layout: Layout) named name {
        /// The material file (rvmat).
        name: ByteStr<'a> = "RvMatName",
        /// The kind, which determines the fields that follow.
        kind: u32 = "Type" => known,
        /// Emitted color.
        emissive: Color = "Emissive",
        /// Color in ambient light.
        ambient: Color = "Ambient",
        /// Color in directed light.
        diffuse: Color = "Diffuse",
        /// Color in directed light, unaffected by shadows.
        forced_diffuse: Color = "forcedDiffuse",
        /// Color of the highlight.
        specular: Color = "Specular",
        /// Unknown.
        constants: [f32; 8] where kind >= 16,
        /// A second color of the highlight, usually equal to the first.
        specular_2: Color = "Specular2",
        /// Exponent of the highlight.
        specular_power: f32 = "SpecularPower",
        /// Unknown.
        more_constants: [f32; 6] where kind >= 16,
        /// Unknown.
        last_constants: LastConstants where kind >= 20,
        /// The program that draws its pixels.
        pixel_shader: PixelShader = "PixelShaderId",
        /// The program that transforms its vertices.
        vertex_shader: VertexShader = "VertexShaderId",
        /// The light to which it responds.
        main_light: MainLight = "Arma1UnKnownBool",
        /// The effect of fog on it.
        fog_mode: FogMode = "Arma1AnIndex",
        /// Unknown.
        unknown: u8 where kind == 3,
        /// The surface file (bisurf).
        surface: ByteStr<'a> = "BiSurfaceName" where kind >= 6,
        /// Claimed number of words of render flags. Exactly one is stored in any case.
        #[rule(OneOf(&[1]))]
        render_flag_count: u32 = "Arma1Mostly0x01" where kind >= 4,
        /// Flags for drawing. Some bits have no known name.
        #[rule(Any)]
        #[codes(RenderFlags)]
        render_flags: RenderFlags = "RenderFlags" where kind >= 4,
        /// Number of stages.
        stage_count: Framing<u32> = "nTextures" where kind > 6,
        /// Number of transforms; in kind 8 the number of stages.
        transform_count: Framing<u32> = "nTransforms" where kind > 8,
        /// The textures. The first is the shader's own; 21 of 1,880 real materials name a file for it.
        stages: Stages<'a> = "StageTextures" [Count(stage_count.map_or(0, |count| *count), StageForm::of(kind, layout, false))],
        /// Texture-coordinate transforms; stages refer to them by index.
        transforms: LeArray<'a, StageTransform> = "StageTransforms" [transforms(kind, layout, stage_count, transform_count)],
        /// The texture for thermal sight (the TI stage).
        thermal_stage: Stage<'a> = "DummyStageTexture" [StageForm::of(kind, layout, true)] where kind >= 10,
    }
    also |material, out| {
        out.field("shader_stage_count", material.pixel_shader.stage_count());
        out.field("shader_description", material.pixel_shader.description());
        out.texts("uv_sources", material.transforms.iter().map(|made| made.uv_source().name().unwrap_or("unknown")));
    }
}

record! {
    /// One texture of a material.
    Stage<'a>(form: StageForm) named texture {
        /// The stage's own transform, in materials of kind 7.
        own_transform: &'a StageTransform where form.has_own_transform,
        /// How the texture is sampled.
        filter: Filter = "TextureFilter",
        /// The texture file, or `#(...)` for a texture that the game generates; often empty.
        texture: ByteStr<'a> = "PaaTexture",
        /// Index of the material's transform, in materials of kind 8 and later.
        transform: u32 = "TransformIndex" where form.has_transform_index,
        /// True if the environment is used as texture, in materials of kind 11 and later.
        use_world_environment: bool = "V52Type11bool" where form.has_environment,
    }
}

fn known(kind: &u32) -> Result<()> {
    match kind {
        0..=11 | 16 | 20 => Ok(()),
        _ => Err(Error::unsupported(format!("material of kind {kind}, whose fields are unknown"))),
    }
}

fn transforms(kind: u32, layout: Layout, stages: Option<Framing<u32>>, transforms: Option<Framing<u32>>) -> u64 {
    let count = if kind == 8 && layout.reading != Reading::OtherMaterials { stages } else { transforms };
    count.map_or(0, |count| u64::from(*count))
}

/// The materials of a LOD.
pub type Materials<'a> = List<'a, Material<'a>, Layout>;
/// The stages of a material.
pub type Stages<'a> = List<'a, Stage<'a>, StageForm>;

impl<'a> Material<'a> {
    /// Returns the transform of a stage's coordinates, or `None` if the stage refers to none of this material's.
    pub fn transform_of(&self, stage: &Stage<'a>) -> Option<&'a StageTransform> {
        stage.own_transform.or_else(|| self.transforms.get(stage.transform? as usize))
    }

    /// Returns an iterator over all stages, the thermal one last.
    pub fn all_stages(&self) -> impl Iterator<Item = Stage<'a>> + use<'a> {
        self.stages.iter().chain(self.thermal_stage)
    }

    /// Returns true if the codes in stages and transforms are plausible. Checked for the kinds whose layout is
    /// uncertain.
    pub(super) fn is_sane(&self) -> bool {
        let sane = |stage: Stage<'_>| stage.filter.0 < 256 && stage.transform.is_none_or(|index| index < 256);
        let own = self.stages.iter().filter_map(|stage| stage.own_transform);
        let mut transforms = self.transforms.iter().chain(own);
        !matches!(self.kind, 7 | 8 | 11)
            || self.all_stages().all(sane) && transforms.all(|transform| transform.uv_source().0 < 256)
    }
}

/// The layout of a stage.
#[derive(Clone, Copy, Debug)]
pub struct StageForm {
    has_transform_index: bool,
    has_environment: bool,
    has_own_transform: bool,
}

impl StageForm {
    /// Returns the layout of the stages of a material of this kind, or of its thermal stage.
    pub fn of(kind: u32, layout: Layout, is_thermal: bool) -> Self {
        let is_common = layout.reading != Reading::OtherMaterials;
        Self {
            has_transform_index: kind >= 8,
            has_environment: kind >= 11 && (is_common || is_thermal),
            has_own_transform: kind == 7 && is_common,
        }
    }
}
