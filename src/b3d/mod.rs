//! Blitz3D scenes.
use crate::{error::*, inspect::*, limits::Limits, summary::*};
/// A scene.
#[derive(Debug)]
pub struct Scene<'a>(&'a [u8]);
impl<'a> Scene<'a> {
    /// x
    pub fn parse_with(data: &'a [u8], _limits: &Limits) -> Result<Self> {
        Ok(Self(data))
    }
}
impl Inspect for Scene<'_> {
    fn summarize(&self) -> Summary {
        Summary::new(crate::Format::B3d, self.0.len() as u64)
    }
    fn verify(&self, _: &mut Problems) {}
    fn outline(&self, _: &mut Outline<'_>) {}
    fn digest_names(&self) -> &'static [&'static str] {
        &[]
    }
    fn digest(&self, _: &str, _: &mut dyn FnMut(&[u8])) -> Result<()> {
        Ok(())
    }
}
