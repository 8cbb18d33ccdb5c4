//! Walks files and the members of archives, each open, in one pass.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use meshpeek::address::Names;
use meshpeek::container::{Container, Form, Member, Members};
use meshpeek::scan::{Globs, Scan};
use meshpeek::summary::Name;
use meshpeek::view::Packing;
use meshpeek::{Budget, Error, Format, OwnedAsset};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use super::remote::InRanges;
use super::{File, Open, own_name};
use crate::error::{exception, is_exit};
use crate::open::Bytes;
use crate::options::Options;
use crate::remote::Named;
use crate::stream::FORKED;

/// The cost of a member, in bytes of work.
const MEMBER_WORK: u64 = 4096;

self_cell::self_cell!(
    /// The next members of an open archive.
    struct Steps {
        owner: OwnedAsset<Bytes>,
        #[covariant]
        dependent: Next,
    }
);

struct Next<'a> {
    members: Members<'a>,
    names: Names,
    index: usize,
    /// The members that share bytes with earlier ones. They are left out.
    shared: Vec<usize>,
}

/// An archive that is being walked.
struct Level {
    open: Arc<Open>,
    steps: Option<Steps>,
    /// The next member, if only ranges of the archive are available.
    index: usize,
    budget: Budget,
}

/// Something to walk.
enum Root {
    Path(PathBuf),
    Source(Named),
}

/// Files in order: each archive before its members. A member that cannot be decoded has its `error`.
#[pyclass(frozen, module = "meshpeek")]
pub(crate) struct Walk {
    state: Mutex<State>,
    process: u32,
}

struct State {
    scan: Scan,
    paths: VecDeque<Root>,
    levels: Vec<Level>,
    globs: Option<Globs>,
    /// True if members that are not assets are given too.
    every: bool,
    /// True if a path that cannot be read is skipped.
    skips: bool,
}

/// Walks these paths: files, folders and addresses.
#[pyfunction]
pub(crate) fn walk(py: Python<'_>, options: Options, sources: Vec<Named>, every: bool, skips: bool) -> PyResult<Walk> {
    let scan = options.kernel()?;
    let made = py.detach(|| {
        let mut paths = VecDeque::new();
        scan.plan(u64::MAX, |unit| {
            paths.push_back(Root::Path(unit.path));
            ControlFlow::Continue(())
        })?;
        paths.extend(sources.into_iter().map(Root::Source));
        let globs = &scan.selection.globs;
        let globs = (!globs.is_empty()).then(|| Globs::of_members(globs)).transpose()?;
        Ok(State { paths, levels: Vec::new(), globs, every, skips, scan })
    });
    Ok(Walk::new(made.map_err(|error| exception(py, &error))?))
}

impl Walk {
    fn new(state: State) -> Self {
        Self { state: Mutex::new(state), process: process::id() }
    }
}

#[pymethods]
impl Walk {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<File>> {
        if self.process != process::id() {
            return Err(PyRuntimeError::new_err(FORKED));
        }
        py.check_signals()?;
        let next = py.detach(|| self.state.lock().unwrap_or_else(PoisonError::into_inner).next());
        Ok(next.map_err(|error| exception(py, &error))?.map(File::shared))
    }
}

impl State {
    fn next(&mut self) -> Result<Option<Arc<Open>>, Error> {
        loop {
            let found = match self.levels.last_mut() {
                Some(level) => match level.next(self.every) {
                    Some(Ok(open)) => {
                        let budget = level.budget.clone();
                        Some((open, budget))
                    }
                    // The rest of the archive is lost.
                    Some(Err(error)) => {
                        self.levels.pop();
                        self.failed(error)?;
                        None
                    }
                    None => {
                        self.levels.pop();
                        None
                    }
                },
                None => {
                    let Some(root) = self.paths.pop_front() else { return Ok(None) };
                    let opened = match root {
                        Root::Path(path) => {
                            Open::at(&path, self.scan.access, &self.scan.limits).map_err(|error| error.in_file(&path))
                        }
                        Root::Source(source) => Open::source(source, &self.scan.limits),
                    };
                    match opened {
                        Ok(open) => {
                            let size = if open.remote.is_some() { open.byte_len() } else { open.outer.len() as u64 };
                            Some((open, Budget::new(size, &self.scan.limits)))
                        }
                        Err(error) => {
                            self.failed(error)?;
                            None
                        }
                    }
                }
            };
            let Some((open, budget)) = found else { continue };
            let open = Arc::new(open);
            if self.scan.archives && open.depth < self.scan.limits.archive_depth {
                self.levels.extend(Level::of(&open, budget));
            }
            if self.is_wanted(&open) {
                return Ok(Some(open));
            }
        }
    }

    fn failed(&self, error: Error) -> Result<(), Error> {
        if self.skips && !is_exit(&error) { Ok(()) } else { Err(error) }
    }

    fn is_wanted(&self, open: &Open) -> bool {
        let format = if open.error().is_none() { open.format() } else { None };
        let formats = &self.scan.formats;
        let is_there = self.every || is_asset(open);
        let is_of = formats.is_empty() || format.is_some_and(|format| formats.contains(&format));
        // The patterns chose the files of folders already.
        let fits = |globs: &Globs| open.member.as_ref().is_none_or(|member| globs.matches((&*member.text).into()));
        is_there && is_of && self.globs.as_ref().is_none_or(fits)
    }
}

/// Returns true for an asset, sound or not: one that its bytes or its name show to be one, or that does not decode.
fn is_asset(open: &Open) -> bool {
    let name = open.own_name();
    let looks_like_one = || open.format().or_else(|| Format::from_extension(name)).is_some();
    open.error().is_none() || !open.is_decoded || looks_like_one()
}

/// Returns true if a member is an asset by its name, or may be one by its content.
pub(super) fn may_be_asset(path: &Path, name: &Name, member: &Member<'_>) -> Result<bool, Error> {
    let is_promised = Format::from_extension(own_name(path, Some(name))).is_some();
    // LZSS is rare, and its beginning alone does not decode.
    let is_hidden = !matches!(member.form(), Form::InPlace | Form::Packed(Packing::Deflate));
    if is_promised || is_hidden {
        return Ok(true);
    }
    match member.sniff() {
        Err(error) if error.incomplete().is_some() => Err(error),
        sniffed => Ok(!matches!(sniffed, Ok(None))),
    }
}

impl Level {
    fn of(open: &Arc<Open>, budget: Budget) -> Option<Self> {
        if open.remote.is_some() {
            return open.is_archive().then(|| Self { open: open.clone(), steps: None, index: 0, budget });
        }
        let owner = open.asset.as_ref().ok()?.clone();
        Container::of(owner.asset())?;
        let steps = Steps::try_new(owner, |owner| {
            let container = Container::of(owner.asset()).ok_or(())?;
            let (members, names) = (container.members(), Names::of(&container));
            Ok::<_, ()>(Next { members, names, index: 0, shared: container.overlapping() })
        });
        Some(Self { open: open.clone(), steps: Some(steps.ok()?), index: 0, budget })
    }

    fn next(&mut self, every: bool) -> Option<Result<Open, Error>> {
        let Self { open, steps, index, budget } = self;
        let Some(steps) = steps else {
            let inside = open.remote.as_ref()?;
            return next_in_ranges(open, inside, index, budget, every)
                .map_err(|error| error.in_file(&open.path))
                .transpose();
        };
        steps.with_dependent_mut(|_, next| {
            loop {
                let member = match next.members.next()?.and_then(|member| budget.members(1).map(|()| member)) {
                    Ok(member) => member,
                    Err(error) => return Some(Err(error.in_file(&open.path))),
                };
                let name = next.names.next(member.name());
                let index = next.index;
                next.index += 1;
                if next.shared.binary_search(&index).is_ok() {
                    continue;
                }
                if let Err(error) = budget.work(MEMBER_WORK) {
                    return Some(Err(error.in_file(&open.path)));
                }
                if !every && matches!(may_be_asset(&open.path, &name, &member), Ok(false)) {
                    continue;
                }
                let opened = match open.open_member(name, &member, budget) {
                    Ok(opened) => opened,
                    Err(error) => return Some(Err(error.in_file(&open.path))),
                };
                if every || is_asset(&opened) {
                    return Some(Ok(opened));
                }
            }
        })
    }
}

/// The next member of an archive in ranges that a walk gives.
fn next_in_ranges(
    open: &Open,
    inside: &InRanges,
    index: &mut usize,
    budget: &Budget,
    every: bool,
) -> Result<Option<Open>, Error> {
    loop {
        let found = open.next_in_ranges(inside, *index, every)?;
        let passed = found.saturating_sub(*index).saturating_add(1) as u64;
        budget.members(passed)?;
        budget.work(passed.saturating_mul(MEMBER_WORK))?;
        *index = found.saturating_add(1);
        match open.member_at_in_ranges(inside, found)? {
            Some(opened) if every || is_asset(&opened) => return Ok(Some(opened)),
            Some(_) => {}
            None => return Ok(None),
        }
    }
}

#[pymethods]
impl File {
    /// The assets inside it, at any depth, each open. An archive comes before its members. With `every`, also the
    /// members that are not assets. One pass: nothing is listed first, and each is decoded once.
    #[pyo3(signature = (*, every = false))]
    fn walk(&self, every: bool) -> PyResult<Walk> {
        let open = self.get()?;
        let mut scan = Scan::new([""; 0]);
        scan.limits = open.limits;
        let size = if open.remote.is_some() { open.byte_len() } else { open.outer.len() as u64 };
        let budget = Budget::new(size, &open.limits);
        let levels = Level::of(&open, budget).into_iter().collect();
        Ok(Walk::new(State { scan, paths: VecDeque::new(), levels, globs: None, every, skips: false }))
    }
}
