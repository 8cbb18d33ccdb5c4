//! LIG1, PXI1 and COL1: lights, additional instances of meshes, and shapes attached to bones.

use super::chunk::Node;
use super::fields::{Names, dissected, length, names, records};
use super::packed::{Records, packed};
use super::text::text_with_length;
use super::wire::{Collider, Light, Proxy, WideProxy};
use crate::base::error::{Error, Result};
use crate::base::text::AnsiStr;
use crate::bytes::LeArray;
use crate::record::grammar;
use crate::record::parser::{array, external, framing, verify};

grammar! {
    /// Eight lights that are switched together (LIG1).
    LightScheme<'a>(node: Node<'a>) named name {
        /// Its name.
        #[label("LightSchemeNameLength, Name")] name: AnsiStr<'a> = text_with_length(),
        /// The eight lights.
        lights: LeArray<'a, Light> = verify(external(array(8_u8)), move |_| eight(&node)),
    }
    also |scheme, out| records(("light_records", "lights"), scheme.lights, std::iter::empty(), out)
}

/// Checks that the count in the chunk's header is 8, as in every scheme.
fn eight(node: &Node<'_>) -> Result<()> {
    match node.count_hint() {
        8 => Ok(()),
        other => Err(Error::malformed(format!("{other} lights, not 8")).at(node.count_offset())),
    }
}

grammar! {
    /// Additional instances of meshes (PXI1), represented by an empty mesh.
    ProxySet<'a>(node: Node<'a>) {
        /// Index in MSL1 of the empty mesh that represents them.
        #[label("Count")] let mesh: i32 = node.count_hint();
        /// True if the records have the gap that the description's offset column implies.
        let wide_records: bool = node.as_described;
        /// Number of proxies.
        #[label("ProxyItemsCount")] proxy_count: u64 = framing(length()),
        /// The proxies' names.
        #[label("ProxyItemNameLengths, ProxyItemNames")] names: Names<'a> = dissected(names(proxy_count)),
        /// The proxies.
        proxies: Records<'a, Proxy, WideProxy> = external(packed(proxy_count, wide_records)),
    }
    also |set, out| match set.proxies {
        Records::Packed(proxies) => records(("proxy_records", "proxies"), proxies, set.names.iter(), out),
        Records::Wide(proxies) => records(("proxy_records", "proxies"), proxies, set.names.iter(), out),
    }
}

grammar! {
    /// Collision shapes, each attached to a bone (COL1).
    ColliderSet<'a>(node: Node<'a>) named name {
        /// Its name.
        #[label("ColListNameLen, ColListName")] name: AnsiStr<'a> = text_with_length(),
        /// The colliders' names.
        #[label("ColItemNameLengths, ProxyItemNames")] names: Names<'a> = dissected(names(node.count())),
        /// The colliders.
        colliders: LeArray<'a, Collider> = external(array(node.count())),
    }
    also |set, out| records(("collider_records", "colliders"), set.colliders, set.names.iter(), out)
}
