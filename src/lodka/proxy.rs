//! PXI1: meshes that are drawn several times.

use super::chunk::{Kind, Node, View};
use super::fields::{Names, count, end};
use super::packed::Records;
use super::wire::{Proxy, WideProxy};
use crate::error::{Context, Result};
use crate::view::Cursor;
use crate::view::record::Read;

/// Further appearances of meshes (PXI1), which stand for one empty mesh.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ProxySet<'a> {
    /// The empty mesh that they stand for, counted in MSL1 (the chunk's `Count`).
    pub mesh: i32,
    /// The proxies' names.
    pub names: Names<'a>,
    /// The proxies.
    pub proxies: Records<'a, Proxy, WideProxy>,
}

impl<'a> ProxySet<'a> {
    fn read_as(mut cursor: Cursor<'a>, mesh: i32, wide: bool) -> Result<Self> {
        let count = count(&mut cursor).within("count")?;
        let names = Names::read(&mut cursor, count).within("names")?;
        let proxies = match wide {
            false => cursor.array(count).map(Records::Packed),
            true => cursor.array(count).map(Records::Wide),
        };
        let proxies = proxies.within("proxies")?;
        end(&cursor)?;
        Ok(Self { mesh, names, proxies })
    }
}

impl<'a> View<'a> for ProxySet<'a> {
    const KIND: Kind = Kind::ProxySet;

    /// Adds up the names' lengths; tries the wide records where packed ones do not come out.
    fn read(node: &Node<'a>) -> Result<Self> {
        let (body, mesh) = (node.body()?, node.count_hint());
        Self::read_as(body, mesh, false).or_else(|error| Self::read_as(body, mesh, true).map_err(|_| error))
    }
}
