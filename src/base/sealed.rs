//! What only this crate implements, so that more can be asked of it later.

/// Keeps others from implementing a trait.
pub trait Sealed {}

impl<V: Sealed + ?Sized> Sealed for &V {}
