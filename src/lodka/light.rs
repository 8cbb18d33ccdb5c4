//! LIG1: eight lights.

use super::chunk::{Kind, Node, View};
use super::fields::{end, string};
use super::wire::Light;
use crate::error::{Context, Error, Result};
use crate::view::{ByteStr, LeArray};

/// Eight lights that are switched together (LIG1).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LightScheme<'a> {
    /// Its name.
    pub name: ByteStr<'a>,
    /// The eight lights.
    pub lights: LeArray<'a, Light>,
}

impl<'a> View<'a> for LightScheme<'a> {
    const KIND: Kind = Kind::LightScheme;

    fn read(node: &Node<'a>) -> Result<Self> {
        let mut cursor = node.body()?;
        if node.count_hint() != 8 {
            let at = node.chunk.offset().saturating_add(8);
            return Err(Error::malformed(format!("{} lights, not 8", node.count_hint())).at(at)).within("count");
        }
        let name = string(&mut cursor).within("name")?;
        let lights = cursor.array(8).within("lights")?;
        end(&cursor)?;
        Ok(Self { name, lights })
    }
}
