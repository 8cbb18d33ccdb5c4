//! LIG1, PXI1 and COL1: lights, additional instances of meshes, and shapes attached to bones.

use super::chunk::Node;
use super::fields::{Dissected, Length, Names, records};
use super::packed::Records;
use super::wire::{Collider, Light, Proxy, WideProxy};
use crate::base::error::{Error, Result};
use crate::base::text::AnsiStr;
use crate::bytes::LeArray;
use crate::record::{External, Framing, Known, record};

record! {
    /// Eight lights that are switched together (LIG1).
    LightScheme<'a>(node: Node<'a>) named name {
        /// Its name.
        name: AnsiStr<'a> = "LightSchemeNameLength, Name",
        /// The eight lights.
        lights: LeArray<'a, Light> as External<LeArray<'a, Light>> [8] => |_| eight(&node),
    }
    also |scheme, out| records(("light_records", "lights"), scheme.lights, std::iter::empty(), out)
}

fn eight(node: &Node<'_>) -> Result<()> {
    match node.count_hint() {
        8 => Ok(()),
        other => {
            let at = node.chunk.offset().saturating_add(8);
            Err(Error::malformed(format!("{other} lights, not 8")).at(at))
        }
    }
}

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

record! {
    /// Collision shapes, each attached to a bone (COL1).
    ColliderSet<'a>(node: Node<'a>) named name {
        /// Its name.
        name: AnsiStr<'a> = "ColListNameLen, ColListName",
        /// The colliders' names.
        names: Names<'a> as Dissected<Names<'a>> = "ColItemNameLengths, ProxyItemNames" [node.count()],
        /// The colliders.
        colliders: LeArray<'a, Collider> as External<LeArray<'a, Collider>> [node.count()],
    }
    also |set, out| records(("collider_records", "colliders"), set.colliders, set.names.iter(), out)
}
