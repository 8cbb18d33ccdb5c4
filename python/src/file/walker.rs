//! Walks files and the members of archives, each open, in one pass.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use meshpeek::address::Names;
use meshpeek::container::{Container, Form, Members};
use meshpeek::scan::{Globs, Scan};
use meshpeek::view::Packing;
use meshpeek::{Budget, Error, Format, OwnedAsset};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use super::{File, Open, own_name};
use crate::error::exception;
use crate::open::Bytes;
use crate::options::Options;
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
    steps: Steps,
    budget: Budget,
}

/// Files in order: each archive before its members. A member that cannot be decoded has its `error`.
#[pyclass(frozen, module = "meshpeek")]
pub(crate) struct Walk {
    state: Mutex<State>,
    process: u32,
}

struct State {
    scan: Scan,
    paths: VecDeque<PathBuf>,
    levels: Vec<Level>,
    globs: Option<Globs>,
    /// True if members that are not assets are given too.
    every: bool,
    /// True if a path that cannot be read is skipped.
    skips: bool,
}

/// Walks these paths: files, folders and addresses.
#[pyfunction]
pub(crate) fn walk(py: Python<'_>, options: Options, every: bool, skips: bool) -> PyResult<Walk> {
    let scan = options.kernel()?;
    let made = py.detach(|| {
        let mut paths = VecDeque::new();
        scan.plan(u64::MAX, |unit| {
            paths.push_back(unit.path);
            ControlFlow::Continue(())
        })?;
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
                    let Some(path) = self.paths.pop_front() else { return Ok(None) };
                    match Open::at(&path, self.scan.access, &self.scan.limits) {
                        Ok(open) => {
                            let budget = Budget::new(open.outer.len() as u64, &self.scan.limits);
                            Some((open, budget))
                        }
                        Err(error) => {
                            self.failed(error.in_file(&path))?;
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
        if self.skips { Ok(()) } else { Err(error) }
    }

    fn is_wanted(&self, open: &Open) -> bool {
        let format = open.asset.as_ref().ok().map(|asset| asset.asset().format());
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
    let looks_like_one = || Format::of_file(name, &open.data).or_else(|| Format::from_extension(name)).is_some();
    open.asset.is_ok() || !open.is_decoded || looks_like_one()
}

impl Level {
    fn of(open: &Arc<Open>, budget: Budget) -> Option<Self> {
        let owner = open.asset.as_ref().ok()?.clone();
        Container::of(owner.asset())?;
        let steps = Steps::try_new(owner, |owner| {
            let container = Container::of(owner.asset()).ok_or(())?;
            let (members, names) = (container.members(), Names::of(&container));
            Ok::<_, ()>(Next { members, names, index: 0, shared: container.overlapping() })
        });
        Some(Self { open: open.clone(), steps: steps.ok()?, budget })
    }

    fn next(&mut self, every: bool) -> Option<Result<Open, Error>> {
        let Self { open, steps, budget } = self;
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
                let is_promised = Format::from_extension(own_name(&open.path, Some(&name))).is_some();
                // LZSS is rare, and its beginning alone does not decode.
                let is_hidden = !matches!(member.form(), Form::InPlace | Form::Packed(Packing::Deflate));
                if !every && !is_promised && !is_hidden && matches!(member.sniff(), Ok(None)) {
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

#[pymethods]
impl File {
    /// The assets inside it, at any depth, each open. An archive comes before its members. With `every`, also the
    /// members that are not assets. One pass: nothing is listed first, and each is decoded once.
    #[pyo3(signature = (*, every = false))]
    fn walk(&self, every: bool) -> PyResult<Walk> {
        let open = self.get()?;
        let mut scan = Scan::new([""; 0]);
        scan.limits = open.limits;
        let budget = Budget::new(open.outer.len() as u64, &open.limits);
        let levels = Level::of(&open, budget).into_iter().collect();
        Ok(Walk::new(State { scan, paths: VecDeque::new(), levels, globs: None, every, skips: false }))
    }
}
