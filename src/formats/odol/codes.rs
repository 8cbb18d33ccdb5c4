//! Numeric codes. Unknown codes are accepted.

use std::borrow::Cow;

use crate::outline::{Type, Value};
use crate::record::Stored;
use crate::record::codes::codes;

codes! {
    /// Source of the coordinates of a texture stage. The names of 2 to 8 are those of other readers; models with a
    /// second set of coordinates (5) confirm them. The document calls them `Tex2` to `Tex8` and says itself that this
    /// cannot be taken literally.
    UvSource(u32) {
        0 "None", 1 "Tex", 2 "TexWaterAnim", 3 "Pos", 4 "Norm", 5 "Tex1", 6 "WorldPos", 7 "WorldNorm", 8 "TexShoreAnim",
    }

    /// How a texture is sampled.
    Filter(u32) { 0 "Point", 1 "Linear", 2 "Trilinear", 3 "Anisotropic" }

    /// How fog acts on a material.
    FogMode(u32) { 0 "None", 1 "Fog", 2 "Alpha", 3 "FogAlpha" }

    /// The light that affects a material.
    MainLight(u32) {
        0 "None", 1 "Sun", 2 "Sky", 3 "Horizon", 4 "Stars", 5 "SunObject", 6 "SunHaloObject", 7 "MoonObject",
        8 "MoonHaloObject",
    }

    /// The program that draws a material's pixels.
    PixelShader(u32) {
        0 "Normal", 1 "NormalDXTA", 2 "NormalMap", 3 "NormalMapThrough", 4 "NormalMapSpecularDIMap",
        5 "NormalMapDiffuse", 6 "Detail", 8 "Water", 10 "White", 12 "AlphaShadow", 13 "AlphaNoShadow",
        15 "DetailMacroAS", 18 "NormalMapSpecularMap", 19 "NormalMapDetailSpecularMap",
        20 "NormalMapMacroASSpecularMap", 21 "NormalMapDetailMacroASSpecularMap", 22 "NormalMapSpecularDIMap",
        23 "NormalMapDetailSpecularDIMap", 24 "NormalMapMacroASSpecularDIMap",
        25 "NormalMapDetailMacroASSpecularDIMap", 56 "Glass", 58 "NormalMapSpecularThrough", 59 "Grass",
        60 "NormalMapThroughSimple", 102 "Super", 103 "Multi", 107 "Tree", 110 "Skin", 111 "CalmWater", 114 "TreeAdv",
        116 "TreeAdvTrunk",
    }

    /// The program that transforms a material's vertices.
    VertexShader(u32) {
        0 "Basic", 1 "NormalMap", 2 "NormalMapDiffuse", 3 "Grass", 8 "Water", 11 "NormalMapThrough", 14 "BasicAS",
        15 "NormalMapAS", 17 "Glass", 18 "NormalMapSpecularThrough", 19 "NormalMapThroughNoFade",
        20 "NormalMapSpecularThroughNoFade", 23 "Super", 24 "Multi", 25 "Tree", 26 "TreeNoFade", 29 "Skin",
        30 "CalmWater", 31 "TreeAdv", 32 "TreeAdvTrunk",
    }

    /// How the map draws the object.
    MapType(u8) {
        0 "Tree", 1 "SmallTree", 2 "Bush", 3 "Building", 4 "House", 5 "ForestBorder", 6 "ForestTriangle",
        7 "ForestSquare", 8 "Church", 9 "Chapel", 10 "Cross", 11 "Rock", 12 "Bunker", 13 "Fortress", 14 "Fountain",
        15 "ViewTower", 16 "Lighthouse", 17 "Quay", 18 "FuelStation", 19 "Hospital", 20 "Fence", 21 "Wall", 22 "Hide",
        23 "BusStop", 24 "Road", 25 "Forest", 26 "Transmitter", 27 "Stack", 28 "Ruin", 29 "Tourism", 30 "WaterTower",
        31 "Track", 32 "MainRoad", 33 "Rocks", 34 "PowerLines", 35 "RailWay", 36 "None",
    }

    /// The source of the shadow buffer.
    ShadowSource(i32) { 0 "Visual", 1 "ShadowVolume", 2 "Explicit", 3 "None", 4 "VisualEx" }

    /// The kind of movement of an animation.
    AnimationKind(u32) {
        0 "rotation", 1 "rotationX", 2 "rotationY", 3 "rotationZ", 4 "translation", 5 "translationX", 6 "translationY",
        7 "translationZ", 8 "direct", 9 "hide",
    }

    /// How an animation handles values out of its range.
    Addressing(u32) { 0 "clamp", 1 "loop", 2 "mirror" }
}

impl PixelShader {
    /// Returns the number of stages that a material file lists for this shader (NoOfStages), from the document's table,
    /// or `None` if the table does not give it. A [`Material`](super::Material) has one more stage, which belongs to
    /// the shader itself.
    pub const fn stage_count(self) -> Option<u32> {
        Some(match self.0 {
            0 | 1 | 10 | 12 | 13 | 59 | 60 | 102 | 103 | 107 | 110 | 114 | 116 => 0,
            6 => 1,
            4 | 5 | 8 | 18 | 22 | 56 => 2,
            2 | 3 | 15 | 19 | 23 | 58 => 3,
            20 | 24 => 4,
            21 | 25 => 5,
            111 => 7,
            _ => return None,
        })
    }

    /// Returns a description of the shader, from the document's table, if it has one.
    pub const fn description(self) -> Option<&'static str> {
        Some(match self.0 {
            0 => "diffuse color modulate, alpha replicate",
            1 => "diffuse color modulate, alpha replicate, DXT alpha correction",
            2 => "normal map shader",
            3 => "normal map shader - through lighting",
            4 => "VBS2 only",
            8 => "sea water",
            12 => "shadow alpha write",
            13 => "shadow alpha (no shadow) write",
            19 => "similar to NormalMapDiffuse",
            22 => "same as NormalMapSpecularMap, but uses _SMDI texture",
            59 => "special shader to allow volumetric shadows to be cast on grass clutter",
            102 | 103 | 107 | 110 | 111 | 114 | 116 => "Arrowhead",
            _ => return None,
        })
    }
}

/// Render flags of a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RenderFlags(pub u32);

impl RenderFlags {
    /// The bits with a meaning and their names.
    pub(crate) const KNOWN: &'static [(i64, &'static str)] = &[
        (1, "AlwaysInShadow"),
        (2, "NoZWrite"),
        (0x10, "NoColorWrite"),
        (0x20, "NoAlphaWrite"),
        (0x40, "AddBlend"),
        (0x80, "AlphaTest"),
        (0x100, "AlphaTest64"),
        (0x800, "NoTiWrite"),
        (0x8_0000, "Road"),
    ];

    /// Returns the names of the bits that are set, starting with the lowest bit. Bits without a name are left out.
    ///
    /// ```
    /// use meshpeek::odol::RenderFlags;
    /// assert!(RenderFlags(0x42).names().eq(["NoZWrite", "AddBlend"]));
    /// ```
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let set = Self::KNOWN.iter().filter(move |(bit, _)| i64::from(self.0) & bit != 0);
        set.map(|(_, name)| *name)
    }

    /// Returns the names of the bits that are set, joined with commas, or `None` if none of them has a name.
    fn meaning(self) -> Option<Cow<'static, str>> {
        let names: Vec<_> = self.names().collect();
        if names.is_empty() { None } else { Some(names.join(", ").into()) }
    }

    /// Returns the bits that are set and have no name.
    pub fn unknown_bits(self) -> u32 {
        let mut bits = self.0;
        for (known, _) in Self::KNOWN {
            bits &= !u32::try_from(*known).unwrap_or(0);
        }
        bits
    }
}

impl Stored for RenderFlags {
    const TYPE: Type = Type::Number("RenderFlags", 4);

    fn value(&self) -> Option<Value<'_>> {
        Some(Value::Coded(self.0.into(), self.meaning()))
    }
}
