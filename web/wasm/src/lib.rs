//! The interface of the page: one [`Session`] in a worker, with the open files. Answers are JSON texts and bytes.
//!
//! A small file and every asset that is no archive are read whole. Of a large archive, only the [ranges] that an answer
//! needs are read, through a function of the worker: `read(file, start, end)`, which blocks.
//!
//! [ranges]: meshpeek::ranges

// `clippy.toml` has the threshold.
#![cfg_attr(not(test), deny(clippy::too_many_lines))]

mod array;
/// The comparison of bones of the program's `fit`, from its own source.
#[path = "../../../cli/src/bones.rs"]
#[allow(dead_code)]
mod bones;
mod config;
mod failure;
mod fit;
mod limits;
mod lines;
mod lookup;
mod model;
mod node;
mod overview;
mod picture;
mod refs;
/// The words of the program's `info`, from its own source, so that the page says the same.
#[path = "../../../cli/src/report/mod.rs"]
#[allow(dead_code)]
mod report;
mod sections;
mod selection;
#[path = "../../../cli/src/value.rs"]
#[allow(dead_code)]
mod value;
mod verify;
mod wrap;

use std::path::{Path, PathBuf};

use js_sys::{Array as JsArray, Function, Uint8Array};
use meshpeek::address::Names;
use meshpeek::answers::refs::State;
use meshpeek::container::{Container, Member};
use meshpeek::dissect::locate;
use meshpeek::format::NoAsset;
use meshpeek::inspect::{Inspect, Selector, selector};
use meshpeek::scan::{Depth, Record, Scan};
use meshpeek::summary::Name;
use meshpeek::{Asset, Budget, Error, Format, json, schema, view};
use serde::Serialize;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use crate::array::Table;
use crate::lines::Lines;
use crate::lookup::{Catalog, Found};
use crate::node::{Node, Source};
use crate::overview::Overview;

type Result<T> = std::result::Result<T, Error>;
type Answer<T> = std::result::Result<T, JsError>;

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

/// A node, and the answers about it that are kept.
struct Opened {
    node: Node,
    lines: Option<Lines>,
    table: Option<Table>,
}

/// The open files, and their views.
#[wasm_bindgen]
pub struct Session {
    read: Function,
    /// Files up to this size are read whole, whatever their format.
    whole_below: u64,
    /// The files that the user opened: name and size. `None` once the user closed it.
    files: Vec<Option<(String, u64)>>,
    nodes: Vec<Option<Opened>>,
    catalog: Option<Catalog>,
    /// How many of the files are in `nodes` if they are archives.
    listed: usize,
    overview: Option<Overview>,
}

#[wasm_bindgen]
impl Session {
    /// Starts with `read(file, start, end)`, which returns a `Uint8Array` or throws, and `progress(done, all)`, which is
    /// called during long work.
    #[wasm_bindgen(constructor)]
    pub fn new(read: Function, progress: Function, whole_below: f64) -> Self {
        console_error();
        node::set_progress(progress);
        let whole_below = number(whole_below);
        Self { read, whole_below, files: Vec::new(), nodes: Vec::new(), catalog: None, listed: 0, overview: None }
    }

    /// Makes a file known, without opening it. Returns its number.
    pub fn add_file(&mut self, name: String, size: f64) -> u32 {
        self.files.push(Some((name, number(size))));
        self.catalog = None;
        (self.files.len() - 1) as u32
    }

    /// Forgets a file and what was opened in it. The numbers of other files stay.
    pub fn remove_file(&mut self, file: u32) {
        let Some(slot) = self.files.get_mut(file as usize) else { return };
        let Some((name, _)) = slot.take() else { return };
        self.catalog = None;
        self.overview = None;
        for slot in &mut self.nodes {
            if let Some(opened) = slot
                && opened.node.path().0 == Path::new(&name)
            {
                *slot = None;
            }
        }
    }

    /// Opens a file. Returns the number of its node; what does not open as an asset is a node, too.
    pub fn open(&mut self, file: u32) -> Answer<u32> {
        let Some(Some((name, size))) = self.files.get(file as usize) else { return Err(JsError::new("no such file")) };
        let node = Node::file(self.source(file), PathBuf::from(name), *size, self.whole_below)?;
        Ok(self.add(node))
    }

    /// Opens a member of an archive by its index among the members. Returns the number of its node.
    pub fn open_member(&mut self, node: u32, index: u32) -> Answer<u32> {
        let inner = self.node(node)?.member(&By::Index(index as usize), self.whole_below)?;
        Ok(self.add(inner))
    }

    /// Opens a member by its name as in addresses.
    pub fn open_named(&mut self, node: u32, name: &str) -> Answer<u32> {
        let inner = self.node(node)?.member(&By::Name(name), self.whole_below)?;
        Ok(self.add(inner))
    }

    /// Forgets a node and its memory.
    pub fn close(&mut self, node: u32) {
        let Some(slot) = self.nodes.get_mut(node as usize) else { return };
        if let Some(opened) = slot
            && opened.node.is_archive()
        {
            self.catalog = None;
        }
        *slot = None;
    }

    /// The facts for a heading: address, name, format, size, whether it is an archive, and why it did not open. `other` is
    /// the kind of a file without a format.
    pub fn about(&self, node: u32) -> Answer<String> {
        let node = self.node(node)?;
        let format = node.format();
        let mut problem = None;
        if let Some(error) = node.error() {
            problem = Some(json!({ "message": error.to_string(), "offset": error.offset() }));
        }
        let mut other = None;
        if format.is_none() {
            other = Some(NoAsset::of(node.beginning()).name());
        }
        text(&json!({
            "address": node.address(),
            "name": node.own_name().to_string_lossy(),
            "format": format.map(Format::name),
            "title": format.map(Format::title),
            "bytes": node.size(),
            "archive": node.is_archive(),
            "ranges": node.is_in_ranges(),
            "held": node.held(),
            "error": problem,
            "other": other,
        }))
    }

    /// Returns members of an archive from this index on: `[name, bytes, form]` each, and whether more follow.
    pub fn members(&self, node: u32, from: u32, count: u32) -> Answer<String> {
        text(&self.node(node)?.ask(|asset| members_of(asset, from as usize, count as usize))?)
    }

    /// Returns the output of `info --json`; without `detail`, the fields are left out.
    pub fn info(&self, node: u32, detail: bool) -> Answer<String> {
        let node = self.node(node)?;
        let document = if node.error().is_some() {
            info_of(&node.record(Depth::Summary), None)?
        } else {
            node.ask(|asset| {
                let fields = if detail { Some(asset) } else { None };
                info_of(&node.record_of(asset, Depth::Summary), fields)
            })?
        };
        Ok(String::from_utf8(document)?)
    }

    /// Returns what `info -v` says below its heading: sections, each with a title and lines.
    pub fn sections(&self, node: u32) -> Answer<String> {
        text(&self.node(node)?.ask(sections::of)?)
    }

    /// Checks everything, as `verify` does. Returns the problems, each with its member if any, and the numbers of
    /// checked and skipped members. Of an archive that is too large to be read as a whole, checks the directory and
    /// each member, but not its own checksum.
    pub fn verify(&self, node: u32) -> Answer<String> {
        text(&verify::of(self.node(node)?)?)
    }

    /// Returns the files that it names, as `refs` prints them for all open files.
    pub fn references(&mut self, node: u32) -> Answer<String> {
        text(&self.links(node)?)
    }

    /// Walks the tree of parts and fields, once. Returns the number of its lines, and whether it is cut.
    pub fn tree(&mut self, node: u32) -> Answer<String> {
        let opened = self.opened_mut(node)?;
        if opened.lines.is_none() {
            opened.lines = Some(Lines::of(&opened.node)?);
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

    /// Of each line, the kind of its values: none, whole numbers, floats, text, other values, several kinds, from 0.
    pub fn tree_types(&self, node: u32) -> Answer<Vec<u8>> {
        Ok(self.lines(node)?.types.clone())
    }

    /// Some lines as a list of objects, each as `tree --fields --format ndjson` prints it.
    pub fn tree_rows(&self, node: u32, wanted: &[u32]) -> Answer<String> {
        let lines = self.lines(node)?;
        let mut rows = Vec::new();
        for line in wanted {
            rows.push(lines.row(*line as usize));
        }
        Ok(format!("[{}]", rows.join(",")))
    }

    /// The line of a selector, or -1. Of something that is not there, the line around it.
    pub fn tree_find(&self, node: u32, wanted: &str) -> Answer<i32> {
        let own = self.node(node)?;
        let mut selector = wanted.to_owned();
        if let Ok(parsed) = wanted.parse::<Selector>()
            && let Ok(Some(located)) = own.ask(|asset| Ok(locate(asset, asset.size(), &parsed)))
        {
            selector = located.selector.to_string();
        }
        let Some(line) = self.lines(node)?.find(&selector) else { return Ok(-1) };
        Ok(i32::try_from(line).unwrap_or(-1))
    }

    /// Whether a selector leads to a line of the tree, and not only to the one around it.
    pub fn has_selector(&self, node: u32, wanted: &str) -> Answer<bool> {
        let own = self.node(node)?;
        if let Ok(parsed) = wanted.parse::<Selector>()
            && let Ok(Some(located)) = own.ask(|asset| Ok(locate(asset, asset.size(), &parsed)))
            && located.is_exact
        {
            return Ok(true);
        }
        let lines = self.lines(node)?;
        let Some(line) = lines.find(wanted) else { return Ok(false) };
        let row: Value = serde_json::from_str(lines.row(line))?;
        Ok(row["selector"] == wanted)
    }

    /// Bytes from an offset on, fewer at the end.
    pub fn bytes(&self, node: u32, offset: f64, count: u32) -> Answer<Vec<u8>> {
        Ok(self.node(node)?.bytes(number(offset), u64::from(count))?)
    }

    /// The offset of these bytes in a part of the file, or -1.
    pub fn search(&self, node: u32, wanted: &[u8], from: f64, count: u32) -> Answer<f64> {
        let from = number(from);
        let overlap = (wanted.len() as u64).saturating_sub(1);
        let here = self.node(node)?.bytes(from, u64::from(count).saturating_add(overlap))?;
        if wanted.is_empty() {
            return Ok(-1.0);
        }
        match memchr::memmem::find(&here, wanted) {
            Some(place) => Ok((from + place as u64) as f64),
            None => Ok(-1.0),
        }
    }

    /// The offsets of these bytes in a part of the file, up to `most` of them. Hits may overlap.
    pub fn search_all(&self, node: u32, wanted: &[u8], from: f64, count: u32, most: u32) -> Answer<Vec<f64>> {
        let from = number(from);
        let overlap = (wanted.len() as u64).saturating_sub(1);
        let here = self.node(node)?.bytes(from, u64::from(count).saturating_add(overlap))?;
        let mut hits = Vec::new();
        if wanted.is_empty() {
            return Ok(hits);
        }
        let finder = memchr::memmem::Finder::new(wanted);
        let mut start = 0;
        while hits.len() < most as usize
            && let Some(rest) = here.get(start..)
            && let Some(place) = finder.find(rest)
        {
            hits.push((from + (start + place) as u64) as f64);
            start += place + 1;
        }
        Ok(hits)
    }

    /// Its arrays, up to a limit: selector, rows, columns, how and where each is stored.
    pub fn arrays(&self, node: u32) -> Answer<String> {
        let rows = self.node(node)?.ask(|asset| {
            let mut rows = Vec::new();
            selector::each(asset, &mut |selector, table| {
                if rows.len() < MOST_ARRAYS {
                    rows.push(array_row(selector, table));
                }
            });
            Ok(rows)
        })?;
        text(&rows)
    }

    /// Decodes an array and keeps it, until the next. Returns its columns, types and rows.
    pub fn array(&mut self, node: u32, selector: &str) -> Answer<String> {
        let table = Table::of(self.node(node)?, selector)?;
        let about = text(&table.about())?;
        self.opened_mut(node)?.table = Some(table);
        Ok(about)
    }

    /// Rows of the kept array as numbers, row after row.
    pub fn array_rows(&self, node: u32, from: f64, count: u32) -> Answer<Vec<f64>> {
        Ok(self.table(node)?.rows(number(from), count))
    }

    /// Rows of the kept array as lines of a CSV file.
    pub fn array_texts(&self, node: u32, from: f64, count: u32) -> Answer<String> {
        Ok(self.table(node)?.texts(number(from), count))
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
        Ok(self.table(node)?.npy()?)
    }

    /// Returns facts of a model: levels of detail, bones, clips, and the reason if it has no glTF.
    pub fn model(&self, node: u32) -> Answer<String> {
        text(&self.node(node)?.ask(model::about)?)
    }

    /// Returns the model as glTF, with images from the open files, and those that the user chose, one after the other in
    /// `chosen`: `[missing names, bytes]`.
    pub fn glb(&mut self, node: u32, options: &str, chosen: Vec<u8>) -> Answer<JsArray> {
        let options: model::Options = serde_json::from_str(options)?;
        self.list_images()?;
        let own = self.node(node)?;
        let mut motion = None;
        if let Some(node) = options.motion {
            motion = Some(self.node(node)?);
        }
        let (missing, bytes) = model::glb(self, own, motion, &options, &chosen)?;
        Ok(bytes_of(text(&missing)?, &bytes))
    }

    /// The triangles of a level of detail, for formats without glTF: `[facts, positions, normals, texture coordinates,
    /// indices, ...]`, four arrays for each draw call.
    pub fn meshes(&self, node: u32, lod: i32) -> Answer<JsArray> {
        Ok(self.node(node)?.ask(|asset| model::meshes(asset, usize::try_from(lod).ok()))?)
    }

    /// Moves the skeleton of a model by an animation file: facts, then times and values of the keys of each bone.
    pub fn motion(&self, node: u32, moved: u32) -> Answer<JsArray> {
        let moved = self.node(moved)?;
        let own = self.node(node)?;
        Ok(own.ask(|asset| moved.ask(|moved| model::motion(asset, moved, &budget(own.size()))))?)
    }

    /// How many of the bones that an animation file moves the model has, and which it lacks.
    pub fn fit(&self, node: u32, moved: u32) -> Answer<String> {
        let moved = self.node(moved)?;
        let own = self.node(node)?;
        text(&own.ask(|asset| moved.ask(|moved| fit::of(asset, moved, &budget(own.size()))))?)
    }

    /// The selections of a level of detail: of each its number, its name, and whether nothing is in it.
    pub fn selections(&self, node: u32, lod: u32) -> Answer<String> {
        text(&self.node(node)?.ask(|asset| selection::names(asset, lod as usize))?)
    }

    /// The positions of the points of a selection.
    pub fn selection(&self, node: u32, lod: u32, index: u32) -> Answer<Vec<f32>> {
        Ok(selection::points(self.node(node)?, lod as usize, index as usize)?)
    }

    /// The sections of which a selection consists.
    pub fn selection_sections(&self, node: u32, lod: u32, index: u32) -> Answer<Vec<u32>> {
        Ok(selection::sections(self.node(node)?, lod as usize, index as usize)?)
    }

    /// Returns the image that a texture of a model means, from the open files: `[facts, bytes]`, or null.
    pub fn image(&mut self, node: u32, name: String, most: u32) -> Answer<JsValue> {
        self.list_images()?;
        let own = self.node(node)?;
        if let Some(bytes) = own.ask(|asset| model::image_inside(asset, &name))? {
            let (mut facts, bytes) = model::image(&name, &bytes, most)?;
            facts["file"] = own.address().into();
            facts["state"] = State::Found.name().into();
            return Ok(bytes_of(facts.to_string(), &bytes).into());
        }
        let texture = Name::new(name);
        let found = self.find_image(own, &texture)?;
        let Some(Found { address, state, bytes }) = found else { return Ok(JsValue::NULL) };
        let (mut facts, bytes) = model::image(&address, &bytes, most)?;
        facts["file"] = address.into();
        facts["state"] = state.name().into();
        Ok(bytes_of(facts.to_string(), &bytes).into())
    }

    /// Returns an open file as an image, as `image` does.
    pub fn own_image(&self, node: u32, most: u32) -> Answer<JsArray> {
        let own = self.node(node)?;
        let (facts, bytes) = model::image(&own.address(), &picture::whole(own)?, most)?;
        Ok(bytes_of(facts.to_string(), &bytes))
    }

    /// Lists open files and members whose names have one of these endings: addresses, and the way to each.
    pub fn named(&mut self, endings: &str) -> Answer<String> {
        let endings: Vec<String> = endings.split(' ').map(str::to_owned).collect();
        text(&self.named_files(&endings))
    }

    /// The mips of a texture.
    pub fn mips(&self, node: u32) -> Answer<String> {
        text(&self.node(node)?.ask(|asset| Ok(model::mips(asset)))?)
    }

    /// A mip of a texture: its width, height, and RGBA pixels.
    pub fn mip(&self, node: u32, index: u32) -> Answer<JsArray> {
        let (size, pixels) = self.node(node)?.ask(|asset| model::mip(asset, index as usize))?;
        Ok(bytes_of(text(&size)?, &pixels))
    }

    /// A TGA or DDS picture of at most `most` pixels: its width, height, and RGBA pixels. The size is checked before the
    /// pixels are decoded.
    pub fn picture(&self, node: u32, most: f64) -> Answer<JsArray> {
        let (size, pixels) = picture::decode(self.node(node)?, number(most))?;
        Ok(bytes_of(text(&size)?, &pixels))
    }

    /// RGBA pixels as a PNG file.
    pub fn png(&self, width: u32, height: u32, pixels: &[u8]) -> Answer<Vec<u8>> {
        Ok(picture::png(width, height, pixels)?)
    }

    /// Returns a picture of a model or texture with sides of at most `side` pixels: `[[width, height], RGBA pixels]`, or
    /// null if there is nothing to draw.
    pub fn thumbnail(&mut self, node: u32, side: u32) -> Answer<JsValue> {
        self.list_images()?;
        let Some((size, pixels)) = model::thumbnail(self, self.node(node)?, side)? else { return Ok(JsValue::NULL) };
        Ok(bytes_of(text(&size)?, &pixels).into())
    }

    /// Starts an overview of all open files.
    pub fn overview_begin(&mut self) {
        self.overview = Some(Overview::begin(self));
    }

    /// Looks at a file or member for the overview. Returns its format, and the numbers of its errors and warnings.
    pub fn overview_add(&mut self, node: u32) -> Answer<String> {
        let Some(mut overview) = self.overview.take() else { return Err(JsError::new("no overview yet")) };
        let facts = self.node(node).and_then(|node| Ok(overview.add(node)?));
        self.overview = Some(overview);
        text(&facts?)
    }

    /// Ends the overview. Returns how many references of the files that were looked at are in each state, and the
    /// first `most` of the missing ones.
    pub fn overview_links(&mut self, most: u32) -> Answer<String> {
        let Some(overview) = self.overview.take() else { return Err(JsError::new("no overview yet")) };
        text(&overview.links(self, most as usize)?)
    }

    /// Returns a binary config as text: `[facts, text]`. The facts say why the text ends early, if it does.
    pub fn config_text(&self, node: u32) -> Answer<JsArray> {
        let (facts, bytes) = self.node(node)?.ask(config::text)?;
        Ok(bytes_of(text(&facts)?, &bytes))
    }

    /// The records of a format: the names of fields here and in its documents, types and meanings.
    pub fn schema(&self, format: &str) -> Answer<String> {
        let mut rows: Vec<Value> = Vec::new();
        let Some(format) = Format::ALL.iter().find(|known| known.name() == format) else { return text(&rows) };
        for record in schema::records(*format) {
            for field in record.fields {
                rows.push(json!({
                    "record": record.name, "field": field.name, "document": field.spec,
                    "type": field.kind.to_string(), "doc": field.doc.trim(),
                }));
            }
        }
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
            Self::Index(index) => {
                let Some(member) = container.members().nth(*index) else { return Ok(None) };
                Ok(Some(member?))
            }
            Self::Name(name) => container.find_written(name),
        }
    }
}

impl Session {
    /// The number, name and size of each file that is open.
    fn open_files(&self) -> impl Iterator<Item = (u32, &str, u64)> {
        self.files.iter().enumerate().filter_map(|(number, file)| {
            let (name, size) = file.as_ref()?;
            Some((number as u32, name.as_str(), *size))
        })
    }

    fn source(&self, file: u32) -> Source {
        Source { read: self.read.clone(), file }
    }

    fn add(&mut self, node: Node) -> u32 {
        if node.is_archive() {
            self.catalog = None;
        }
        self.nodes.push(Some(Opened { node, lines: None, table: None }));
        (self.nodes.len() - 1) as u32
    }

    fn opened(&self, node: u32) -> Answer<&Opened> {
        match self.nodes.get(node as usize) {
            Some(Some(opened)) => Ok(opened),
            _ => Err(JsError::new("no such file")),
        }
    }

    fn opened_mut(&mut self, node: u32) -> Answer<&mut Opened> {
        match self.nodes.get_mut(node as usize) {
            Some(Some(opened)) => Ok(opened),
            _ => Err(JsError::new("no such file")),
        }
    }

    fn node(&self, node: u32) -> Answer<&Node> {
        Ok(&self.opened(node)?.node)
    }

    fn lines(&self, node: u32) -> Answer<&Lines> {
        let Some(lines) = &self.opened(node)?.lines else { return Err(JsError::new("no tree yet")) };
        Ok(lines)
    }

    fn table(&self, node: u32) -> Answer<&Table> {
        let Some(table) = &self.opened(node)?.table else { return Err(JsError::new("no array yet")) };
        Ok(table)
    }
}

/// Lists `count` members of an archive from the index `from` on. Returns nothing if the asset is no archive.
fn members_of(asset: &Asset<'_>, from: usize, count: usize) -> Result<Option<Value>> {
    let Some(container) = Container::of(asset) else { return Ok(None) };
    let mut names = Names::of(&container);
    let mut rows = Vec::new();
    let mut more = false;
    let mut problem = None;
    for (index, member) in container.members().enumerate() {
        if rows.len() >= count {
            more = true;
            break;
        }
        match member {
            Ok(member) => {
                // Also of a member that is not listed: a name's number depends on the names before it.
                let name = names.next(member.name());
                if index >= from {
                    rows.push(json!([name.text, member.decoded_byte_len_hint(), member.form().name()]));
                }
            }
            Err(error) if error.incomplete().is_some() => return Err(error),
            Err(error) => problem = Some(error.to_string()),
        }
    }
    Ok(Some(json!({ "members": rows, "more": more, "problem": problem })))
}

/// The output of `info --json`, with the fields of this asset if there is one.
fn info_of(record: &Record, fields: Option<&Asset<'_>>) -> Result<Vec<u8>> {
    let mut document = json::Document::new(Vec::new())?;
    document.record(record)?;
    document.entry("title", &record.summary.format.map(Format::title))?;
    match fields {
        Some(asset) => document.outline("detail", asset)?,
        None => document.entry("detail", &())?,
    }
    Ok(document.finish()?)
}

/// A row of the list of arrays.
fn array_row(selector: &str, table: &dyn view::Table) -> Value {
    let columns: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
    let storage = table.storage();
    json!({
        "selector": selector, "rows": table.rows(), "columns": columns,
        "stored": storage.packing.name(), "offset": storage.offset, "bytes": storage.bytes,
    })
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
