//! Places in an asset: a field or an item of a list, in the part around it.

use crate::base::error::{Context as _, Error};

/// A place in an asset.
pub(crate) trait Locate {
    /// Adds the place to an error in it.
    fn locate(&self, error: Error) -> Error;

    /// Returns the place of a field in this place.
    fn field(self, name: &'static str) -> Within<Self>
    where
        Self: Sized,
    {
        Within { around: self, name, index: None }
    }

    /// Returns the place of an item of a list in this place, counted from 0.
    fn item(self, list: &'static str, index: usize) -> Within<Self>
    where
        Self: Sized,
    {
        Within { around: self, name: list, index: Some(index) }
    }
}

/// The asset as a whole.
#[derive(Clone, Copy)]
pub(crate) struct Root;

impl Locate for Root {
    fn locate(&self, error: Error) -> Error {
        error
    }
}

/// A field, or an item of a list.
#[derive(Clone, Copy)]
pub(crate) struct Within<P> {
    around: P,
    name: &'static str,
    index: Option<usize>,
}

impl<P: Locate> Locate for Within<P> {
    // Inlined: a call would take the place by reference, and so keep it in memory even if no error occurs.
    #[inline(always)]
    fn locate(&self, error: Error) -> Error {
        self.around.locate(error.within_segment(self.name, self.index))
    }
}

impl<P: Locate + ?Sized> Locate for &P {
    fn locate(&self, error: Error) -> Error {
        (**self).locate(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_the_parts_from_the_outside_in() {
        let place = Root.item("lods", 2).field("faces");
        assert_eq!(place.locate(Error::malformed("odd")).message(), "lods[2].faces: odd");
        assert_eq!(
            place.item("corners", 1).locate(Error::malformed("odd").within("x")).message(),
            "lods[2].faces.corners[1].x: odd"
        );
        assert_eq!(Root.locate(Error::malformed("odd")).message(), "odd");
    }
}
