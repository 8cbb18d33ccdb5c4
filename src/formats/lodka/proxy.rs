//! PXI1: additional instances of meshes.

use super::chunk::Node;
use super::fields::{Dissected, Length, Names, records};
use super::packed::Records;
use super::wire::{Proxy, WideProxy};
use crate::record::{External, Framing, Known, record};

record! {
    /// Additional instances of meshes (PXI1), represented by an empty mesh.
    ProxySet<'a>(node: Node<'a>) {
        /// Index in MSL1 of the empty mesh that represents them.
        mesh: i32 as Known<i32> = "Count" [node.count_hint()],
        /// True if the records have the gap that the description's offset column implies.
        wide_records: bool as Known<bool> [node.as_described],
        /// Number of proxies.
        proxy_count: u64 as Framing<Length> = "ProxyItemsCount",
        /// The proxies' names.
        names: Names<'a> as Dissected<Names<'a>> = "ProxyItemNameLengths, ProxyItemNames" [proxy_count],
        /// The proxies.
        proxies: Records<'a, Proxy, WideProxy> as External<Records<'a, Proxy, WideProxy>> [(proxy_count, wide_records)],
    }
    also |set, out| match set.proxies {
        Records::Packed(proxies) => records(("proxy_records", "proxies"), proxies, set.names.iter(), out),
        Records::Wide(proxies) => records(("proxy_records", "proxies"), proxies, set.names.iter(), out),
    }
}
