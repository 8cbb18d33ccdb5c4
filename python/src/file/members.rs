//! An open asset as a mapping: an archive of its members, any other asset of its arrays.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;

use meshpeek::address::Names;
use meshpeek::container::{Container, Member, Members};
use meshpeek::inspect::{self, Selector, selector};
use meshpeek::scan::Stored;
use meshpeek::summary::{Class, Name};
use meshpeek::{Asset, Budget, Error, Format, OwnedAsset};
use pyo3::exceptions::{PyFileNotFoundError, PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

use super::lists::Rows;
use super::{Data, File, Open};
use crate::array::Array;
use crate::error::or_raise;
use crate::open::{Bytes, Owner};

/// The number of members from one mark to the next. Those in between are walked.
const STEP: usize = 64;

self_cell::self_cell!(
    /// The members of an archive by number. Kept once it is made.
    pub(super) struct Directory {
        owner: OwnedAsset<Bytes>,
        #[covariant]
        dependent: Marks,
    }
);

pub(super) struct Marks<'a> {
    marks: Vec<Members<'a>>,
    count: usize,
    /// The names that differ from those stored: repeated ones, and those that are not UTF-8.
    renamed: HashMap<usize, Name>,
}

impl Directory {
    /// Walks all members. Its memory counts as results.
    fn list(open: &Open) -> Result<Self, Error> {
        let owner = open.asset.as_ref().map_err(Error::clone)?.clone();
        let budget = open.budget();
        Self::try_new(owner, |owner| {
            let mut listed = Marks { marks: Vec::new(), count: 0, renamed: HashMap::new() };
            let Some(container) = Container::of(owner.asset()) else { return Ok(listed) };
            let mut members = container.members();
            let mut names = Names::of(&container);
            loop {
                let mark = members.clone();
                let Some(Ok(member)) = members.next() else { return Ok(listed) };
                if listed.count.is_multiple_of(STEP) {
                    budget.charge_output(size_of::<Members<'_>>() as u64)?;
                    listed.marks.push(mark);
                }
                let name = names.next(member.name());
                if name.text.as_bytes() != member.name().as_bytes() {
                    budget.charge_output(64 + name.text.len() as u64)?;
                    listed.renamed.insert(listed.count, name);
                }
                listed.count += 1;
            }
        })
    }

    fn get(&self, index: usize) -> Option<(Name, Member<'_>)> {
        let listed = self.borrow_dependent();
        let member = listed.marks.get(index / STEP)?.clone().nth(index % STEP)?.ok()?;
        match listed.renamed.get(&index) {
            Some(name) => Some((name.clone(), member)),
            None => Some((Name::from(member.name()), member)),
        }
    }
}

impl Open {
    /// The number of members.
    fn member_count(&self) -> Result<usize, Error> {
        match &self.remote {
            Some(inside) => Ok(self.names_in_ranges(inside)?.len()),
            None => Ok(self.directory()?.borrow_dependent().count),
        }
    }

    fn directory(&self) -> Result<&Directory, Error> {
        if let Some(directory) = self.directory.get() {
            return Ok(directory);
        }
        let made = Directory::list(self)?;
        Ok(self.directory.get_or_init(|| made))
    }

    /// The member with this number.
    fn member_at(&self, index: usize) -> Result<Option<Self>, Error> {
        if let Some(inside) = &self.remote {
            return self.member_at_in_ranges(inside, index);
        }
        let Some((name, member)) = self.directory()?.get(index) else { return Ok(None) };
        Ok(Some(self.open_member(name, &member, &self.budget())?))
    }

    /// Opens one of this archive's members.
    pub(super) fn open_member(&self, name: Name, member: &Member<'_>, budget: &Budget) -> Result<Self, Error> {
        self.may_go_deeper()?;
        let data = self.decode(member, budget);
        self.inside(name, 1, Some(Stored::of(member)), Data::Here(data))
    }

    /// The bytes of a member: a part of this archive's, if they are stored in place.
    fn decode(&self, member: &Member<'_>, budget: &Budget) -> Result<Bytes, Error> {
        let content = member.decode(budget)?.into_inner();
        if let Cow::Borrowed(bytes) = content
            && let Some(view) = self.data.holding(bytes)
        {
            return Ok(view);
        }
        Ok(Bytes::whole(Owner::Decoded(content.into_owned())))
    }

    pub(super) fn is_archive(&self) -> bool {
        matches!(self.format(), Some(Format::Pbo | Format::Zip)) && self.error().is_none()
    }
}

impl File {
    /// Returns true if the key is the selector of an array.
    fn has_array(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(text) = key.extract::<&str>() else { return Ok(false) };
        let Ok(wanted) = text.parse::<Selector>() else { return Ok(false) };
        self.with_asset(py, |open, asset| {
            let found = wanted.find(asset, &mut |_| {});
            let Err(error) = &found else { return found };
            let is_of_bytes = !matches!(error.code().class(), Class::Limit | Class::Io | Class::Cancelled);
            // The key may be the name of a member of a damaged archive.
            if open.is_archive() && is_of_bytes { Ok(false) } else { found }
        })
    }
}

/// The names of all members.
fn member_names(open: &Open, container: &Container<'_>) -> Result<Vec<String>, Error> {
    let mut rows = Rows::of(open);
    let mut names = Names::of(container);
    for member in container.members() {
        let Ok(member) = member else { break };
        if rows.charge(member.name().len()).is_break() {
            break;
        }
        rows.push(names.next(member.name()).text);
    }
    rows.finish()
}

/// The selectors of all arrays.
fn selectors(open: &Open, asset: &Asset<'_>) -> Result<Vec<String>, Error> {
    let mut rows = Rows::of(open);
    selector::each_until(asset, &mut |selector, _| {
        rows.charge(selector.len())?;
        rows.push(selector.to_owned());
        ControlFlow::Continue(())
    });
    rows.finish()
}

/// For a mapping, a member that is not found is a missing key.
fn as_key_error(py: Python<'_>, error: PyErr) -> PyErr {
    if error.is_instance_of::<PyFileNotFoundError>(py) {
        return PyKeyError::new_err(error.value(py).to_string());
    }
    error
}

#[pymethods]
impl File {
    /// A member by its index, by its name, or by its path through nested archives: `inner.pbo!/tree.p3d`. The first use
    /// of an index lists all members; after that, each takes the same time.
    fn member(&self, py: Python<'_>, member: &Bound<'_, PyAny>) -> PyResult<File> {
        if let Ok(index) = member.extract::<isize>() {
            let index = match index {
                0.. => index.unsigned_abs(),
                _ => self.__len__(py)?.checked_add_signed(index).unwrap_or(usize::MAX),
            };
            return match self.with(py, |open| open.member_at(index))? {
                Some(found) => Ok(File::new(found)),
                None => Err(PyIndexError::new_err("no such member")),
            };
        }
        let name: String = member.extract()?;
        Ok(File::new(self.with(py, |open| open.member(name.as_bytes()))?))
    }

    /// The number of its members if it is an archive, else that of its arrays.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with_asset(py, |open, asset| {
            if open.is_archive() {
                return open.member_count();
            }
            let mut count = 0;
            selector::each(asset, &mut |_, _| count += 1);
            Ok(count)
        })
    }

    /// The names of its members if it is an archive, else the selectors of its arrays.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let names = self.with_asset(py, |open, asset| match Container::of(asset) {
            Some(container) => member_names(open, &container),
            None => selectors(open, asset),
        })?;
        PyList::new(py, names)
    }

    /// The array with this selector, such as `file["lods/0/positions"]`. Of an archive, also the member with this name
    /// or index. Raises KeyError if there is neither. If the file is no archive, and a part that may have the array cannot
    /// be read, raises the error of that part.
    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.get()?.is_archive() && !self.has_array(py, key)? {
            return match self.member(py, key) {
                Ok(member) => Ok(Bound::new(py, member)?.into_any()),
                Err(error) => Err(as_key_error(py, error)),
            };
        }
        let selector: &str = key.extract()?;
        let wanted: Selector = or_raise(py, selector.parse())?;
        let (array, data, hint) = self.with_asset(py, |open, asset| {
            let array = inspect::Array::find(asset, &open.data, &wanted, &open.budget())?;
            let hint = if array.is_none() { selector::nearest(asset, selector) } else { None };
            Ok((array, open.data.clone(), hint))
        })?;
        match array {
            Some(array) => Ok(Bound::new(py, Array::new(array, &data)?)?.into_any()),
            None => {
                let mut message = format!("no array {selector}");
                if let Some(hint) = hint {
                    message += &format!("; did you mean {hint}?");
                }
                Err(PyKeyError::new_err(message))
            }
        }
    }

    /// Returns true if there is an array with this selector, or a member with this name. If the file is no archive, and a
    /// part that may have the array cannot be read, raises the error of that part.
    fn __contains__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        if self.has_array(py, key)? {
            return Ok(true);
        }
        let Ok(name) = key.extract::<&str>() else { return Ok(false) };
        if !self.get()?.is_archive() {
            return Ok(false);
        }
        match self.with(py, |open| open.member(name.as_bytes()).map(drop)) {
            Ok(()) => Ok(true),
            Err(error) if error.is_instance_of::<PyFileNotFoundError>(py) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The keys.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.keys(py)?.try_iter()
    }
}
