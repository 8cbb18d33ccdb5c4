//! PXI1: additional instances of meshes.

use super::chunk::{Node, exactly};
use super::fields::{Dissected, Length, Names, records};
use super::packed::{Layout, Records};
use super::wire::{Proxy, WideProxy};
use crate::base::error::Result;
use crate::record::{External, Framing, Known, record};

record! {
    /// Additional instances of meshes (PXI1), represented by an empty mesh.
    ProxySet<'a>(layout: Layout<i32>) {
        /// Index in MSL1 of the empty mesh that represents them.
        mesh: i32 as Known<i32> = "Count" [layout.header],
        /// True if the records have the gap that the description's offset column implies.
        wide_records: bool as Known<bool> [layout.is_wide],
        /// Number of proxies.
        proxy_count: u64 as Framing<Length> = "ProxyItemsCount",
        /// The proxies' names.
        names: Names<'a> as Dissected<Names<'a>> = "ProxyItemNameLengths, ProxyItemNames" [proxy_count],
        /// The proxies.
        proxies: Records<'a, Proxy, WideProxy> as External<Records<'a, Proxy, WideProxy>> [layout.records(proxy_count)],
    }
    also |set, out| match set.proxies {
        Records::Packed(proxies) => records(("proxy_records", "proxies"), proxies, set.names.iter(), out),
        Records::Wide(proxies) => records(("proxy_records", "proxies"), proxies, set.names.iter(), out),
    }
}

impl ProxySet<'_> {
    /// Returns the context with which it was read.
    pub(super) fn layout(&self) -> Layout<i32> {
        Layout { header: self.mesh, is_wide: self.wide_records }
    }
}

/// Reads with packed records first. If the lengths of the names do not fit, tries wide records.
pub(super) fn read<'a>(node: &Node<'a>) -> Result<ProxySet<'a>> {
    let data = node.body()?;
    Layout::either(node.count_hint(), |layout| exactly(data, layout))
}
