//! What only this crate implements, so that more can be asked of it later.

/// Keeps others from implementing a trait.
pub trait Sealed {}

impl<V: Sealed + ?Sized> Sealed for &V {}

#[cfg(feature = "b3d")]
impl Sealed for crate::b3d::TexCoords<'_> {}
#[cfg(feature = "bmx")]
impl Sealed for crate::bmx::Faces<'_> {}
#[cfg(feature = "bmx")]
impl<T> Sealed for crate::bmx::List<'_, T> {}
#[cfg(feature = "lodka")]
impl Sealed for crate::lodka::Indices<'_> {}
#[cfg(feature = "lodka")]
impl Sealed for crate::lodka::WeightList<'_> {}
#[cfg(feature = "lodka")]
impl Sealed for crate::lodka::WeightRecords<'_> {}
#[cfg(feature = "lodka")]
impl<T, W> Sealed for crate::lodka::Records<'_, T, W> {}
#[cfg(feature = "lodka")]
impl<T> Sealed for crate::lodka::Sets<T> {}
#[cfg(feature = "geometry")]
impl<T> Sealed for crate::geometry::Values<'_, T> {}
