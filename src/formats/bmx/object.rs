//! `object.bm`: the objects of the map.

use super::Component;
use super::index::{Layout, Listed};
use super::table::{Kind, TableId};
use super::wire::{Flag, Matrix};
use crate::base::text::Utf32Str;
use crate::record::list::List;
use crate::record::record;

record! {
    /// An object: a mesh or one of the game's components, and its transform.
    Object<'m>(layout: Layout) {
        /// Set for a component, which the game replaces by its own model.
        is_component: Flag = "IS_COMPONENT" [layout.version],
        /// Set if it is never treated as a component, whatever its name.
        is_forced_no_component: Flag [layout.version] where (11..14).contains(&layout.version),
        /// Set if it is not drawn.
        is_hidden: Flag = "IS_HIDDEN" [layout.version] where layout.version >= 11,
        /// Transform from object space to world space.
        world_matrix: Matrix = "WORLD_MATRIX",
        /// The groups it belongs to; their order has no meaning.
        groups: List<'m, Utf32Str<'m>> = "GROUP_LIST" where layout.version >= 13,
        /// Index of the mesh in the map. For a component, the number of its kind, as listed.
        #[codes(Component)]
        mesh_index: u32 = "MESH_INDEX",
    }
    also |object, out| match object.component() {
        Some(component) => out.coded("component", component.0, component.name()),
        None => out.field("mesh", object.mesh_index),
    }
}

impl Object<'_> {
    /// Returns the index of its mesh in the map, unless it is a component.
    pub fn mesh(&self) -> Option<u32> {
        (!self.is_component.is_set()).then_some(self.mesh_index)
    }

    /// Returns its component, if it is one.
    pub fn component(&self) -> Option<Component> {
        self.is_component.is_set().then_some(Component(self.mesh_index))
    }
}

impl<'m> Listed<'m> for Object<'m> {
    const KIND: Kind = Kind::OBJECT;
    const LIST: &'static str = "objects";
    const TABLE: TableId = TableId::Objects;
}
