//! How surfaces look: spec section 7.

use nom::Parser;
use nom::combinator::cond;
use nom::number::complete::{le_u32, u8};
use zerocopy::little_endian::{F32, I32};

use super::codes::{Filter, FogMode, MainLight, PixelShader, VertexShader};
use super::list::{Context, Item, List, MaterialForm};
use super::wire::{MaterialCodes, MaterialColors, MaterialWords, StageTransform};
use crate::error::{Context as _, Error, Result};
use crate::view::cursor::record;
use crate::view::text::cstr;
use crate::view::{ByteStr, Color, Cursor, LeArray};

/// A copy of what the material file said when the model was binarised. Which fields there are is a matter of
/// [`kind`](Self::kind), not of the file's version: 9 is Arma, 10 Arma 2 and VBS2, 11 Arma 3, 16 and 20 DayZ. The
/// fields of other kinds from 12 on are unknown.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    /// The material file (rvmat).
    pub name: ByteStr<'a>,
    /// Which fields follow (Type).
    pub kind: u32,
    colors: &'a MaterialColors,
    /// Of unknown use, in kinds 16 and 20.
    pub constants: Option<&'a [F32; 8]>,
    specular_2: &'a [F32; 4],
    specular_power: F32,
    /// Of unknown use, in kinds 16 and 20.
    pub more_constants: Option<&'a [F32; 6]>,
    words: Option<&'a MaterialWords>,
    codes: &'a MaterialCodes,
    /// Of unknown use, in kind 3.
    pub unknown: Option<u8>,
    /// The surface file (bisurf), from kind 6 on.
    pub surface: Option<ByteStr<'a>>,
    /// How many words of render flags there are meant to be; one is stored whatever this says. From kind 4 on.
    pub render_flag_count: Option<u32>,
    /// Flags for drawing, from kind 4 on: bit 0 always in shadow, 1 no depth write, 4 no colour write, 5 no alpha
    /// write, 6 add, 7 alpha test, 8 alpha test at 64, 11 no thermal write, 19 road.
    pub render_flags: Option<u32>,
    /// The textures, from kind 7 on. The first is the unnamed one of the shader itself.
    pub stages: List<'a, Stage<'a>, StageForm>,
    /// How coordinates are made, from kind 8 on; stages name them by their place here.
    pub transforms: LeArray<'a, StageTransform>,
    /// The texture for thermal sight, from kind 10 on.
    pub thermal_stage: Option<Stage<'a>>,
}

/// One texture of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage<'a> {
    /// How the texture is sampled.
    pub filter: Filter,
    /// The texture file, or `#(...)` for one that the game makes; often empty.
    pub texture: ByteStr<'a>,
    /// Which of the material's `transforms`, from kind 8 on.
    pub transform: Option<u32>,
    /// Whether the surroundings are used as texture, from kind 11 on.
    pub use_world_environment: Option<bool>,
    /// The stage's own transform, in kind 7.
    pub own_transform: Option<&'a StageTransform>,
}

impl<'a> Material<'a> {
    /// Emitted colour.
    pub fn emissive(&self) -> Color {
        color(self.colors.emissive)
    }

    /// Colour in ambient light.
    pub fn ambient(&self) -> Color {
        color(self.colors.ambient)
    }

    /// Colour in directed light.
    pub fn diffuse(&self) -> Color {
        color(self.colors.diffuse)
    }

    /// Colour in directed light that no shadow takes away.
    pub fn forced_diffuse(&self) -> Color {
        color(self.colors.forced_diffuse)
    }

    /// Colour of the highlight.
    pub fn specular(&self) -> Color {
        color(self.colors.specular)
    }

    /// Colour of the highlight once more, usually the same.
    pub fn specular_2(&self) -> Color {
        color(*self.specular_2)
    }

    /// Exponent of the highlight.
    pub fn specular_power(&self) -> f32 {
        self.specular_power.get()
    }

    /// Twelve numbers of unknown use, in kind 20; the third and the seventh are whole ones.
    pub fn last_constants(&self) -> Option<[f32; 12]> {
        let MaterialWords { before: [a, b], first, between: [c, d, e], second, after: [f, g, h, i, j] } = *self.words?;
        let whole = |number: I32| F32::new(number.get() as f32);
        Some([a, b, whole(first), c, d, e, whole(second), f, g, h, i, j].map(F32::get))
    }

    /// Which program draws its pixels.
    pub fn pixel_shader(&self) -> PixelShader {
        PixelShader(self.codes.pixel_shader.get())
    }

    /// Which program places its vertices.
    pub fn vertex_shader(&self) -> VertexShader {
        VertexShader(self.codes.vertex_shader.get())
    }

    /// Which light it answers to.
    pub fn main_light(&self) -> MainLight {
        MainLight(self.codes.main_light.get())
    }

    /// How fog acts on it.
    pub fn fog_mode(&self) -> FogMode {
        FogMode(self.codes.fog_mode.get())
    }

    /// How the coordinates of a stage are made; `None` where the stage names no transform of this material.
    pub fn transform_of(&self, stage: &Stage<'a>) -> Option<&'a StageTransform> {
        stage.own_transform.or_else(|| self.transforms.get(stage.transform? as usize))
    }

    /// All stages, the thermal one last.
    pub fn all_stages(&self) -> impl Iterator<Item = Stage<'a>> + use<'a> {
        self.stages.iter().chain(self.thermal_stage)
    }

    /// Whether the codes in stages and transforms are ones that could be meant, for the kinds whose layout is
    /// unsettled.
    pub(super) fn is_sane(&self) -> bool {
        let sane = |stage: Stage<'_>| stage.filter.0 < 256 && stage.transform.is_none_or(|index| index < 256);
        let own = self.stages.iter().filter_map(|stage| stage.own_transform);
        let mut transforms = self.transforms.iter().chain(own);
        !matches!(self.kind, 7 | 8 | 11)
            || self.all_stages().all(sane) && transforms.all(|transform| transform.uv_source().0 < 256)
    }
}

fn color([r, g, b, a]: [F32; 4]) -> Color {
    Color { r, g, b, a }
}

impl<'a> Item<'a, Context> for Material<'a> {
    const LEAST: u64 = 121;

    fn read(cursor: &mut Cursor<'a>, context: Context) -> Result<Self> {
        let (name, offset, kind) = (cursor.cstr()?, cursor.offset(), cursor.u32()?);
        if !matches!(kind, 0..=11 | 16 | 20) {
            let message = format!("material of kind {kind}, whose fields are unknown");
            return Err(Error::unsupported(message).at(offset));
        }
        let colors = cursor.read()?;
        let constants = (kind >= 16).then(|| cursor.read()).transpose()?;
        let specular_2 = cursor.read()?;
        let specular_power = *cursor.read()?;
        let more_constants = (kind >= 16).then(|| cursor.read()).transpose()?;
        let words = (kind >= 20).then(|| cursor.read()).transpose()?;
        let codes = cursor.read()?;
        let (unknown, surface, flags) =
            cursor.parse((cond(kind == 3, u8), cond(kind >= 6, cstr), cond(kind >= 4, (le_u32, le_u32))))?;
        let common = context.materials == MaterialForm::Common;
        let stage_count = if kind > 6 { cursor.u32()? } else { 0 };
        let transform_count = match kind {
            9.. => cursor.u32()?,
            8 if common => stage_count,
            _ => 0,
        };
        let form = |is_thermal| StageForm {
            has_transform_index: kind >= 8,
            has_environment: kind >= 11 && (common || is_thermal),
            has_own_transform: kind == 7 && common,
        };
        let stages = List::read_items(cursor, stage_count, "stages", form(false))?;
        let transforms = cursor.array(transform_count.into()).within("transforms")?;
        let thermal = (kind >= 10).then(|| Stage::read(cursor, form(true)).within("thermal_stage"));
        Ok(Self {
            name,
            kind,
            colors,
            constants,
            specular_2,
            specular_power,
            more_constants,
            words,
            codes,
            unknown,
            surface,
            render_flag_count: flags.map(|(count, _)| count),
            render_flags: flags.map(|(_, flags)| flags),
            stages,
            transforms,
            thermal_stage: thermal.transpose()?,
        })
    }
}

/// Which fields a stage has.
#[derive(Clone, Copy, Debug)]
pub struct StageForm {
    has_transform_index: bool,
    has_environment: bool,
    has_own_transform: bool,
}

impl<'a> Item<'a, StageForm> for Stage<'a> {
    const LEAST: u64 = 5;

    fn read(cursor: &mut Cursor<'a>, form: StageForm) -> Result<Self> {
        let fields = (
            cond(form.has_own_transform, record::<StageTransform>),
            le_u32,
            cstr,
            cond(form.has_transform_index, le_u32),
            cond(form.has_environment, u8),
        );
        cursor.parse(fields.map(|(own_transform, filter, texture, transform, environment)| Self {
            filter: Filter(filter),
            texture,
            transform,
            use_world_environment: environment.map(|byte| byte != 0),
            own_transform,
        }))
    }
}
