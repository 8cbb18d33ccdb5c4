//! Models in formats of other programs, and pictures of them.
//!
//! [`glb`] writes b3d, bmx, lodka, mlod and plain rtm as binary glTF 2.0, [`obj`] and [`ply`] write triangles without
//! bones, and [`picture`] draws. The results are written to any [`Write`]. Nothing is read but the asset: the caller
//! supplies [`Images`], such as those [inside](Embedded) the model. Work, memory and output are charged to a
//! [`Budget`]. No threads are started, so all of it works in a browser.
//!
//! | source | in glTF |
//! | --- | --- |
//! | Blitz3D | ANIMs of equal rate and length are one animation, SEQS are named ones. The base texture is the first that is no lightmap and no reflection; these two are in the `extras` of the material. Black is transparent where the texture says so. Missing normals are smoothed, as the engine does |
//! | Ballance | hidden objects are in the file, but not in its scene |
//! | LODka3D | hidden objects as for Ballance; frames of vertex animations are morph targets |
//! | MLOD of Arma | the finest visual LOD, another one or all. Proxies are left out |
//! | plain RTM | its bones and its animation |
//!
//! A mesh that bones move has a node of its own, because bones alone place it. Colors are converted from sRGB to
//! linear light. Normals are normalized, each vertex keeps its four strongest bone weights, and triangles with
//! missing vertices are dropped. In pictures, normals that oppose their triangles are ignored.
//!
//! ```
//! use meshpeek::export::{self, Embedded, Options};
//! use meshpeek::{Asset, Budget, Limits};
//! # let bytes = std::fs::read("corpus/b3d/everything.b3d").unwrap();
//! let asset = Asset::parse(&bytes)?;
//! let budget = Budget::new(bytes.len() as u64, &Limits::default());
//! let model = export::glb(&asset, &Options::default(), &mut Embedded::new(&asset), &budget)?;
//! let mut file = Vec::new();
//! model.write_to(&mut file)?;
//! assert!(file.starts_with(b"glTF"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod embedded;
mod gltf;
mod image;
mod picture;
mod space;
mod text;

use std::borrow::Cow;
use std::io::{self, Write};

pub use embedded::Embedded;
pub use image::{Images, NoImages, Pixels, base_name, is_embeddable};
pub use picture::{
    AMBIENT, Canvas, Edges, Flaw, GROUND, LIGHTS, Light, Picture, View, hides_little, picture, picture_on,
};
pub use space::{Mirror, Space, Up};
pub use text::{obj, ply};

use crate::asset::Asset;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::budget::{Budget, Reservation};
use crate::geometry::{Material, Primitive, Texture};
use crate::outline::Text;
use crate::pose::Rig;

/// The cost of building a vertex or triangle, in bytes of work.
const CORNER_WORK: u64 = 64;
/// The cost of a primitive, in bytes of work, and its memory.
const PRIMITIVE_WORK: u64 = 256;
const PRIMITIVE_BYTES: u64 = 768;

/// The options of an export.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Options<'o> {
    /// Axes and scale.
    pub space: Space,
    /// The name of the only animation to write, ignoring case. `None`: all.
    pub clip: Option<&'o str>,
    /// The frames per second of all animations, instead of those of the file.
    pub fps: Option<f32>,
    /// The levels of detail to write, for a model with several (mlod).
    pub lod: Lod,
    /// The image for surfaces that name none, as a name for [`Images`].
    pub texture: Option<&'o str>,
    /// Bones and animations for a model without its own: those of a plain RTM file or of a `model.cfg` for an MLOD
    /// model. Each bone moves the selection with its name. For a plain RTM file, a skeleton with the parents of its bones.
    pub rig: Option<&'o Rig<'o>>,
}

/// The levels of detail that are written or drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lod {
    /// The finest visual one, else the first.
    #[default]
    Finest,
    /// The one with this index, in file order.
    Index(usize),
    /// All levels. A picture shows the finest.
    All,
}

/// A model in the form of another program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Model {
    pieces: Vec<Vec<u8>>,
    /// True if it contains no triangles.
    pub is_empty: bool,
    /// The number of parts that cannot be read.
    pub unreadable: u64,
    /// The number of triangles with a missing corner, which are left out.
    pub left_out: u64,
}

impl Model {
    /// Returns the size of the file.
    pub fn byte_len(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    pub fn write_to(&self, mut out: impl Write) -> io::Result<()> {
        self.pieces.iter().try_for_each(|piece| out.write_all(piece))
    }
}

/// Returns the reason why a format cannot be written as glTF, or `None` if it can.
pub fn refused(format: Format) -> Option<Cow<'static, str>> {
    let why = match format {
        Format::B3d | Format::Bmx | Format::Lodka | Format::Mlod | Format::Rtm => return None,
        // Their authors do not want them to be extracted.
        Format::Odol => {
            "binarised models (ODOL) are not written as glTF: they are other people's finished work, and their community \
             forbids ripping them; -o NAME.png draws a model"
        }
        Format::Bmtr => {
            "binarised animations (BMTR) are not written as glTF: they are other people's finished work, and their \
             community forbids ripping them"
        }
        Format::Paa => "a texture has no triangles; -o NAME.png writes it as a picture",
        Format::Rap => "a config has no triangles",
        Format::Pbo | Format::Zip => "an archive is not a model; name a member, as FILE!/MEMBER",
        #[allow(unreachable_patterns, reason = "for formats to come")]
        other => return Some(format!("export does not write a {} as glTF", other.title()).into()),
    };
    Some(why.into())
}

/// Builds a binary glTF 2.0 file: nodes, meshes, materials with their images, skins, animations and morph targets.
/// Parts that cannot be read are counted and left out.
///
/// # Errors
/// Returns an error if the format is [refused](fn@refused), if no animation has the requested name, if the requested
/// LOD does not exist, or if the model exceeds the budget.
pub fn glb(asset: &Asset<'_>, options: &Options<'_>, images: &mut dyn Images, budget: &Budget) -> Result<Model> {
    match refused(asset.format()) {
        Some(why) => Err(Error::unsupported(why)),
        None => gltf::write(asset, options, images, &Reservation::new(budget)),
    }
}

/// Returns the place of a LOD in an order where the finest visual one is first.
fn rank(resolution: f32) -> f32 {
    if (0.0..1000.0).contains(&resolution) { resolution } else { f32::INFINITY }
}

/// Returns the primitives to draw or write: the visible ones, if there are any, and of these the requested LOD. Also
/// returns how many parts cannot be read.
fn chosen<'a>(asset: &'a Asset<'_>, lod: Lod, room: &Reservation<'_>) -> Result<(Vec<Primitive<'a>>, u64)> {
    let mut best: Option<(bool, f32, Option<usize>)> = None;
    let (mut chosen, mut unreadable): (Vec<Primitive<'a>>, u64) = (Vec::new(), 0);
    for primitive in asset.primitives() {
        room.work(PRIMITIVE_WORK)?;
        let Ok(primitive) = primitive else {
            unreadable = unreadable.saturating_add(1);
            continue;
        };
        let place = primitive.place;
        if let (Lod::Index(wanted), Some((index, _))) = (lod, place.lod)
            && wanted != index
        {
            continue;
        }
        let found = place.lod.map(|(index, _)| index);
        let order = (!place.visible, place.lod.map_or(0.0, |(_, resolution)| rank(resolution)), found);
        match best {
            Some(best) if best == order => {}
            Some((is_hidden, rank, _)) if (is_hidden, rank) <= (order.0, order.1) => continue,
            _ => {
                room.give(PRIMITIVE_BYTES.saturating_mul(chosen.len() as u64));
                chosen.clear();
                best = Some(order);
            }
        }
        room.hold(PRIMITIVE_BYTES)?;
        chosen.push(primitive);
    }
    Ok((chosen, unreadable))
}

/// Returns the material of a primitive, with the image for surfaces that name none.
fn material<'m, 'p: 'm>(primitive: &Primitive<'p>, texture: Option<&'m str>) -> Result<Option<Material<'m>>> {
    let mut material: Option<Material<'m>> = primitive.material()?;
    if let Some(name) = texture
        && material.as_ref().is_none_or(|material| material.base().is_none())
    {
        material.get_or_insert_with(|| Material::new("")).add(Texture::new(Text::from(name)));
    }
    Ok(material)
}

fn is_finite(numbers: &[f32]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}

/// Returns `numbers` if all are finite, else `other`.
fn finite<const N: usize>(numbers: [f32; N], other: [f32; N]) -> [f32; N] {
    if is_finite(&numbers) { numbers } else { other }
}
