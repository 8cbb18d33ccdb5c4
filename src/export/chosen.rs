//! Which primitives of a model are drawn or written.

use super::cost::{PRIMITIVE_BYTES, PRIMITIVE_WORK};
use super::options::Lod;
use crate::asset::Asset;
use crate::base::error::Result;
use crate::budget::Reservation;
use crate::geometry::{Material, Place, Primitive, Texture};
use crate::outline::Text;

/// Returns the place of a LOD in an order where the finest visual one is first.
pub(super) fn rank(resolution: f32) -> f32 {
    if (0.0..1000.0).contains(&resolution) { resolution } else { f32::INFINITY }
}

/// The order in which primitives are preferred.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Preference {
    pub(super) is_hidden: bool,
    pub(super) rank: f32,
    pub(super) lod: Option<usize>,
}

impl Preference {
    pub(super) fn of(place: &Place<'_>) -> Self {
        let is_hidden = !place.visible;
        match place.lod {
            Some((lod, resolution)) => Self { is_hidden, rank: rank(resolution), lod: Some(lod) },
            None => Self { is_hidden, rank: 0.0, lod: None },
        }
    }

    /// Returns true if `other` is not better. Of equal ones, the first is preferred.
    pub(super) fn comes_before(&self, other: &Self) -> bool {
        (self.is_hidden, self.rank) <= (other.is_hidden, other.rank)
    }
}

/// The primitives to draw or write.
pub(super) struct Chosen<'a> {
    pub(super) primitives: Vec<Primitive<'a>>,
    /// The number of parts that cannot be read.
    pub(super) unreadable: u64,
}

/// Returns the primitives to draw or write: the visible ones, if there are any, and of these the requested LOD.
pub(super) fn chosen<'a>(asset: &'a Asset<'_>, lod: Lod, room: &Reservation<'_>) -> Result<Chosen<'a>> {
    let mut best: Option<Preference> = None;
    let mut chosen = Chosen { primitives: Vec::new(), unreadable: 0 };
    for primitive in asset.primitives() {
        room.charge_work(PRIMITIVE_WORK)?;
        let primitive = match primitive {
            Ok(primitive) => primitive,
            Err(error) if error.is_from_outside() => return Err(error),
            Err(_) => {
                chosen.unreadable = chosen.unreadable.saturating_add(1);
                continue;
            }
        };
        let preference = Preference::of(&primitive.place);
        if let Lod::Index(wanted) = lod
            && let Some(index) = preference.lod
            && wanted != index
        {
            continue;
        }
        if best != Some(preference) {
            if let Some(best) = best
                && best.comes_before(&preference)
            {
                continue;
            }
            room.give(PRIMITIVE_BYTES.saturating_mul(chosen.primitives.len() as u64));
            chosen.primitives.clear();
            best = Some(preference);
        }
        room.hold(PRIMITIVE_BYTES)?;
        chosen.primitives.push(primitive);
    }
    Ok(chosen)
}

/// Returns the material of a primitive, with the image for surfaces that name none.
pub(super) fn material<'m, 'p: 'm>(
    primitive: &Primitive<'p>,
    texture: Option<&'m str>,
) -> Result<Option<Material<'m>>> {
    let mut material: Option<Material<'m>> = primitive.material()?;
    let Some(name) = texture else { return Ok(material) };
    let has_image = material.as_ref().is_some_and(|material| material.base().is_some());
    if !has_image {
        material.get_or_insert_with(|| Material::new("")).add(Texture::new(Text::from(name)));
    }
    Ok(material)
}
