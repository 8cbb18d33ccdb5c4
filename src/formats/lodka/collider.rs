//! COL1: shapes attached to bones.

use super::chunk::Node;
use super::fields::{Dissected, Names, records};
use super::wire::Collider;
use crate::base::text::AnsiStr;
use crate::bytes::LeArray;
use crate::record::{External, record};

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
