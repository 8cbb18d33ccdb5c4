//! Assets that own their bytes.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::Path;
use std::sync::Arc;

use self_cell::self_cell;

use crate::asset::Asset;
use crate::base::error::Result;
use crate::base::limits::Limits;
use crate::ranges::{Data, Ranges};

enum Owner {
    Bytes(Arc<dyn AsRef<[u8]> + Send + Sync>),
    Ranges(Arc<Ranges>),
}

self_cell!(
    struct View {
        owner: Owner,

        // Views are covariant, as promised.
        #[covariant]
        dependent: Asset,
    }
);

impl Owner {
    fn open(self, path: &Path, limits: &Limits) -> Result<Arc<View>> {
        let view = View::try_new(self, |owner| {
            let data = match owner {
                Self::Bytes(bytes) => Data::Whole((**bytes).as_ref()),
                Self::Ranges(ranges) => Data::Parts(ranges),
            };
            Asset::parse_file_in(path, data, limits)
        });
        view.map(Arc::new)
    }
}

/// An asset and its bytes in one value without a lifetime. It can be stored in maps, sent to other threads, and held
/// across an `await`.
///
/// The bytes are a [`FileMap`](crate::FileMap), a `Vec<u8>`, an `Arc<[u8]>`, a `Bytes` of the crate of that name, or
/// any other type that always returns the same slice. A clone shares the bytes, the view and everything the asset keeps
/// for itself. It costs two reference counters.
///
/// ```
/// use meshpeek::{Asset, OwnedAsset};
/// # let file = b"BB3D\x04\0\0\0\x01\0\0\0".to_vec();
/// let kept = OwnedAsset::parse(file)?;
/// let other = kept.clone();
/// let nodes = std::thread::spawn(move || match other.asset() {
///     Asset::B3d(scene) => scene.nodes().count(),
///     _ => 0,
/// });
/// assert_eq!(nodes.join().unwrap(), 0);
/// assert_eq!(kept.bytes().len(), 12);
/// # Ok::<(), meshpeek::Error>(())
/// ```
pub struct OwnedAsset<B> {
    bytes: Arc<B>,
    view: Arc<View>,
}

impl<B: AsRef<[u8]> + Send + Sync + 'static> OwnedAsset<B> {
    /// Opens the bytes in the format that they start like, with [`Asset::parse`].
    ///
    /// # Errors
    /// Returns the errors of [`Asset::parse`].
    pub fn parse(bytes: B) -> Result<Self> {
        Self::parse_with(bytes, &Limits::default())
    }

    /// Opens the bytes with the given limits.
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse).
    pub fn parse_with(bytes: B, limits: &Limits) -> Result<Self> {
        Self::parse_file(Path::new(""), bytes, limits)
    }

    /// Opens a file with this name, with [`Asset::parse_file`].
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse).
    pub fn parse_file(path: &Path, bytes: B, limits: &Limits) -> Result<Self> {
        let bytes = Arc::new(bytes);
        let view = Owner::Bytes(bytes.clone()).open(path, limits)?;
        Ok(Self { bytes, view })
    }
}

impl OwnedAsset<Ranges> {
    /// Opens [ranges](crate::ranges) with [`Asset::parse_ranges`], and keeps them. To add more, clone the
    /// [`bytes`](Self::bytes), which copies none, and open the asset again.
    ///
    /// ```
    /// use meshpeek::{Inspect, Limits, OwnedAsset};
    /// use meshpeek::ranges::Ranges;
    /// let mut ranges = Ranges::new(5000);
    /// ranges.add(0, b"MLOD\x01\x01\0\0\x02\0\0\0");
    /// let kept = OwnedAsset::parse_ranges(ranges, &Limits::default())?;
    /// assert_eq!(kept.asset().summarize_header().counts.get("lods"), Some(2));
    /// // What needs more bytes is asked of the ranges.
    /// let error = kept.bytes().ask(|_| Ok(kept.asset().summarize())).unwrap_err();
    /// assert_eq!(error.incomplete_ranges(), [12..5000]);
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Asset::parse_ranges`].
    pub fn parse_ranges(ranges: Ranges, limits: &Limits) -> Result<Self> {
        let bytes = Arc::new(ranges);
        let view = Owner::Ranges(bytes.clone()).open(Path::new(""), limits)?;
        Ok(Self { bytes, view })
    }
}

impl<B> OwnedAsset<B> {
    /// Returns the asset.
    pub fn asset(&self) -> &Asset<'_> {
        self.view.borrow_dependent()
    }

    /// Returns the owner of the bytes.
    pub fn bytes(&self) -> &B {
        &self.bytes
    }
}

impl<B> Clone for OwnedAsset<B> {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), view: self.view.clone() }
    }
}

/// Unwind safe if its bytes are. Everything else it keeps is written once.
impl<B: RefUnwindSafe> UnwindSafe for OwnedAsset<B> {}
impl<B: RefUnwindSafe> RefUnwindSafe for OwnedAsset<B> {}

impl<B> fmt::Debug for OwnedAsset<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedAsset").field(self.asset()).finish()
    }
}
