//! The files of tables: one for each table, or several in a folder.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use meshpeek::Format;
use meshpeek::scan::FileId;
use meshpeek_tables::arrow_array::RecordBatch;
use meshpeek_tables::{Form, Table, Writer, is_of};

use crate::args::Common;
use crate::failure::Failure;
use crate::lock::lock;
use crate::output::Output;
use crate::output_file::OutputFile;
use crate::results::Results;
use crate::table_args::Partition;

/// The files of tables that are being written: into a folder, or one file or stream.
pub(super) struct Files {
    tables: Vec<(Table, Mutex<Open>)>,
    folder: PathBuf,
    form: Form,
    partition: Option<Partition>,
    results: Results,
    /// The name of this run, which all its files have.
    run: String,
    /// The files of earlier runs.
    old: Vec<(Table, PathBuf)>,
    /// All files of this run.
    new: Mutex<Vec<OutputFile>>,
    /// Last, because it is dropped last.
    _made: Option<MadeFolder>,
}

/// A folder that this run has made. Removed at the end if nothing is in it, as after an interruption.
struct MadeFolder(PathBuf);

impl Drop for MadeFolder {
    fn drop(&mut self) {
        // It has files, or somebody else has removed it.
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// The open files of one table, by the format that they are for.
#[derive(Default)]
struct Open {
    writers: HashMap<Option<Format>, Writer<Output>>,
    /// The number of files, including those that are full.
    count: usize,
}

impl Files {
    /// Starts tables in this folder, which is made if it is missing. If they are divided by format, each file is made with
    /// its first row.
    pub(super) fn in_folder(
        folder: &Path,
        tables: &[Table],
        form: Form,
        common: &Common,
        partition: Option<Partition>,
    ) -> Result<Self, Failure> {
        let made = if folder.exists() { None } else { Some(MadeFolder(folder.to_owned())) };
        std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, error))?;
        let started = match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
            Ok(time) => time.as_nanos(),
            Err(_) => 0,
        };
        let mut old = Vec::new();
        for &table in tables {
            for found in find(folder, table, form) {
                old.push((table, found.path));
            }
        }
        let mut files = Self {
            folder: folder.to_owned(),
            partition,
            run: format!("{started:x}-{:x}", std::process::id()),
            old,
            _made: made,
            ..Self::empty(form, common)
        };
        for &table in tables {
            let mut open = Open::default();
            if partition != Some(Partition::Format) {
                files.writer(table, None, &mut open)?;
            }
            files.tables.push((table, Mutex::new(open)));
        }
        Ok(files)
    }

    /// One table, as results are written without a folder.
    pub(super) fn stream(table: Table, form: Form, common: &Common) -> Result<Self, Failure> {
        let mut out = Output::data(common)?;
        out.is_own = true;
        if out.is_terminal {
            let message = format!("{} is binary: redirect it or use -o", form.name());
            return Err(Failure::Message(message));
        }
        let writer = Writer::new(out, table, form)?;
        let open = Open { writers: HashMap::from([(None, writer)]), count: 1 };
        Ok(Self { tables: vec![(table, Mutex::new(open))], ..Self::empty(form, common) })
    }

    fn empty(form: Form, common: &Common) -> Self {
        Self {
            tables: Vec::new(),
            folder: PathBuf::new(),
            form,
            partition: None,
            results: common.results.clone(),
            run: String::new(),
            old: Vec::new(),
            new: Mutex::default(),
            _made: None,
        }
    }

    pub(super) fn tables(&self) -> Vec<Table> {
        self.tables.iter().map(|(table, _)| *table).collect()
    }

    /// True if the files of older tables are divided as these are.
    pub(super) fn are_divided_like(&self, found: &[Found]) -> bool {
        !self.are_by_format() || found.iter().all(|found| found.format.is_some())
    }

    /// True if each format has its own files.
    pub(super) fn are_by_format(&self) -> bool {
        self.partition == Some(Partition::Format)
    }

    /// Begins a file of a table.
    fn open(&self, table: Table, format: Option<Format>, number: usize) -> Result<Writer<Output>, Failure> {
        let name = table.name();
        let ending = self.form.name();
        let path = match self.partition {
            None => self.folder.join(format!("{name}.{ending}")),
            Some(Partition::Bytes(_)) => self.folder.join(format!("{name}-{number:04}.{ending}")),
            Some(Partition::Format) => {
                let format = match format {
                    Some(format) => format.name(),
                    None => NO_FORMAT,
                };
                let folder = self.folder.join(name).join(format!("{BY_FORMAT}{format}"));
                std::fs::create_dir_all(&folder).map_err(|error| Failure::io(&folder, error))?;
                folder.join(format!("{name}-{number:04}.{ending}"))
            }
        };
        let file = OutputFile::open(&path, &[])?;
        let Some(mut out) = Output::to_file(&file, false, &self.results)? else {
            return Err(Failure::at(&path, "is standard output"));
        };
        out.is_own = true;
        let mut writer = Writer::new(out, table, self.form)?;
        if self.partition.is_some() {
            writer.mark_part(&self.run);
        }
        lock(&self.new).push(file);
        Ok(writer)
    }

    /// Adds rows to the file of this table and format, if the table is wanted. A full file is ended first.
    pub(super) fn write(&self, table: Table, format: Option<Format>, batch: &RecordBatch) -> Result<(), Failure> {
        let Some((_, open)) = self.tables.iter().find(|(wanted, _)| *wanted == table) else { return Ok(()) };
        let open = &mut *lock(open);
        // Older rows may have been divided otherwise.
        let format = if self.are_by_format() { format } else { None };
        if let Some(Partition::Bytes(most)) = self.partition
            && open.writers.get(&format).is_some_and(|writer| writer.byte_len() >= most)
            && let Some(full) = open.writers.remove(&format)
        {
            end(full)?;
        }
        Ok(self.writer(table, format, open)?.write(batch)?)
    }

    fn writer<'o>(
        &self,
        table: Table,
        format: Option<Format>,
        open: &'o mut Open,
    ) -> Result<&'o mut Writer<Output>, Failure> {
        use std::collections::hash_map::Entry;
        Ok(match open.writers.entry(format) {
            Entry::Occupied(writer) => writer.into_mut(),
            Entry::Vacant(place) => {
                let writer = place.insert(self.open(table, format, open.count)?);
                open.count += 1;
                writer
            }
        })
    }

    /// Ends all files. The last one of a table says that they are whole.
    pub(super) fn finish(&self, is_whole: bool) -> Result<(), Failure> {
        for (table, open) in &self.tables {
            let mut open = std::mem::take(&mut *lock(open));
            if open.count == 0 {
                self.writer(*table, None, &mut open)?;
            }
            let mut left = open.writers.into_values().peekable();
            while let Some(mut writer) = left.next() {
                if is_whole && left.peek().is_none() {
                    writer.mark_whole(open.count);
                }
                end(writer)?;
            }
        }
        Ok(())
    }

    /// The files of this folder, which are not inputs.
    pub(super) fn ids(&self) -> Vec<FileId> {
        let mut ids = Vec::new();
        for (_, path) in &self.old {
            if let Ok(id) = FileId::of(path) {
                ids.push(id);
            }
        }
        for file in lock(&self.new).iter() {
            ids.extend(file.ids.clone());
        }
        ids
    }

    /// Replaces the files of earlier runs by those of this one.
    pub(super) fn keep(&self) -> Result<(), Failure> {
        let new = std::mem::take(&mut *lock(&self.new));
        for (table, path) in &self.old {
            let is_replaced = new.iter().any(|file| file.path == *path);
            if !is_replaced && is_of(path, *table, self.form) {
                std::fs::remove_file(path).map_err(|error| Failure::io(path, error))?;
            }
        }
        for file in new {
            file.finish()?;
        }
        Ok(())
    }
}

fn end(writer: Writer<Output>) -> Result<(), Failure> {
    Ok(writer.finish()?.flush()?)
}

/// How the folders of formats begin, as other programs write and read them.
const BY_FORMAT: &str = "format=";
/// The name that they give to rows without a format.
const NO_FORMAT: &str = "__HIVE_DEFAULT_PARTITION__";

/// A file of a table.
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// The format that it is for, if the table is divided by format.
    pub(super) format: Option<Option<Format>>,
}

/// The files of a table in a folder, however it is divided, in order.
pub(super) fn find(folder: &Path, table: Table, form: Form) -> Vec<Found> {
    let mut found = Vec::new();
    let one = folder.join(format!("{}.{}", table.name(), form.name()));
    if one.is_file() {
        found.push(Found { path: one, format: None });
    }
    for path in listed(folder) {
        if is_numbered(&path, table, form) {
            found.push(Found { path, format: None });
        }
    }
    for folder in listed(&folder.join(table.name())) {
        let Some(format) = format_of(&folder) else { continue };
        for path in listed(&folder) {
            if is_numbered(&path, table, form) {
                found.push(Found { path, format: Some(format) });
            }
        }
    }
    found
}

/// The format that a folder is for, if it is one of the folders of formats.
fn format_of(folder: &Path) -> Option<Option<Format>> {
    let name = folder.file_name()?.to_str()?.strip_prefix(BY_FORMAT)?;
    if name == NO_FORMAT {
        return Some(None);
    }
    let format = Format::ALL.iter().find(|format| format.name() == name)?;
    Some(Some(*format))
}

/// Returns true for the name of one of several files of a table, such as `assets-0001.parquet`.
fn is_numbered(path: &Path, table: Table, form: Form) -> bool {
    let Some(name) = path.file_name().and_then(OsStr::to_str) else { return false };
    let Some(number) = number_in(name, table.name(), form.name()) else { return false };
    number.len() >= 4 && number.bytes().all(|byte| byte.is_ascii_digit())
}

fn number_in<'n>(name: &'n str, table: &str, ending: &str) -> Option<&'n str> {
    let stem = name.strip_suffix(ending)?.strip_suffix('.')?;
    stem.strip_prefix(table)?.strip_prefix('-')
}

/// The entries of a folder, sorted. None if there is no such folder.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
