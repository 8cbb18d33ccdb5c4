//! Builds a binary glTF file: its arrays, and the document that describes them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Write as _};
use std::iter::zip;

use serde_json::{Value as Json, json};

use crate::base::error::{Error, Result};
use crate::budget::Reservation as Room;

/// A file under construction.
pub(super) struct Glb<'r> {
    room: &'r Room<'r>,
    /// The views of the binary part, each padded to a multiple of four bytes.
    views: Vec<Vec<u8>>,
    bytes: usize,
    /// The lists of the document by name.
    lists: BTreeMap<&'static str, List>,
    extensions: BTreeSet<&'static str>,
}

/// Items as text, which takes a tenth of the memory of JSON values.
#[derive(Default)]
pub(super) struct List {
    len: usize,
    text: String,
}

impl List {
    /// Adds an item and returns its index.
    pub(super) fn push(&mut self, item: impl Display, room: &Room<'_>) -> Result<usize> {
        let before = self.text.len();
        if self.len > 0 {
            self.text.push(',');
        }
        let _ = write!(self.text, "{item}");
        // Strings double their capacity as they grow.
        room.charge_output(self.text.len().saturating_sub(before) as u64)?;
        room.hold(self.text.len().saturating_sub(before) as u64)?;
        self.len = self.len.saturating_add(1);
        Ok(self.len.saturating_sub(1))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.text)
    }
}

pub(super) fn set(json: &mut Json, key: &str, value: impl Into<Json>) {
    if let Json::Object(map) = json {
        map.insert(key.to_owned(), value.into());
    }
}

/// The use of a view, as the number that glTF gives it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Use {
    Vertices = 34962,
    Indices = 34963,
    Other = 0,
}

impl<'r> Glb<'r> {
    pub(super) fn new(room: &'r Room<'r>) -> Self {
        Self { room, views: Vec::new(), bytes: 0, lists: BTreeMap::new(), extensions: BTreeSet::new() }
    }

    /// Adds an item to one of the lists and returns its index.
    pub(super) fn push(&mut self, list: &'static str, item: impl Display) -> Result<usize> {
        self.lists.entry(list).or_default().push(item, self.room)
    }

    pub(super) fn uses(&mut self, extension: &'static str) {
        self.extensions.insert(extension);
    }

    /// Adds a piece to the binary part and returns the index of its view.
    pub(super) fn view(&mut self, mut piece: Vec<u8>, usage: Use) -> Result<usize> {
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes, "byteLength": piece.len() });
        if usage != Use::Other {
            set(&mut view, "target", usage as u32);
        }
        let whole = piece.len().next_multiple_of(4);
        self.room.charge_output(whole as u64)?;
        piece.reserve_exact(whole.saturating_sub(piece.len()));
        piece.resize(whole, 0);
        self.bytes = self.bytes.saturating_add(whole);
        self.views.push(piece);
        self.push("bufferViews", view)
    }

    /// Adds an array of floats with `N` per element, and with bounds if glTF requires them.
    pub(super) fn floats<const N: usize>(&mut self, list: &[[f32; N]], usage: Use, bounds: bool) -> Result<usize> {
        self.numbers(list.as_flattened(), N, usage, bounds)
    }

    fn numbers(&mut self, numbers: &[f32], size: usize, usage: Use, bounds: bool) -> Result<usize> {
        let kind = ["", "SCALAR", "VEC2", "VEC3", "VEC4"].get(size).copied().unwrap_or("MAT4");
        let count = numbers.chunks_exact(size).len();
        let mut accessor = json!({ "componentType": 5126, "count": count, "type": kind });
        if bounds {
            let (least, most) = bounds_of(numbers, size);
            set(&mut accessor, "min", json!(least));
            set(&mut accessor, "max", json!(most));
        }
        let mut bytes = vec![0; size_of_val(numbers)];
        for (place, number) in zip(bytes.as_chunks_mut().0, numbers) {
            *place = number.to_le_bytes();
        }
        set(&mut accessor, "bufferView", self.view(bytes, usage)?);
        self.push("accessors", accessor)
    }

    /// Adds triangles over this many vertices.
    pub(super) fn indices(&mut self, triangles: &[[u32; 3]], vertices: usize) -> Result<usize> {
        let indices = triangles.as_flattened();
        // The largest index of a width has a special meaning for graphics cards.
        let is_narrow = vertices < usize::from(u16::MAX);
        let width = if is_narrow { 2 } else { 4 };
        let mut bytes = vec![0; indices.len().saturating_mul(width)];
        if is_narrow {
            for (place, index) in zip(bytes.as_chunks_mut().0, indices) {
                *place = u16::try_from(*index).unwrap_or(u16::MAX).to_le_bytes();
            }
        } else {
            for (place, index) in zip(bytes.as_chunks_mut().0, indices) {
                *place = index.to_le_bytes();
            }
        }
        let kind = if is_narrow { 5123 } else { 5125 };
        let count = indices.len();
        let view = self.view(bytes, Use::Indices)?;
        self.push("accessors", json!({ "bufferView": view, "componentType": kind, "count": count, "type": "SCALAR" }))
    }

    /// Adds the joints of vertices, all below `count`: as bytes where they fit.
    pub(super) fn joints(&mut self, joints: &[[u16; 4]], count: usize) -> Result<usize> {
        let all = joints.as_flattened();
        let is_narrow = count <= 256;
        let width = if is_narrow { 1 } else { 2 };
        let mut bytes = vec![0; all.len().saturating_mul(width)];
        if is_narrow {
            for (place, joint) in zip(&mut bytes, all) {
                *place = u8::try_from(*joint).unwrap_or(u8::MAX);
            }
        } else {
            for (place, joint) in zip(bytes.as_chunks_mut().0, all) {
                *place = joint.to_le_bytes();
            }
        }
        let kind = if is_narrow { 5121 } else { 5123 };
        let count = joints.len();
        let view = self.view(bytes, Use::Vertices)?;
        self.push("accessors", json!({ "bufferView": view, "componentType": kind, "count": count, "type": "VEC4" }))
    }

    /// Returns the whole file, in pieces.
    pub(super) fn finish(mut self, asset: &Json, scene: &Json) -> Result<Vec<Vec<u8>>> {
        if self.bytes > 0 {
            self.push("buffers", json!({ "byteLength": self.bytes }))?;
        }
        let mut document = vec![format!("{{\"asset\":{asset},\"scene\":0,\"scenes\":[{scene}]")];
        if !self.extensions.is_empty() {
            document.push(format!(",\"extensionsUsed\":{}", json!(self.extensions)));
        }
        for (name, list) in self.lists {
            document.extend([format!(",\"{name}\":["), list.text, "]".to_owned()]);
        }
        let mut end = String::from("}");
        let length = document.iter().map(String::len).sum::<usize>().saturating_add(1);
        let _ = write!(end, "{:1$}", "", length.next_multiple_of(4).saturating_sub(length));
        document.push(end);
        let length = length.next_multiple_of(4);
        let bin = if self.bytes > 0 { self.bytes.saturating_add(8) } else { 0 };
        let Ok(total) = u32::try_from(length.saturating_add(bin).saturating_add(20)) else {
            return Err(Error::unsupported("more than 4 GB, which binary glTF cannot hold"));
        };
        let mut file =
            vec![[&b"glTF"[..], &2_u32.to_le_bytes(), &total.to_le_bytes(), &part_length(length), b"JSON"].concat()];
        file.extend(document.into_iter().map(String::into_bytes));
        if self.bytes > 0 {
            file.push([&part_length(self.bytes)[..], b"BIN\0"].concat());
            file.append(&mut self.views);
        }
        Ok(file)
    }
}

/// The length of a part of the file, which is smaller than the whole.
fn part_length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

/// Returns the least and the greatest value of each component.
fn bounds_of(numbers: &[f32], size: usize) -> (Vec<f32>, Vec<f32>) {
    let mut least = vec![f32::INFINITY; size];
    let mut most = vec![f32::NEG_INFINITY; size];
    for element in numbers.chunks_exact(size) {
        for (component, (least, most)) in zip(element, zip(&mut least, &mut most)) {
            *least = least.min(*component);
            *most = most.max(*component);
        }
    }
    (least, most)
}
