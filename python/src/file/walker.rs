//! Walks files and the members of archives, each open, in one pass.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, Mutex};

use meshpeek::address::{MemberPath, Names};
use meshpeek::container::{Container, Form, Member, Members};
use meshpeek::scan::{Globs, Scan};
use meshpeek::summary::Name;
use meshpeek::view::Packing;
use meshpeek::{Budget, Error, Format, Limits, OwnedAsset};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use super::remote::InRanges;
use super::{File, Open};
use crate::error::{is_exit, or_raise};
use crate::lock;
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
        let mut globs = None;
        if !scan.selection.globs.is_empty() {
            globs = Some(Globs::of_members(&scan.selection.globs)?);
        }
        Ok(State { paths, levels: Vec::new(), globs, every, skips, scan })
    });
    Ok(Walk::new(or_raise(py, made)?))
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
        let next = py.detach(|| lock(&self.state).next());
        Ok(or_raise(py, next)?.map(File::shared))
    }
}

impl State {
    fn next(&mut self) -> Result<Option<Arc<Open>>, Error> {
        loop {
            let found = if self.levels.is_empty() {
                let Some(root) = self.paths.pop_front() else { return Ok(None) };
                self.open_root(root)?
            } else {
                self.next_member()?
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

    /// Opens a file, with a budget for all that is in it.
    fn open_root(&mut self, root: Root) -> Result<Option<(Open, Budget)>, Error> {
        let opened = match root {
            Root::Path(path) => {
                Open::at(&path, self.scan.access, &self.scan.limits).map_err(|error| error.in_file(&path))
            }
            Root::Source(source) => Open::source(source, &self.scan.limits),
        };
        match opened {
            Ok(open) => {
                let budget = open.outer_budget(&self.scan.limits);
                Ok(Some((open, budget)))
            }
            Err(error) => {
                self.failed(error)?;
                Ok(None)
            }
        }
    }

    /// The next member of the innermost archive. `None` if it has no more.
    fn next_member(&mut self) -> Result<Option<(Open, Budget)>, Error> {
        let Some(level) = self.levels.last_mut() else { return Ok(None) };
        match level.next(self.every) {
            Ok(Some(open)) => return Ok(Some((open, level.budget.clone()))),
            Ok(None) => {
                self.levels.pop();
            }
            // The rest of the archive is lost.
            Err(error) => {
                self.levels.pop();
                self.failed(error)?;
            }
        }
        Ok(None)
    }

    fn failed(&self, error: Error) -> Result<(), Error> {
        if self.skips && !is_exit(&error) { Ok(()) } else { Err(error) }
    }

    fn is_wanted(&self, open: &Open) -> bool {
        if !self.every && !is_asset(open) {
            return false;
        }
        let formats = &self.scan.formats;
        if !formats.is_empty() {
            if open.error().is_some() {
                return false;
            }
            let Some(format) = open.format() else { return false };
            if !formats.contains(&format) {
                return false;
            }
        }
        // The patterns chose the files of folders already.
        let Some(globs) = &self.globs else { return true };
        let Some(member) = &open.member else { return true };
        globs.matches((&*member.text).into())
    }
}

impl Open {
    /// A budget for all that is in the outer file.
    fn outer_budget(&self, limits: &Limits) -> Budget {
        let bytes = if self.remote.is_some() { self.byte_len() } else { self.outer.len() as u64 };
        Budget::new(bytes, limits)
    }
}

/// Returns true for an asset, sound or not: one that its bytes or its name show to be one, or that does not decode.
fn is_asset(open: &Open) -> bool {
    if open.error().is_none() || !open.is_decoded {
        return true;
    }
    open.format().is_some() || Format::from_extension(open.own_name()).is_some()
}

/// Returns true if a member is an asset by its name, or may be one by its content.
pub(super) fn may_be_asset(path: &Path, name: &Name, member: &Member<'_>) -> Result<bool, Error> {
    let is_promised = Format::from_extension(MemberPath::own_name(path, Some(name))).is_some();
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
            if !open.is_archive() {
                return None;
            }
            return Some(Self { open: open.clone(), steps: None, index: 0, budget });
        }
        let owner = open.asset.as_ref().ok()?.clone();
        Container::of(owner.asset())?;
        let steps = Steps::try_new(owner, |owner| {
            let container = Container::of(owner.asset()).ok_or(())?;
            Ok::<_, ()>(Next {
                members: container.members(),
                names: Names::of(&container),
                index: 0,
                shared: container.overlapping(),
            })
        });
        Some(Self { open: open.clone(), steps: Some(steps.ok()?), index: 0, budget })
    }

    fn next(&mut self, every: bool) -> Result<Option<Open>, Error> {
        let Self { open, steps, index, budget } = self;
        let found = match (steps, &open.remote) {
            (Some(steps), _) => steps.with_dependent_mut(|_, next| next.open(open, budget, every)),
            (None, Some(inside)) => next_in_ranges(open, inside, index, budget, every),
            (None, None) => Ok(None),
        };
        found.map_err(|error| error.in_file(&open.path))
    }
}

impl Next<'_> {
    /// Opens the next member that the walk gives.
    fn open(&mut self, archive: &Open, budget: &Budget, every: bool) -> Result<Option<Open>, Error> {
        for member in self.members.by_ref() {
            let member = member?;
            budget.charge_members(1)?;
            let name = self.names.next(member.name());
            let index = self.index;
            self.index += 1;
            if self.shared.binary_search(&index).is_ok() {
                continue;
            }
            budget.charge_work(MEMBER_WORK)?;
            if !every && matches!(may_be_asset(&archive.path, &name, &member), Ok(false)) {
                continue;
            }
            let opened = archive.open_member(name, &member, budget)?;
            if every || is_asset(&opened) {
                return Ok(Some(opened));
            }
        }
        Ok(None)
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
        budget.charge_members(passed)?;
        budget.charge_work(passed.saturating_mul(MEMBER_WORK))?;
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
        let budget = open.outer_budget(&open.limits);
        let levels = Level::of(&open, budget).into_iter().collect();
        Ok(Walk::new(State { scan, paths: VecDeque::new(), levels, globs: None, every, skips: false }))
    }
}
