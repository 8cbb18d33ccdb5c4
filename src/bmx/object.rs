//! `object.bm`: what stands where.

use zerocopy::little_endian::U32;

use super::index::{At, IndexEntry, Record, Tabled};
use super::table::{Kind, TableId};
use super::wire::Matrix;
use super::{Component, Map};
use crate::error::{Context, Result};
use crate::view::{Cursor, Utf32Str};

/// An object: a mesh or one of the game's own components, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Object<'m> {
    /// The bool as stored: other than 0 for a component, which the game replaces by its own model (IS_COMPONENT).
    pub is_component: u32,
    /// The bool as stored: never taken for a component, whatever its name (IS_FORCED_NO_COMPONENT). Versions 11 to 13.
    pub is_forced_no_component: Option<u8>,
    /// The bool as stored: other than 0 where it is not drawn (IS_HIDDEN). From version 11 on.
    pub is_hidden: Option<u8>,
    /// Where it stands, from its own space to the world's (WORLD_MATRIX).
    pub world_matrix: &'m Matrix,
    at: At<'m>,
    tail: Cursor<'m>,
}

impl<'m> Record<'m> for Object<'m> {
    const KIND: Kind = Kind::OBJECT;
    const LIST: &'static str = "objects";
    const TABLE: Tabled = Tabled(TableId::Objects);

    fn read(_: &'m Map<'m>, at: At<'m>) -> Result<Self> {
        let mut cursor = at.cursor();
        let is_component = if at.version == 10 { cursor.u32()? } else { cursor.u8()?.into() };
        let is_forced_no_component = (11..=13).contains(&at.version).then(|| cursor.u8()).transpose()?;
        let is_hidden = (at.version >= 11).then(|| cursor.u8()).transpose()?;
        let world_matrix = cursor.read().within("world_matrix")?;
        Ok(Self { is_component, is_forced_no_component, is_hidden, world_matrix, at, tail: cursor })
    }

    fn at(&self) -> &At<'m> {
        &self.at
    }

    fn end(&self) -> Result<u64> {
        self.last().map(|(_, end)| end)
    }
}

impl<'m> Object<'m> {
    /// The index's entry: its name and place.
    pub fn entry(&self) -> &IndexEntry<'m> {
        &self.at.entry
    }

    /// Its place among the objects.
    pub fn index(&self) -> usize {
        self.at.index
    }

    /// The groups it belongs to (GROUP_LIST); their order has no meaning. `None` before version 13.
    ///
    /// # Errors
    /// Where the count is larger than the bytes left could hold.
    pub fn groups(&self) -> Result<Option<Groups<'m>>> {
        if self.at.version < 13 {
            return Ok(None);
        }
        let mut cursor = self.tail;
        let count = cursor.u32().map_err(|error| self.locate(error, "groups"))?;
        // Each takes at least its count.
        if u64::from(count).saturating_mul(size_of::<U32>() as u64) > cursor.left() {
            let error = self.tail.error(format!("{count} groups in the {} bytes left", cursor.left()));
            return Err(self.locate(error, "groups"));
        }
        Ok(Some(Groups { cursor, left: count, at: self.at }))
    }

    /// The number behind the groups: which mesh of the map, or which component (MESH_INDEX). Walks the groups.
    ///
    /// # Errors
    /// Where the groups or the number cannot be read.
    pub fn mesh_index(&self) -> Result<u32> {
        self.last().map(|(number, _)| number)
    }

    /// Which mesh of the map it shows, if it is no component.
    ///
    /// # Errors
    /// As [`mesh_index`](Self::mesh_index).
    pub fn mesh(&self) -> Result<Option<u32>> {
        if self.is_component == 0 { self.mesh_index().map(Some) } else { Ok(None) }
    }

    /// Which component it is, if it is one.
    ///
    /// # Errors
    /// As [`mesh_index`](Self::mesh_index).
    pub fn component(&self) -> Result<Option<Component>> {
        if self.is_component == 0 { Ok(None) } else { self.mesh_index().map(|number| Some(Component(number))) }
    }

    /// The last field, and where the record ends in its table.
    fn last(&self) -> Result<(u32, u64)> {
        let mut cursor = self.tail;
        if let Some(mut groups) = self.groups()? {
            groups.by_ref().try_for_each(|group| group.map(drop))?;
            cursor = groups.cursor;
        }
        let number = cursor.u32().map_err(|error| self.locate(error, "mesh_index"))?;
        Ok((number, cursor.offset()))
    }

    fn locate(&self, error: crate::Error, field: &'static str) -> crate::Error {
        self.at.locate(error.within(field), Self::LIST)
    }
}

/// The names of an object's groups; ends after an error.
#[derive(Clone, Copy, Debug)]
pub struct Groups<'m> {
    cursor: Cursor<'m>,
    left: u32,
    at: At<'m>,
}

impl Groups<'_> {
    /// How many are left, by the file's word.
    pub fn len_hint(&self) -> u32 {
        self.left
    }
}

impl<'m> Iterator for Groups<'m> {
    type Item = Result<Utf32Str<'m>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let name = self.cursor.utf32();
        if name.is_err() {
            self.left = 0;
        }
        Some(name.map_err(|error| self.at.locate(error.within("groups"), Object::LIST)))
    }
}
