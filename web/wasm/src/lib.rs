//! The interface of the page: one [`Session`] in a worker, with the open files. Answers are JSON texts and bytes.
//!
//! A small file and every asset that is no archive are read whole. Of a large archive, only the [ranges] that an answer
//! needs are read, through a function of the worker: `read(file, start, end)`, which blocks.
//!
//! [ranges]: meshpeek::ranges

mod array;
mod lines;
mod lookup;
mod model;
mod node;
mod refs;
mod verify;

use std::path::{Path, PathBuf};

use js_sys::{Array as JsArray, Function, Uint8Array};
use meshpeek::container::{Container, Member};
use meshpeek::inspect::{Inspect, Selector, selector};
use meshpeek::scan::{Depth, Scan};
use meshpeek::summary::Name;
use meshpeek::{Budget, Error, Format, json, schema};
use serde::Serialize;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use crate::array::Table;
use crate::lines::Lines;
use crate::lookup::{Catalog, Found};
use crate::node::{Node, Source};

type Result<T> = std::result::Result<T, Error>;
type Answer<T> = std::result::Result<T, JsError>;

/// An error in words, with its offset if it has one.
fn js_error(error: impl Into<Error>) -> JsError {
    let error = error.into();
    JsError::new(&error.to_string())
}

fn text(value: &(impl Serialize + ?Sized)) -> Answer<String> {
    Ok(serde_json::to_string(value)?)
}

/// Numbers of files come from JavaScript, which has only floats.
fn number(value: f64) -> u64 {
    // A cast of a float saturates.
    value as u64
}

fn bytes_of(json: String, bytes: &[u8]) -> JsArray {
    JsArray::of2(&json.into(), &Uint8Array::from(bytes))
}

/// The open files, and their views.
#[wasm_bindgen]
pub struct Session {
    read: Function,
    /// Files up to this size are read whole, whatever their format.
    whole_below: u64,
    /// The files that the user opened: name and size.
    files: Vec<(String, u64)>,
    nodes: Vec<Option<Node>>,
    catalog: Option<Catalog>,
    /// How many of the files are in `nodes` if they are archives.
    listed: usize,
}

#[wasm_bindgen]
impl Session {
    /// Starts with `read(file, start, end)`, which returns a `Uint8Array` or throws, and `progress(done, all)`, which is
    /// called during long work.
    #[wasm_bindgen(constructor)]
    pub fn new(read: Function, progress: Function, whole_below: f64) -> Self {
        console_error();
        let (files, nodes, catalog, listed) = (Vec::new(), Vec::new(), None, 0);
        node::set_progress(progress);
        Self { read, whole_below: number(whole_below), files, nodes, catalog, listed }
    }

    /// Makes a file known, without opening it. Returns its number.
    pub fn add_file(&mut self, name: String, size: f64) -> u32 {
        self.files.push((name, number(size)));
        self.catalog = None;
        (self.files.len() - 1) as u32
    }

    /// Opens a file. Returns the number of its node; what does not open as an asset is a node, too.
    pub fn open(&mut self, file: u32) -> Answer<u32> {
        let (name, size) = self.files.get(file as usize).cloned().ok_or_else(|| JsError::new("no such file"))?;
        let node = Node::file(self.source(file), PathBuf::from(name), size, self.whole_below).map_err(js_error)?;
        Ok(self.add(node))
    }

    /// Opens a member of an archive by its index among the members. Returns the number of its node.
    pub fn open_member(&mut self, node: u32, index: u32) -> Answer<u32> {
        let inner = self.node(node)?.member(&By::Index(index as usize), self.whole_below).map_err(js_error)?;
        Ok(self.add(inner))
    }

    /// Opens a member by its name as in addresses.
    pub fn open_named(&mut self, node: u32, name: &str) -> Answer<u32> {
        let inner = self.node(node)?.member(&By::Name(name), self.whole_below).map_err(js_error)?;
        Ok(self.add(inner))
    }

    /// Forgets a node and its memory.
    pub fn close(&mut self, node: u32) {
        if let Some(slot) = self.nodes.get_mut(node as usize) {
            if slot.as_ref().is_some_and(Node::is_archive) {
                self.catalog = None;
            }
            *slot = None;
        }
    }

    /// The facts for a heading: address, name, format, size, whether it is an archive, and why it did not open.
    pub fn about(&self, node: u32) -> Answer<String> {
        let node = self.node(node)?;
        let format = node.format();
        let error = node.error().map(|error| json!({ "message": error.to_string(), "offset": error.offset() }));
        text(&json!({
            "address": node.address(),
            "name": node.own_name().to_string_lossy(),
            "format": format.map(Format::name),
            "title": format.map(Format::title),
            "bytes": node.size(),
            "archive": node.error().is_none() && matches!(format, Some(Format::Pbo | Format::Zip)),
            "ranges": node.is_in_ranges(),
            "held": node.held(),
            "error": error,
        }))
    }

    /// Returns members of an archive from this index on: `[name, bytes, form]` each, and whether more follow.
    pub fn members(&self, node: u32, from: u32, count: u32) -> Answer<String> {
        let listed = self.node(node)?.ask(|asset| {
            let Some(container) = Container::of(asset) else { return Ok(None) };
            let mut names = meshpeek::address::Names::of(&container);
            let (mut rows, mut more, mut problem) = (Vec::new(), false, None);
            for (index, member) in container.members().enumerate() {
                if rows.len() >= count as usize {
                    more = true;
                    break;
                }
                match member {
                    Ok(member) => {
                        let name = names.next(member.name());
                        if index >= from as usize {
                            rows.push(json!([name.text, member.decoded_byte_len_hint(), member.form().name()]));
                        }
                    }
                    Err(error) if error.incomplete().is_some() => return Err(error),
                    Err(error) => problem = Some(error.to_string()),
                }
            }
            Ok(Some(json!({ "members": rows, "more": more, "problem": problem })))
        });
        text(&listed.map_err(js_error)?)
    }

    /// Returns the output of `info --json`; without `detail`, the fields are left out.
    pub fn info(&self, node: u32, detail: bool) -> Answer<String> {
        let node = self.node(node)?;
        let write = |asset: Option<&meshpeek::Asset<'_>>, record: &meshpeek::scan::Record| -> Result<Vec<u8>> {
            let mut document = json::Document::new(Vec::new())?;
            document.record(record)?;
            document.entry("title", &record.summary.format.map(Format::title))?;
            match asset.filter(|_| detail) {
                Some(asset) => document.outline("detail", asset)?,
                None => document.entry("detail", &())?,
            }
            Ok(document.finish()?)
        };
        let written = match node.error() {
            Some(_) => write(None, &node.record(Depth::Summary)),
            None => node.ask(|asset| write(Some(asset), &node.record_of(asset, Depth::Summary))),
        };
        Ok(String::from_utf8(written.map_err(js_error)?)?)
    }

    /// Checks everything, as `verify` does. Returns the problems, each with its member if any, and the numbers of
    /// checked and skipped members. Of an archive that is too large to be read as a whole, checks the directory and
    /// each member, but not its own checksum.
    pub fn verify(&self, node: u32) -> Answer<String> {
        text(&verify::of(self.node(node)?).map_err(js_error)?)
    }

    /// Returns the files that it names, as `refs` prints them for all open files.
    pub fn references(&mut self, node: u32) -> Answer<String> {
        text(&self.links(node).map_err(js_error)?)
    }

    /// Walks the tree of parts and fields, once. Returns the number of its lines, and whether it is cut.
    pub fn tree(&mut self, node: u32) -> Answer<String> {
        let own = self.node(node)?;
        if own.lines().is_none() {
            let lines = Lines::of(own).map_err(js_error)?;
            self.node_mut(node)?.set_lines(lines);
        }
        let lines = self.lines(node)?;
        text(&json!({ "lines": lines.len(), "cut": lines.is_cut() }))
    }

    /// Of each line of the tree, its depth.
    pub fn tree_depths(&self, node: u32) -> Answer<Vec<u32>> {
        Ok(self.lines(node)?.depths.clone())
    }

    /// Of each line, its offset, or -1.
    pub fn tree_offsets(&self, node: u32) -> Answer<Vec<f64>> {
        Ok(self.lines(node)?.offsets.clone())
    }

    /// Of each line, its number of bytes.
    pub fn tree_bytes(&self, node: u32) -> Answer<Vec<f64>> {
        Ok(self.lines(node)?.bytes.clone())
    }

    /// Of each line, its kind: part, field, array, gap or problem, from 0.
    pub fn tree_kinds(&self, node: u32) -> Answer<Vec<u8>> {
        Ok(self.lines(node)?.kinds.clone())
    }

    /// Some lines as a list of objects, each as `tree --fields --format ndjson` prints it.
    pub fn tree_rows(&self, node: u32, wanted: &[u32]) -> Answer<String> {
        let lines = self.lines(node)?;
        let rows: Vec<&str> = wanted.iter().map(|&line| lines.row(line as usize)).collect();
        Ok(format!("[{}]", rows.join(",")))
    }

    /// The line of a selector, or -1. Of something that is not there, the line around it.
    pub fn tree_find(&self, node: u32, wanted: &str) -> Answer<i32> {
        let own = self.node(node)?;
        let exact = wanted.parse::<Selector>().ok().and_then(|selector| {
            own.ask(|asset| Ok(meshpeek::dissect::locate(asset, asset.size(), &selector))).ok().flatten()
        });
        let selector = exact.map_or_else(|| wanted.to_owned(), |located| located.selector.to_string());
        Ok(self.lines(node)?.find(&selector).and_then(|line| i32::try_from(line).ok()).unwrap_or(-1))
    }

    /// Bytes from an offset on, fewer at the end.
    pub fn bytes(&self, node: u32, offset: f64, count: u32) -> Answer<Vec<u8>> {
        self.node(node)?.bytes(number(offset), u64::from(count)).map_err(js_error)
    }

    /// The offset of these bytes in a part of the file, or -1.
    pub fn search(&self, node: u32, wanted: &[u8], from: f64, count: u32) -> Answer<f64> {
        let from = number(from);
        let overlap = (wanted.len() as u64).saturating_sub(1);
        let here = self.node(node)?.bytes(from, u64::from(count).saturating_add(overlap)).map_err(js_error)?;
        let found = memchr::memmem::find(&here, wanted).filter(|_| !wanted.is_empty());
        Ok(found.map_or(-1.0, |place| (from + place as u64) as f64))
    }

    /// Every array: selector, rows, columns, how and where it is stored.
    pub fn arrays(&self, node: u32) -> Answer<String> {
        let listed = self.node(node)?.ask(|asset| {
            let mut rows = Vec::new();
            selector::each(asset, &mut |selector, table| {
                let columns: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
                let storage = table.storage();
                if rows.len() < MOST_ARRAYS {
                    rows.push(json!({
                        "selector": selector, "rows": table.rows(), "columns": columns,
                        "stored": storage.packing.name(), "offset": storage.offset, "bytes": storage.bytes,
                    }));
                }
            });
            Ok(rows)
        });
        text(&listed.map_err(js_error)?)
    }

    /// Decodes an array and keeps it, until the next. Returns its columns, types and rows.
    pub fn array(&mut self, node: u32, selector: &str) -> Answer<String> {
        let table = Table::of(self.node(node)?, selector).map_err(js_error)?;
        let about = text(&table.about())?;
        self.node_mut(node)?.set_table(table);
        Ok(about)
    }

    /// Rows of the kept array as numbers, row after row.
    pub fn array_rows(&self, node: u32, from: f64, count: u32) -> Answer<Vec<f64>> {
        Ok(self.table(node)?.rows(number(from), count))
    }

    /// The least and the greatest value of a column in each of this many equal parts of its rows.
    pub fn array_plot(&self, node: u32, column: u32, parts: u32) -> Answer<Vec<f64>> {
        Ok(self.table(node)?.plot(column as usize, parts as usize))
    }

    /// The kept array as a CSV file.
    pub fn array_csv(&self, node: u32) -> Answer<Vec<u8>> {
        Ok(self.table(node)?.csv())
    }

    /// The kept array as an NPY file.
    pub fn array_npy(&self, node: u32) -> Answer<Vec<u8>> {
        self.table(node)?.npy().map_err(js_error)
    }

    /// Returns facts of a model: levels of detail, bones, clips, and the reason if it has no glTF.
    pub fn model(&self, node: u32) -> Answer<String> {
        text(&self.node(node)?.ask(model::about).map_err(js_error)?)
    }

    /// Returns the model as glTF, with images from the open files: `[missing names, bytes]`.
    pub fn glb(&mut self, node: u32, options: &str) -> Answer<JsArray> {
        let options: model::Options = serde_json::from_str(options)?;
        self.list_images().map_err(js_error)?;
        let (own, motion) = (self.node(node)?, options.motion.map(|motion| self.node(motion)).transpose()?);
        let (missing, bytes) = model::glb(self, own, motion, &options).map_err(js_error)?;
        Ok(bytes_of(text(&missing)?, &bytes))
    }

    /// The triangles of a level of detail, for formats without glTF: `[facts, positions, normals, texture coordinates,
    /// indices, ...]`, four arrays for each draw call.
    pub fn meshes(&self, node: u32, lod: i32) -> Answer<JsArray> {
        self.node(node)?.ask(|asset| model::meshes(asset, usize::try_from(lod).ok())).map_err(js_error)
    }

    /// Returns the image that a texture of a model means, from the open files: `[facts, bytes]`, or null.
    pub fn image(&mut self, node: u32, name: String, most: u32) -> Answer<JsValue> {
        self.list_images().map_err(js_error)?;
        let texture = Name { text: name, lossy: false };
        let found = self.find_image(self.node(node)?, &texture).map_err(js_error)?;
        let Some(Found { address, bytes }) = found else { return Ok(JsValue::NULL) };
        let Some((mut facts, bytes)) = model::image(&bytes, most).map_err(js_error)? else { return Ok(JsValue::NULL) };
        facts["file"] = address.into();
        Ok(bytes_of(facts.to_string(), &bytes).into())
    }

    /// The mips of a texture.
    pub fn mips(&self, node: u32) -> Answer<String> {
        text(&self.node(node)?.ask(|asset| Ok(model::mips(asset))).map_err(js_error)?)
    }

    /// A mip of a texture: its width, height, and RGBA pixels.
    pub fn mip(&self, node: u32, index: u32) -> Answer<JsArray> {
        let (size, pixels) = self.node(node)?.ask(|asset| model::mip(asset, index as usize)).map_err(js_error)?;
        Ok(bytes_of(text(&size)?, &pixels))
    }

    /// The records of a format: the names of fields here and in its documents, types and meanings.
    pub fn schema(&self, format: &str) -> Answer<String> {
        let format = Format::ALL.iter().find(|known| known.name() == format);
        let records = format.map_or(&[][..], |format| schema::records(*format));
        let fields = records.iter().flat_map(|record| record.fields.iter().map(move |field| (record.name, field)));
        let rows: Vec<Value> = fields
            .map(|(record, field)| {
                json!({
                    "record": record, "field": field.name, "document": field.spec,
                    "type": field.kind.to_string(), "doc": field.doc.trim(),
                })
            })
            .collect();
        text(&rows)
    }
}

/// The most arrays that are listed.
const MOST_ARRAYS: usize = 100_000;

/// Which member of an archive.
enum By<'n> {
    Index(usize),
    /// By its name as in addresses.
    Name(&'n str),
}

impl By<'_> {
    fn find<'a>(&self, container: &Container<'a>) -> Result<Option<Member<'a>>> {
        match self {
            Self::Index(index) => container.members().nth(*index).transpose(),
            Self::Name(name) => {
                let numbered = name.rsplit_once('#').and_then(|(name, number)| Some((name, number.parse().ok()?)));
                if let Some((name, number)) = numbered
                    && let Some(found) = container.find(name.as_bytes(), number)?
                {
                    return Ok(Some(found.member));
                }
                Ok(container.find(name.as_bytes(), 0)?.map(|found| found.member))
            }
        }
    }
}

impl Session {
    fn source(&self, file: u32) -> Source {
        Source { read: self.read.clone(), file }
    }

    fn add(&mut self, node: Node) -> u32 {
        if node.is_archive() {
            self.catalog = None;
        }
        self.nodes.push(Some(node));
        (self.nodes.len() - 1) as u32
    }

    fn node(&self, node: u32) -> Answer<&Node> {
        self.nodes.get(node as usize).and_then(Option::as_ref).ok_or_else(|| JsError::new("no such file"))
    }

    fn node_mut(&mut self, node: u32) -> Answer<&mut Node> {
        self.nodes.get_mut(node as usize).and_then(Option::as_mut).ok_or_else(|| JsError::new("no such file"))
    }

    fn lines(&self, node: u32) -> Answer<&Lines> {
        self.node(node)?.lines().ok_or_else(|| JsError::new("no tree yet"))
    }

    fn table(&self, node: u32) -> Answer<&Table> {
        self.node(node)?.table().ok_or_else(|| JsError::new("no array yet"))
    }
}

/// A scan of one asset at this depth.
fn scan(depth: Depth) -> Scan {
    let mut scan = Scan::new([""; 0]);
    scan.depth = depth;
    scan
}

fn budget(bytes: u64) -> Budget {
    Budget::new(bytes, &meshpeek::Limits::default())
}

/// Writes a panic to the console before the module ends.
fn console_error() {
    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = console)]
        fn error(message: &str);
    }
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
}

/// The last name of a path in an archive or a folder.
fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the name without the number that distinguishes members of one name.
fn unnumbered(name: &str) -> &Path {
    match name.rsplit_once('#') {
        Some((name, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            Path::new(name)
        }
        _ => Path::new(name),
    }
}
