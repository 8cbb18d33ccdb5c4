//! Materials.

use nom::Parser as _;

use super::array::{Layout, Reading};
use super::codes::{Filter, FogMode, MainLight, PixelShader, RenderFlags, VertexShader};
use super::wire::{LastConstants, StageTransform};
use crate::base::error::{Error, Result};
use crate::base::text::ByteStr;
use crate::bytes::{Color, LeArray};
use crate::record::parser::{
    array, by_value, cond, count, framing, in_place, le_bool, le_f32, le_u8, le_u32, text_to_nul, times, verify,
};
use crate::record::{List, grammar};

grammar! {
    /// A copy of the material file from when the model was binarised. Its fields depend on its kind, not on the file's
    /// version: 9 is Arma, 10 Arma 2 and VBS2, 11 Arma 3, 16 and 20 DayZ. The fields of other kinds from 12 on are
    /// unknown.
    Material<'a>(layout: Layout) named name {
        /// The material file (rvmat).
        #[label("RvMatName")] name: ByteStr<'a> = text_to_nul(),
        /// The kind, which determines the fields that follow.
        #[label("Type")] kind: u32 = verify(le_u32(), check_kind),
        /// Emitted color.
        #[label("Emissive")] emissive: Color = by_value(),
        /// Color in ambient light.
        #[label("Ambient")] ambient: Color = by_value(),
        /// Color in directed light.
        #[label("Diffuse")] diffuse: Color = by_value(),
        /// Color in directed light, unaffected by shadows.
        #[label("forcedDiffuse")] forced_diffuse: Color = by_value(),
        /// Color of the highlight.
        #[label("Specular")] specular: Color = by_value(),
        /// Unknown.
        constants: Option<[f32; 8]> = cond(kind >= 16, times(le_f32())),
        /// A second color of the highlight, usually equal to the first.
        #[label("Specular2")] specular_2: Color = by_value(),
        /// Exponent of the highlight.
        #[label("SpecularPower")] specular_power: f32,
        /// Unknown.
        more_constants: Option<[f32; 6]> = cond(kind >= 16, times(le_f32())),
        /// Unknown.
        last_constants: Option<LastConstants> = cond(kind >= 20, by_value()),
        /// The program that draws its pixels.
        #[label("PixelShaderId")] pixel_shader: PixelShader = le_u32().map(PixelShader),
        /// The program that transforms its vertices.
        #[label("VertexShaderId")] vertex_shader: VertexShader = le_u32().map(VertexShader),
        /// The light to which it responds.
        #[label("Arma1UnKnownBool")] main_light: MainLight = le_u32().map(MainLight),
        /// The effect of fog on it.
        #[label("Arma1AnIndex")] fog_mode: FogMode = le_u32().map(FogMode),
        /// Unknown.
        unknown: Option<u8> = cond(kind == 3, le_u8()),
        /// The surface file (bisurf).
        #[label("BiSurfaceName")] surface: Option<ByteStr<'a>> = cond(kind >= 6, text_to_nul()),
        /// Claimed number of words of render flags. Exactly one is stored in any case.
        #[rule(OneOf(&[1]))]
        #[label("Arma1Mostly0x01")] render_flag_count: Option<u32> = cond(kind >= 4, le_u32()),
        /// Flags for drawing. Some bits have no known name.
        #[rule(Any)]
        #[codes(RenderFlags)]
        #[label("RenderFlags")] render_flags: Option<RenderFlags> = cond(kind >= 4, le_u32().map(RenderFlags)),
        /// Number of stages.
        #[label("nTextures")] stage_count: Option<u32> = cond(kind > 6, framing(le_u32())),
        /// Number of transforms. In kind 8 there are as many as stages.
        #[label("nTransforms")] transform_count: Option<u32> = cond(kind > 8, framing(le_u32())),
        /// The textures. The first is the shader's own; 21 of 1,880 real materials name a file for it.
        #[label("StageTextures")] stages: Stages<'a> =
            count(Stage::parser(StageForm::of(kind, layout, false)), stage_count.unwrap_or(0)),
        /// Texture-coordinate transforms; stages refer to them by index.
        #[label("StageTransforms")]
        transforms: LeArray<'a, StageTransform> = array(transforms_stored(kind, layout, stage_count, transform_count)),
        /// The texture for thermal sight (the TI stage).
        #[label("DummyStageTexture")]
        thermal_stage: Option<Stage<'a>> = cond(kind >= 10, Stage::parser(StageForm::of(kind, layout, true))),
    }
    also |material, out| {
        out.field("shader_stage_count", material.pixel_shader.stage_count());
        out.field("shader_description", material.pixel_shader.description());
        out.texts("uv_sources", material.transforms.iter().map(|made| made.uv_source().name().unwrap_or("unknown")));
    }
}

grammar! {
    /// One texture of a material.
    crate Stage<'a>(form: StageForm) named texture {
        /// The stage's own transform, in materials of kind 7.
        own_transform: Option<&'a StageTransform> = cond(form.has_own_transform, in_place()),
        /// How the texture is sampled.
        #[label("TextureFilter")] filter: Filter = le_u32().map(Filter),
        /// The texture file, or `#(...)` for a texture that the game generates; often empty.
        #[label("PaaTexture")] texture: ByteStr<'a> = text_to_nul(),
        /// Index of the material's transform, in materials of kind 8 and later.
        #[label("TransformIndex")] transform: Option<u32> = cond(form.has_transform_index, le_u32()),
        /// True if the environment is used as texture, in materials of kind 11 and later.
        #[label("V52Type11bool")] use_world_environment: Option<bool> = cond(form.has_environment, le_bool()),
    }
}

/// Rejects kinds of material whose fields are unknown.
fn check_kind(kind: &u32) -> Result<()> {
    match kind {
        0..=11 | 16 | 20 => Ok(()),
        _ => Err(Error::unsupported(format!("material of kind {kind}, whose fields are unknown"))),
    }
}

/// Returns the number of transforms that a material of this kind stores, from the counts before its stages. Kind 8 has
/// no count of transforms: it stores one for each stage, or none in the reading [`Reading::OtherMaterials`].
fn transforms_stored(kind: u32, layout: Layout, stage_count: Option<u32>, transform_count: Option<u32>) -> u64 {
    let count = if kind == 8 && layout.reading != Reading::OtherMaterials { stage_count } else { transform_count };
    count.unwrap_or(0).into()
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

    /// Returns true if the codes in stages and transforms are plausible. Checked only for the kinds on whose layout
    /// readers differ; true for all others.
    pub(super) fn is_sane(&self) -> bool {
        if !matches!(self.kind, 7 | 8 | 11) {
            return true;
        }
        let own = self.stages.iter().filter_map(|stage| stage.own_transform);
        let mut transforms = self.transforms.iter().chain(own);
        self.all_stages().all(|stage| stage.is_sane())
            && transforms.all(|transform| transform.uv_source().0 < SANE_CODES)
    }
}

/// Codes and indices that are read correctly are far below this number.
const SANE_CODES: u32 = 256;

impl Stage<'_> {
    /// Returns true if the sampling code and the index of the transform are plausible.
    fn is_sane(&self) -> bool {
        self.filter.0 < SANE_CODES && self.transform.is_none_or(|index| index < SANE_CODES)
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
