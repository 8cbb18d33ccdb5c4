//! `object.bm`: the objects of the map.

use super::Component;
use super::index::Layout;
use super::list::Listed;
use super::table::{Kind, TableId};
use super::wire::{Flag, Matrix, flag, matrix};
use crate::base::text::Utf32Str;
use crate::record::grammar;
use crate::record::list::List;
use crate::record::parser::{cond, le_u32, length_count, utf32_with_count};

grammar! {
    /// An object: a mesh or one of the game's components, and its transform.
    Object<'m>(layout: Layout) {
        /// Set for a component, which the game replaces by its own model.
        #[label("IS_COMPONENT")] is_component: Flag = flag(layout.version),
        /// Set if it is never treated as a component, whatever its name.
        is_forced_no_component: Option<Flag> = cond((11..14).contains(&layout.version), flag(layout.version)),
        /// Set if it is not drawn.
        #[label("IS_HIDDEN")] is_hidden: Option<Flag> = cond(layout.version >= 11, flag(layout.version)),
        /// Transform from object space to world space.
        #[label("WORLD_MATRIX")] world_matrix: Matrix = matrix(),
        /// The groups it belongs to; their order has no meaning.
        #[label("GROUP_LIST")]
        groups: Option<List<'m, Utf32Str<'m>>> = cond(layout.version >= 13, length_count(le_u32(), utf32_with_count())),
        /// Index of the mesh in the map. For a component, the number of its kind, as listed.
        #[codes(Component)]
        #[label("MESH_INDEX")] mesh_index: u32,
    }
    also |object, out| match object.component() {
        Some(component) => out.coded("component", component.0, component.name()),
        None => out.field("mesh", object.mesh_index),
    }
}

impl Object<'_> {
    /// Returns the index of its mesh in the map, unless it is a component.
    pub(crate) fn mesh(&self) -> Option<u32> {
        (!self.is_component.is_set()).then_some(self.mesh_index)
    }

    /// Returns its component, if it is one.
    pub(crate) fn component(&self) -> Option<Component> {
        self.is_component.is_set().then_some(Component(self.mesh_index))
    }
}

impl<'m> Listed<'m> for Object<'m> {
    const KIND: Kind = Kind::OBJECT;
    const LIST: &'static str = "objects";
    const TABLE: TableId = TableId::Objects;
}
