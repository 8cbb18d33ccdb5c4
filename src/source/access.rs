//! The way to access the bytes of a file.

/// The way to access a file's bytes. Reads by default; the unsafe functions enable mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Access(pub(super) Way);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Way {
    #[default]
    Read,
    MapLarge,
    Map,
}

impl Access {
    /// Reads the whole file into memory.
    pub const READ: Self = Self(Way::Read);

    /// Uses the cheapest way that cannot end the process. Larger files are mapped if maps are [guarded](super::guard_maps).
    /// All others are read, which takes memory of the file's size. Reads if mapping fails.
    ///
    /// # Safety
    /// While a file opened this way is mapped, nothing may write into it. A caller who cannot guarantee that relies on
    /// the behaviour described in the [module's docs](super#why-mapping-is-unsafe), which Rust does not guarantee.
    #[allow(unsafe_code)]
    pub const unsafe fn map_large() -> Self {
        Self(Way::MapLarge)
    }

    /// Maps files of any size. Reads only if a map is impossible: for empty files, pipes and special files, and if maps
    /// were [guarded](super::guard_maps) but no longer can be.
    ///
    /// # Safety
    /// The conditions of [`map_large`](Self::map_large) apply. In addition, nothing may truncate the file unless maps
    /// are [guarded](super::guard_maps).
    #[allow(unsafe_code)]
    pub const unsafe fn map() -> Self {
        Self(Way::Map)
    }
}
