//! Many files: one [`Record`] for each asset in files and folders.

mod record;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub use record::{Digests, Record};

use crate::asset::Asset;
use crate::error::{Error, ErrorKind};
use crate::format::Format;
use crate::limits::Limits;
use crate::source::{Access, FileMap};
use crate::summary::{Problems, Summary};

/// How closely each asset is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Depth {
    /// What can be told without decoding.
    #[default]
    Summary,
    /// Every block decoded, every index checked.
    Verify,
}

/// A scan over files and folders.
///
/// ```
/// use std::ops::ControlFlow;
/// use meshpeek::scan::{Found, Scan};
/// Scan::new(["corpus"]).run(|found| {
///     if let Found::Asset(record) = found {
///         println!("{}: {:?}", record.path.display(), record.summary.counts.get("vertices"));
///     }
///     ControlFlow::Continue(())
/// });
/// ```
#[derive(Clone, Debug)]
pub struct Scan {
    paths: Vec<PathBuf>,
    /// How closely to look.
    pub depth: Depth,
    /// Whether to read what identifies each asset's content.
    pub digests: bool,
    /// How to get at each file's bytes.
    pub access: Access,
    /// What each asset may cost.
    pub limits: Limits,
}

/// What a scan comes upon.
#[derive(Debug)]
#[non_exhaustive]
pub enum Found {
    /// An asset.
    Asset(Box<Record>),
    /// A file that was named by the caller and is no asset.
    NoAsset(PathBuf),
    /// A file or folder that cannot be read.
    Unreadable(Error),
}

impl Scan {
    /// A scan over these files and folders, the latter with all below them.
    pub fn new(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self {
            paths: paths.into_iter().map(Into::into).collect(),
            depth: Depth::default(),
            digests: false,
            access: Access::Auto,
            limits: Limits::default(),
        }
    }

    /// Hands over what is found, as it is found, until the callback breaks off.
    pub fn run(&self, mut callback: impl FnMut(Found) -> ControlFlow<()>) {
        for path in &self.paths {
            let walk = ignore::WalkBuilder::new(path).standard_filters(false).sort_by_file_name(Ord::cmp).build();
            for entry in walk {
                let found = match entry {
                    Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => continue,
                    Ok(entry) => self.file(entry.path(), entry.depth() == 0),
                    Err(error) => Some(Found::Unreadable(walk_error(error, path))),
                };
                if found.is_some_and(|found| callback(found).is_break()) {
                    return;
                }
            }
        }
    }

    fn file(&self, path: &Path, named: bool) -> Option<Found> {
        let file = match FileMap::open_with(path, self.access, &self.limits) {
            Ok(file) => file,
            Err(error) => return Some(Found::Unreadable(error)),
        };
        match self.record(path, &file) {
            Some(record) => Some(Found::Asset(Box::new(record))),
            None => named.then(|| Found::NoAsset(path.to_owned())),
        }
    }

    /// The record of these bytes; `None` where neither they nor the name are those of an asset.
    pub fn record(&self, path: &Path, data: &[u8]) -> Option<Record> {
        let format = Format::sniff(data).or_else(|| Format::from_extension(path))?;
        let mut digests = self.digests.then(Digests::default);
        let summary = match Asset::parse_with(data, &self.limits) {
            Ok(asset) => {
                let mut summary = asset.summarize();
                if self.depth == Depth::Verify {
                    let mut problems = Problems::new(&self.limits);
                    asset.verify(&mut problems);
                    summary.problems = problems.into_vec();
                }
                if self.digests {
                    digests = Some(Digests::of(&*asset, &mut summary.problems));
                }
                summary
            }
            Err(error) => Summary::unreadable(format, data.len() as u64, &error),
        };
        Some(Record { path: path.to_owned(), member: None, summary, digests })
    }
}

fn walk_error(error: ignore::Error, root: &Path) -> Error {
    let path = match &error {
        ignore::Error::WithPath { path, .. } => path.clone(),
        _ => root.to_owned(),
    };
    let message = error.to_string();
    let error = error.into_io_error().unwrap_or_else(|| std::io::Error::other(message));
    Error::new(ErrorKind::Io(error)).in_file(&path)
}
