//! Files that are named by URLs, in object stores and over HTTP.

#[cfg(feature = "remote")]
mod cache;
#[cfg(feature = "remote")]
mod client;
#[cfg(feature = "remote")]
mod fetch;
#[cfg(feature = "remote")]
mod stores;

use std::path::Path;

#[cfg(feature = "remote")]
pub(crate) use stores::{Remote, RemoteArgs};

/// The beginnings of URLs that name files.
const SCHEMES: [&str; 8] = ["s3://", "s3a://", "gs://", "az://", "azure://", "abfs://", "http://", "https://"];

/// Returns true if this path is a URL. No path of a file system needs two slashes after a colon.
pub(crate) fn is_url(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    SCHEMES
        .iter()
        .any(|scheme| bytes.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes())))
}

#[cfg(not(feature = "remote"))]
pub(crate) use left_out::Remote;

#[cfg(not(feature = "remote"))]
mod left_out {
    use std::path::Path;
    use std::sync::Arc;

    use meshpeek::scan::stores::{Listed, Stored, Stores};
    use meshpeek::{Error, Result};

    /// Answers each URL with the reason why it is not opened.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Remote;

    impl Remote {
        pub(crate) fn stores(self) -> Arc<dyn Stores> {
            Arc::new(self)
        }

        /// Returns the counts for the last event of a scan.
        pub(crate) fn counts(self) -> Option<[u64; 3]> {
            None
        }
    }

    fn reason<T>() -> Result<T> {
        Err(Error::from(std::io::Error::other("a URL, but this program was built without the feature remote")))
    }

    impl Stores for Remote {
        fn has(&self, path: &Path) -> bool {
            crate::remote::is_url(path)
        }

        fn list<'s>(&'s self, _: &Path) -> Result<Box<dyn Iterator<Item = Result<Listed>> + Send + 's>> {
            reason()
        }

        fn open(&self, _: &Path) -> Result<Box<dyn Stored + '_>> {
            reason()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_url;

    #[test]
    fn urls_are_distinguished_from_paths() {
        for url in ["s3://b/k", "S3://b", "https://h/x.pbo!/a.p3d", "gs://b/k", "az://c/k"] {
            assert!(is_url(url.as_ref()), "{url}");
        }
        for path in ["s3:/b", "a/s3://b", "C:\\x", "file.pbo", "s3:", "ftp://h/x"] {
            assert!(!is_url(path.as_ref()), "{path}");
        }
    }
}
