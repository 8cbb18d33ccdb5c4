//! An open file or member.

use std::cell::{Cell, RefCell};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use js_sys::{Function, Uint8Array};
use meshpeek::address::{MemberPath, Names};
use meshpeek::container::{Container, Form, Member};
use meshpeek::inspect::Inspect;
use meshpeek::ranges::{Ranges, ReadAt, Section};
use meshpeek::scan::{Depth, Record, Stored, Subject};
use meshpeek::summary::Name;
use meshpeek::{Asset, Error, Format, Limits, OwnedAsset};
use wasm_bindgen::{JsCast, JsValue};

use crate::{By, Result, budget, scan};

/// The most bytes that are read at once.
const PIECE: u64 = 4 << 20;
/// The most bytes of an asset that has to be in memory as a whole.
const MOST_WHOLE: u64 = 1 << 30;
/// The most bytes of a large archive that one question reads and that stay in memory.
const MOST_KEPT: u64 = 64 << 20;
/// The most bytes of a large archive that one question reads if they are forgotten after it.
pub(crate) const MOST_ONCE: u64 = 512 << 20;
/// The most bytes of headers of members that are read for a tree.
const MOST_FETCHED: u64 = 256 << 20;
/// Ranges that are closer than this are read at once.
const GAP: u64 = 1024;
/// The bytes that show the format of a file.
const HEAD: u64 = 4096;
/// A file that is no asset is read whole up to this size. The names of files in a text are found only in a whole one.
const MOST_PLAIN: u64 = 16 << 20;
/// The bytes that show that a large file is no asset: the longest beginning that a format has.
const PLAIN_HEAD: u64 = 64 << 10;

/// A file that the worker reads.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) read: Function,
    pub(crate) file: u32,
}

thread_local! {
    /// The function that receives the progress of long work.
    static PROGRESS: RefCell<Option<Function>> = const { RefCell::new(None) };
    /// The part of the work that is under way, from 0 to 1.
    static STEP: Cell<(f64, f64)> = const { Cell::new((0.0, 1.0)) };
}

pub(crate) fn set_progress(progress: Function) {
    PROGRESS.set(Some(progress));
}

/// Returns where a part of the step that is under way ends, as a share of the whole work.
fn share(done: u64, all: u64) -> f64 {
    let (start, end) = STEP.get();
    start + (end - start) * (done as f64 / all.max(1) as f64)
}

/// Reports the progress of long work. During a [`Step`], the progress of that step.
pub(crate) fn report_progress(done: u64, all: u64) {
    PROGRESS.with_borrow(|progress| {
        if let Some(progress) = progress {
            let _ = progress.call2(&JsValue::NULL, &share(done, all).into(), &1.0.into());
        }
    });
}

/// The part of long work that leads from `done` to `next`, until it is dropped. Progress inside is progress of that
/// part.
pub(crate) struct Step {
    /// The part around it.
    outer: (f64, f64),
}

impl Step {
    pub(crate) fn begin(done: u64, next: u64, all: u64) -> Self {
        report_progress(done, all);
        let outer = STEP.replace((share(done, all), share(next, all)));
        Self { outer }
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        STEP.set(self.outer);
    }
}

impl Source {
    fn read(&self, range: Range<u64>) -> io::Result<Uint8Array> {
        let start = (range.start as f64).into();
        let end = (range.end as f64).into();
        let bytes = match self.read.call3(&JsValue::NULL, &self.file.into(), &start, &end) {
            Ok(bytes) => bytes,
            Err(thrown) => return Err(read_error(&thrown)),
        };
        let Ok(bytes) = bytes.dyn_into::<Uint8Array>() else {
            return Err(io::Error::other("the file cannot be read"));
        };
        if u64::from(bytes.length()) != range.end.saturating_sub(range.start) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(bytes)
    }
}

/// Returns the error that the function of the worker threw.
fn read_error(thrown: &JsValue) -> io::Error {
    match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => io::Error::other(String::from(error.message())),
        None => io::Error::other("the file cannot be read"),
    }
}

impl ReadAt for Source {
    /// Each user of a file knows its size.
    fn byte_len(&self) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        whole(self, range).map_err(io::Error::other)
    }
}

/// All bytes of a range, read piece by piece.
pub(crate) fn whole(source: &Source, range: Range<u64>) -> Result<Vec<u8>> {
    let size = range.end.saturating_sub(range.start);
    if size > MOST_WHOLE {
        return Err(Error::unsupported(format!(
            "{size} bytes: the page reads assets of at most {MOST_WHOLE} bytes, and larger archives"
        )));
    }
    let mut bytes = Vec::new();
    let room = usize::try_from(size).unwrap_or(usize::MAX);
    if bytes.try_reserve_exact(room).is_err() {
        return Err(io::Error::from(io::ErrorKind::OutOfMemory).into());
    }
    let mut start = range.start;
    while start < range.end {
        // Not of the first piece: a file of one piece is one step of a longer task.
        if start > range.start {
            report_progress(start - range.start, size);
        }
        let end = start.saturating_add(PIECE).min(range.end);
        let piece = source.read(start..end)?;
        let old = bytes.len();
        bytes.resize(old + piece.length() as usize, 0);
        piece.copy_to(&mut bytes[old..]);
        start = end;
    }
    Ok(bytes)
}

/// Shared bytes.
#[derive(Clone)]
pub(crate) struct Bytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A source that limits how many bytes one question reads.
struct Capped<'s> {
    source: &'s Section<Source>,
    most: u64,
    left: Cell<u64>,
}

impl ReadAt for Capped<'_> {
    fn byte_len(&self) -> io::Result<u64> {
        self.source.byte_len()
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let size = range.end.saturating_sub(range.start);
        let Some(left) = self.left.get().checked_sub(size) else {
            let most = self.most;
            return Err(io::Error::other(format!(
                "this needs more than {most} bytes of a large archive: open a member"
            )));
        };
        self.left.set(left);
        self.source.read_at(range)
    }
}

enum Body {
    /// All bytes, and the asset in them or the error.
    Whole(Bytes, std::result::Result<OwnedAsset<Bytes>, Error>),
    /// An archive that is read in ranges.
    Ranges(Section<Source>, RefCell<Ranges>, Format),
    /// A large file that is no asset: its beginning, and why it is none.
    Plain { source: Section<Source>, size: u64, head: Vec<u8>, error: Error },
}

/// Where an open file or member comes from.
struct Origin {
    /// The outer file, as the user named it.
    path: PathBuf,
    member: Option<Name>,
    stored: Option<Stored>,
    /// The number of archives around it.
    depth: u32,
}

impl Origin {
    fn file(path: PathBuf) -> Self {
        Self { path, member: None, stored: None, depth: 0 }
    }

    /// The innermost name, whose ending hints at the format.
    fn own_name(&self) -> &Path {
        MemberPath::own_name(&self.path, self.member.as_ref())
    }
}

/// An open file or member.
pub(crate) struct Node {
    origin: Origin,
    /// The range of its bytes in the outer file, if they are stored there uncompressed.
    place: Option<(Source, Range<u64>)>,
    body: Body,
}

impl Node {
    pub(crate) fn file(source: Source, path: PathBuf, size: u64, whole_below: u64) -> Result<Self> {
        Self::at(source, 0..size, Origin::file(path), whole_below)
    }

    fn new(origin: Origin, place: Option<(Source, Range<u64>)>, body: Body) -> Self {
        Self { origin, place, body }
    }

    fn at(source: Source, range: Range<u64>, origin: Origin, whole_below: u64) -> Result<Self> {
        let size = range.end.saturating_sub(range.start);
        let mut body = archive(&source, &range, origin.own_name(), whole_below)?;
        if body.is_none() {
            body = plain(&source, &range, origin.own_name())?;
        }
        let body = match body {
            Some(body) => body,
            None => Body::of(origin.own_name(), whole(&source, range.clone())?),
        };
        debug_assert!(size == body.size());
        Ok(Self::new(origin, Some((source, range)), body))
    }

    /// Opens an archive of any size without reading its members. Returns `None` for all other files, and if the
    /// directory cannot be read.
    pub(crate) fn directory(source: Source, path: PathBuf, size: u64) -> Option<Self> {
        let Ok(Some(body)) = archive(&source, &(0..size), &path, 0) else { return None };
        Some(Self::new(Origin::file(path), Some((source, 0..size)), body))
    }

    /// Opens a member.
    pub(crate) fn member(&self, by: &By<'_>, whole_below: u64) -> Result<Self> {
        let limits = Limits::default();
        if self.origin.depth >= limits.archive_depth {
            return Err(Error::unsupported(format!("more than {} archives inside each other", limits.archive_depth)));
        }
        let inner = self.ask_once(|asset| Inner::find(asset, by))?;
        let origin = Origin {
            path: self.origin.path.clone(),
            member: Some(MemberPath::join(self.origin.member.as_ref(), inner.name)),
            stored: Some(inner.stored),
            depth: self.origin.depth + 1,
        };
        let bytes = match inner.content {
            Content::InPlace { offset, bytes } => {
                if let Some((source, outer)) = &self.place {
                    let start = outer.start.saturating_add(offset);
                    let range = start..start.saturating_add(bytes);
                    return Self::at(source.clone(), range, origin, whole_below);
                }
                self.bytes(offset, bytes)?
            }
            Content::Decoded(bytes) => bytes,
        };
        let body = Body::of(origin.own_name(), bytes);
        Ok(Self::new(origin, None, body))
    }

    /// Asks its asset. The question may be repeated when more bytes were read. They stay in memory.
    pub(crate) fn ask<T>(&self, question: impl Fn(&Asset<'_>) -> Result<T>) -> Result<T> {
        match &self.body {
            Body::Ranges(source, ranges, _) => load(source, &mut ranges.borrow_mut(), MOST_KEPT, question),
            Body::Whole(..) | Body::Plain { .. } => self.ask_here(question),
        }
    }

    /// Asks its asset, and forgets the bytes that were read for it.
    pub(crate) fn ask_once<T>(&self, question: impl Fn(&Asset<'_>) -> Result<T>) -> Result<T> {
        match &self.body {
            Body::Ranges(source, ranges, _) => {
                let mut ranges = ranges.borrow().clone();
                load(source, &mut ranges, MOST_ONCE, question)
            }
            Body::Whole(..) | Body::Plain { .. } => self.ask_here(question),
        }
    }

    /// Asks its asset once, with the bytes that are here. A question that needs other bytes may be reported as a problem.
    pub(crate) fn ask_here<T>(&self, question: impl FnOnce(&Asset<'_>) -> Result<T>) -> Result<T> {
        match &self.body {
            Body::Whole(_, Ok(asset)) => question(asset.asset()),
            Body::Whole(_, Err(error)) | Body::Plain { error, .. } => Err(error.clone()),
            Body::Ranges(_, ranges, _) => question(&Asset::parse_ranges(&ranges.borrow(), &Limits::default())?),
        }
    }

    /// Reads these ranges of an archive that is read in ranges. They stay in memory.
    pub(crate) fn fetch(&self, wanted: &[Range<u64>]) -> Result<()> {
        let Body::Ranges(source, ranges, _) = &self.body else { return Ok(()) };
        let mut wanted: Vec<Range<u64>> = wanted.to_vec();
        wanted.retain(|range| ranges.borrow().get(range.clone()).is_err());
        wanted.sort_unstable_by_key(|range| (range.start, range.end));
        let merged = merged(wanted);
        let all: u64 = merged.iter().map(|range| range.end.saturating_sub(range.start)).sum();
        if all > MOST_FETCHED {
            return Err(Error::unsupported(format!("this needs {all} bytes of the archive: open a member")));
        }
        let mut done = 0;
        for Range { start, end } in merged {
            let mut bytes = Vec::new();
            while start + (bytes.len() as u64) < end {
                report_progress(done, all);
                let at = start + bytes.len() as u64;
                bytes.extend(source.read_at(at..end.min(at + PIECE))?);
                done += (bytes.len() as u64).saturating_sub(at - start);
            }
            // Once for each, because what touches is copied.
            ranges.borrow_mut().add(start, bytes);
        }
        Ok(())
    }

    /// All its bytes, if they are in memory.
    pub(crate) fn in_memory(&self) -> Option<&[u8]> {
        match &self.body {
            Body::Whole(bytes, _) => Some(bytes.as_ref()),
            Body::Ranges(..) | Body::Plain { .. } => None,
        }
    }

    pub(crate) fn bytes(&self, offset: u64, count: u64) -> Result<Vec<u8>> {
        let start = offset.min(self.size());
        let end = offset.saturating_add(count).min(self.size());
        match &self.body {
            Body::Whole(bytes, _) => {
                let range = usize::try_from(start).unwrap_or(usize::MAX)..usize::try_from(end).unwrap_or(usize::MAX);
                Ok(bytes.as_ref().get(range).unwrap_or_default().to_vec())
            }
            Body::Ranges(source, ..) | Body::Plain { source, .. } => Ok(source.read_at(start..end)?),
        }
    }

    /// The beginning of its bytes; all of them if they are in memory.
    pub(crate) fn beginning(&self) -> &[u8] {
        match &self.body {
            Body::Whole(bytes, _) => bytes.as_ref(),
            Body::Plain { head, .. } => head,
            Body::Ranges(..) => &[],
        }
    }

    /// The record of bytes that are all here. Of an asset in ranges, [`record_of`](Self::record_of) has the record.
    pub(crate) fn record(&self, depth: Depth) -> Record {
        let mut record = match &self.body {
            Body::Whole(bytes, Ok(asset)) => {
                scan(depth).record(self.own_name(), Subject::Asset(bytes.as_ref(), asset.asset()))
            }
            Body::Whole(bytes, Err(_)) => scan(depth).record(self.own_name(), bytes.as_ref()),
            Body::Ranges(..) => scan(depth).record(self.own_name(), b""),
            Body::Plain { head, .. } => scan(depth).record(self.own_name(), &head[..]),
        };
        record.summary.bytes = self.size();
        self.placed(record)
    }

    pub(crate) fn record_of(&self, asset: &Asset<'_>, depth: Depth) -> Record {
        match &self.body {
            Body::Ranges(..) => self.placed(scan(depth).record(self.own_name(), Subject::Ranges(asset))),
            Body::Whole(..) | Body::Plain { .. } => self.record(depth),
        }
    }

    /// Returns the outer file and the range of its bytes there, if they are stored uncompressed.
    pub(crate) fn place(&self) -> Option<&(Source, Range<u64>)> {
        self.place.as_ref()
    }

    pub(crate) fn path(&self) -> (&Path, Option<&Name>) {
        (&self.origin.path, self.origin.member.as_ref())
    }

    pub(crate) fn placed(&self, mut record: Record) -> Record {
        record.path.clone_from(&self.origin.path);
        record.member.clone_from(&self.origin.member);
        record.stored.clone_from(&self.origin.stored);
        record
    }

    pub(crate) fn address(&self) -> String {
        MemberPath::address(&self.origin.path, self.origin.member.as_ref())
    }

    /// The innermost name, whose ending hints at the format.
    pub(crate) fn own_name(&self) -> &Path {
        self.origin.own_name()
    }

    pub(crate) fn format(&self) -> Option<Format> {
        match &self.body {
            Body::Whole(_, Ok(asset)) => Some(asset.asset().format()),
            Body::Whole(bytes, Err(_)) => Format::of_file(self.own_name(), bytes.as_ref()),
            Body::Ranges(_, _, format) => Some(*format),
            Body::Plain { .. } => None,
        }
    }

    pub(crate) fn error(&self) -> Option<&Error> {
        match &self.body {
            Body::Whole(_, asset) => asset.as_ref().err(),
            Body::Ranges(..) => None,
            Body::Plain { error, .. } => Some(error),
        }
    }

    pub(crate) fn size(&self) -> u64 {
        self.body.size()
    }

    pub(crate) fn is_archive(&self) -> bool {
        self.error().is_none() && matches!(self.format(), Some(Format::Pbo | Format::Zip))
    }

    pub(crate) fn is_in_ranges(&self) -> bool {
        matches!(self.body, Body::Ranges(..) | Body::Plain { .. })
    }

    /// The bytes of the file in memory.
    pub(crate) fn held(&self) -> u64 {
        match &self.body {
            Body::Whole(bytes, _) => bytes.0.len() as u64,
            Body::Ranges(_, ranges, _) => ranges.borrow().held(),
            Body::Plain { head, .. } => head.len() as u64,
        }
    }
}

impl Body {
    fn of(name: &Path, bytes: Vec<u8>) -> Self {
        let bytes = Bytes(Arc::new(bytes));
        Self::Whole(bytes.clone(), OwnedAsset::parse_file(name, bytes, &Limits::default()))
    }

    fn size(&self) -> u64 {
        match self {
            Self::Whole(bytes, _) => bytes.0.len() as u64,
            Self::Ranges(_, ranges, _) => ranges.borrow().byte_len(),
            Self::Plain { size, .. } => *size,
        }
    }
}

fn load<T>(
    source: &Section<Source>,
    ranges: &mut Ranges,
    most: u64,
    question: impl Fn(&Asset<'_>) -> Result<T>,
) -> Result<T> {
    let question = |ranges: &Ranges| question(&Asset::parse_ranges(ranges, &Limits::default())?);
    ranges.load(&Capped { source, most, left: Cell::new(most) }, question)
}

/// Joins sorted ranges that are close to each other.
fn merged(sorted: Vec<Range<u64>>) -> Vec<Range<u64>> {
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in sorted {
        if let Some(last) = merged.last_mut()
            && range.start <= last.end + GAP
        {
            last.end = last.end.max(range.end);
        } else {
            merged.push(range);
        }
    }
    merged
}

/// The directory of a large archive; nothing for all other files.
fn archive(source: &Source, range: &Range<u64>, name: &Path, whole_below: u64) -> Result<Option<Body>> {
    let size = range.end.saturating_sub(range.start);
    if size <= whole_below {
        return Ok(None);
    }
    let section = Section::new(source.clone(), range.clone());
    let head = section.read_at(0..size.min(HEAD))?;
    let is_zip = head.starts_with(b"PK") || Format::from_extension(name) == Some(Format::Zip);
    if !is_zip && !matches!(Format::of_file(name, &head), Some(Format::Pbo | Format::Zip)) {
        return Ok(None);
    }
    let mut ranges = Ranges::new(size);
    ranges.add(0, head);
    let opened = ranges.load(&section, |ranges| Ok(Asset::parse_ranges(ranges, &Limits::default())?.format()));
    match opened {
        Ok(format @ (Format::Pbo | Format::Zip)) => Ok(Some(Body::Ranges(section, RefCell::new(ranges), format))),
        Ok(_) => Ok(None),
        // A damaged archive is reported as a whole file is, if it fits.
        Err(_) if size <= MOST_WHOLE => Ok(None),
        Err(error) => Err(error),
    }
}

/// A large file that neither starts nor is named like an asset; nothing for all other files.
fn plain(source: &Source, range: &Range<u64>, name: &Path) -> Result<Option<Body>> {
    let size = range.end.saturating_sub(range.start);
    if size <= MOST_PLAIN || Format::from_extension(name).is_some() {
        return Ok(None);
    }
    let section = Section::new(source.clone(), range.clone());
    let head = section.read_at(0..PLAIN_HEAD)?;
    // A program may end with an archive.
    if head.starts_with(b"MZ") || Format::of_file(name, &head).is_some() {
        return Ok(None);
    }
    match Asset::parse_file(name, &head, &Limits::default()) {
        Ok(_) => Ok(None),
        Err(error) => Ok(Some(Body::Plain { source: section, size, head, error })),
    }
}

/// A member that is to be opened.
struct Inner {
    name: Name,
    stored: Stored,
    content: Content,
}

/// The bytes of a member.
enum Content {
    /// They are in the archive's own bytes.
    InPlace {
        offset: u64,
        bytes: u64,
    },
    Decoded(Vec<u8>),
}

impl Inner {
    fn find(asset: &Asset<'_>, by: &By<'_>) -> Result<Self> {
        let Some(container) = Container::of(asset) else {
            return Err(Error::unsupported("this is no archive to go into"));
        };
        let Some(member) = by.find(&container)? else { return Err(no_member(by)) };
        let index = match &member {
            Member::Pbo(member) => member.index,
            Member::Zip(member) => member.index,
            _ => 0,
        };
        let Some(name) = name_of(&container, index)? else { return Err(no_member(by)) };
        let mut stored = Stored::of(&member);
        if let Some((offset, bytes)) = place_of(&member, asset.size())? {
            stored.offset = Some(offset);
            return Ok(Self { name, stored, content: Content::InPlace { offset, bytes } });
        }
        let decoded = member.decode(&budget(asset.size()))?.to_vec();
        Ok(Self { name, stored, content: Content::Decoded(decoded) })
    }
}

/// Returns the offset and size of an uncompressed member in its archive.
fn place_of(member: &Member<'_>, size: u64) -> Result<Option<(u64, u64)>> {
    if member.form() != Form::InPlace {
        return Ok(None);
    }
    let start = match member {
        Member::Pbo(member) => member.offset,
        Member::Zip(member) => match member.local() {
            Ok(local) => local.data_offset,
            Err(error) if error.incomplete().is_some() => return Err(error),
            Err(_) => return Ok(None),
        },
        _ => return Ok(None),
    };
    let bytes = member.stored_byte_len();
    if start.saturating_add(bytes) > size {
        return Ok(None);
    }
    Ok(Some((start, bytes)))
}

fn name_of(container: &Container<'_>, index: usize) -> Result<Option<Name>> {
    let mut names = Names::of(container);
    for (at, member) in container.members().enumerate() {
        let name = names.next(member?.name());
        if at == index {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

fn no_member(by: &By<'_>) -> Error {
    Error::unsupported(match by {
        By::Index(index) => format!("no member {index}"),
        By::Name(name) => format!("no member {name}"),
    })
}
