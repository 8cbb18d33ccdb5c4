//! Faces as triangles.

use crate::base::error::Result;

/// Returns the triangles of faces as fans, in the file's order. Each face has four corners and a count of those that
/// apply.
pub(super) fn fans<C: Copy, I: Iterator<Item = Result<([C; 4], usize)>>>(faces: I) -> Fans<C, I> {
    Fans { faces, second: None }
}

pub(super) struct Fans<C, I> {
    pub(super) faces: I,
    /// The second triangle of the last face.
    pub(super) second: Option<[C; 3]>,
}

impl<C: Copy, I: Iterator<Item = Result<([C; 4], usize)>>> Iterator for Fans<C, I> {
    type Item = Result<[C; 3]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(triangle) = self.second.take() {
                return Some(Ok(triangle));
            }
            match self.faces.next()? {
                Ok((_, ..3)) => {}
                Ok(([a, b, c, d], count)) => {
                    if count > 3 {
                        self.second = Some([a, c, d]);
                    }
                    return Some(Ok([a, b, c]));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
