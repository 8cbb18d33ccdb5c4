//! COL1: shapes that follow bones.

use super::chunk::{Kind, Node, View};
use super::fields::{Names, end, header_count, string};
use super::wire::Collider;
use crate::error::{Context, Result};
use crate::view::{ByteStr, LeArray};

/// Shapes that collide, each tied to a bone (COL1).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ColliderSet<'a> {
    /// Its name (`ColListName`).
    pub name: ByteStr<'a>,
    /// The colliders' names.
    pub names: Names<'a>,
    /// The colliders.
    pub colliders: LeArray<'a, Collider>,
}

impl<'a> View<'a> for ColliderSet<'a> {
    const KIND: Kind = Kind::ColliderSet;

    /// Adds up the names' lengths.
    fn read(node: &Node<'a>) -> Result<Self> {
        let (mut cursor, count) = (node.body()?, header_count(node)?);
        let name = string(&mut cursor).within("name")?;
        let names = Names::read(&mut cursor, count)?;
        let colliders = cursor.array(count).within("colliders")?;
        end(&cursor)?;
        Ok(Self { name, names, colliders })
    }
}
