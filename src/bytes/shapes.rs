//! Arrays that files store in one of several element types, read through a single type.

/// Defines such an array: its element types, and the conversion of each to the item type. `where [..]` lists the
/// element types with their bounds, in the same order.
///
/// ```text
/// shapes! {
///     /// Indices in place.
///     pub(crate) enum Indices<'a> of u32 {
///         /// Two bytes each.
///         U16(U16) = |index| index.get().into(),
///     }
/// }
/// ```
macro_rules! shapes {
    ($(#[$about:meta])* pub(crate) enum $name:ident<$file:lifetime $(, $kind:ident)*> of $item:ty $(where [$($bounds:tt)*])? {
        $($(#[$doc:meta])* $shape:ident($stored:ty) = |$element:ident| $read:expr,)+
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum $name<$file $(, $kind)*> {
            $($(#[$doc])* $shape($crate::bytes::LeArray<$file, $stored>),)+
        }

        #[allow(dead_code, reason = "few arrays need all methods")]
        impl<$file $(, $($bounds)*)?> $name<$file $(, $kind)*> {
            /// Returns the item at `index`.
            pub(crate) fn get(&self, index: usize) -> Option<$item> {
                match self {
                    $(Self::$shape(array) => array.get(index).map(|$element| $read),)+
                }
            }

            /// Returns an iterator over all items.
            pub(crate) fn iter(&self) -> $crate::bytes::ByIndex<Self> {
                $crate::bytes::ByIndex::new(*self, self.len())
            }

            /// Returns the number of items.
            pub(crate) fn len(&self) -> usize {
                match self {
                    $(Self::$shape(array) => array.len(),)+
                }
            }

            /// Returns true if there are no items.
            pub(crate) fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Returns the bytes as stored.
            pub(crate) fn as_bytes(&self) -> &$file [u8] {
                match self {
                    $(Self::$shape(array) => array.as_bytes(),)+
                }
            }

            /// Returns the offset of the first item, counted from the start of the asset (for a Ballance map, from the
            /// start of its unpacked table).
            pub(crate) fn offset(&self) -> u64 {
                self.as_table().storage().offset
            }

            /// Returns it as an array of any format.
            pub(crate) fn as_table(&self) -> &dyn $crate::bytes::Table {
                match self {
                    $(Self::$shape(array) => array,)+
                }
            }
        }

        impl<$file $(, $($bounds)*)?> $crate::bytes::by_index::Indexed for $name<$file $(, $kind)*> {
            type Item = $item;

            #[inline]
            fn item(&self, index: usize) -> Option<$item> {
                self.get(index)
            }
        }

        impl<$file $(, $($bounds)*)?> $crate::bytes::Table for $name<$file $(, $kind)*> {
            $crate::base::delegate::delegate! {
                as_table:
                fn rows(&self) -> u64;
                fn columns(&self) -> Vec<$crate::bytes::Column>;
                fn storage(&self) -> $crate::bytes::Storage;
                fn in_place(&self) -> Option<$crate::bytes::InPlace<'_>>;
                fn read(&self, sink: &mut dyn FnMut(&[u8]) -> std::ops::ControlFlow<()>) -> $crate::base::error::Result<()>;
            }
        }
    };
}
pub(crate) use shapes;
