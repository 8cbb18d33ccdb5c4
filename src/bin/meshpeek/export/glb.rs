//! The parts of a binary glTF file: its arrays, and the document that tells what they are.

use serde_json::{Map, Value as Json, json};

use meshpeek::{Budget, Error, Result};

/// A file in the making.
pub(super) struct Glb<'b> {
    budget: &'b Budget,
    bin: Vec<u8>,
    views: Vec<Json>,
    accessors: Vec<Json>,
    /// The lists of the document by their names.
    lists: Map<String, Json>,
    extensions: std::collections::BTreeSet<&'static str>,
}

/// What an array is for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Use {
    Vertices,
    Indices,
    Other,
}

impl<'b> Glb<'b> {
    pub(super) fn new(budget: &'b Budget) -> Self {
        Self {
            budget,
            bin: Vec::new(),
            views: Vec::new(),
            accessors: Vec::new(),
            lists: Map::new(),
            extensions: std::collections::BTreeSet::new(),
        }
    }

    /// Adds to one of the lists; the place there.
    pub(super) fn push(&mut self, list: &str, item: Json) -> usize {
        let list = self.lists.entry(list).or_insert_with(|| Json::Array(Vec::new()));
        let items = list.as_array_mut().expect("lists are arrays");
        items.push(item);
        items.len() - 1
    }

    pub(super) fn uses(&mut self, extension: &'static str) {
        self.extensions.insert(extension);
    }

    /// A piece of the binary part; the place of its view.
    pub(super) fn view(&mut self, bytes: &[u8], usage: Use) -> Result<usize> {
        self.budget.output(bytes.len() as u64)?;
        while !self.bin.len().is_multiple_of(4) {
            self.bin.push(0);
        }
        let mut view = json!({ "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len() });
        match usage {
            Use::Vertices => view["target"] = 34962.into(),
            Use::Indices => view["target"] = 34963.into(),
            Use::Other => {}
        }
        self.bin.extend_from_slice(bytes);
        self.views.push(view);
        Ok(self.views.len() - 1)
    }

    /// An array of floats, `N` an element, with its bounds where glTF wants them.
    pub(super) fn floats<const N: usize>(&mut self, list: &[[f32; N]], usage: Use, bounds: bool) -> Result<usize> {
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"].get(N - 1).copied().unwrap_or("MAT4");
        let bytes: Vec<u8> = list.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        let mut accessor = json!({ "componentType": 5126, "count": list.len(), "type": kind });
        if bounds {
            let fold = |start: f32, pick: fn(f32, f32) -> f32| {
                (0..N).map(|axis| list.iter().fold(start, |all, one| pick(all, one[axis]))).collect::<Vec<f32>>()
            };
            accessor["min"] = json!(fold(f32::INFINITY, f32::min));
            accessor["max"] = json!(fold(f32::NEG_INFINITY, f32::max));
        }
        self.accessor(accessor, &bytes, usage)
    }

    pub(super) fn indices(&mut self, triangles: &[[u32; 3]], vertices: usize) -> Result<usize> {
        // The last number of a width means something else to graphics cards.
        let narrow = vertices < usize::from(u16::MAX);
        let all = triangles.iter().flatten();
        let bytes: Vec<u8> = match narrow {
            true => all.flat_map(|&index| (index as u16).to_le_bytes()).collect(),
            false => all.flat_map(|index| index.to_le_bytes()).collect(),
        };
        let kind = if narrow { 5123 } else { 5125 };
        self.accessor(
            json!({ "componentType": kind, "count": triangles.len() * 3, "type": "SCALAR" }),
            &bytes,
            Use::Indices,
        )
    }

    pub(super) fn joints(&mut self, joints: &[[u16; 4]]) -> Result<usize> {
        let bytes: Vec<u8> = joints.iter().flatten().flat_map(|joint| joint.to_le_bytes()).collect();
        self.accessor(json!({ "componentType": 5123, "count": joints.len(), "type": "VEC4" }), &bytes, Use::Vertices)
    }

    fn accessor(&mut self, mut accessor: Json, bytes: &[u8], usage: Use) -> Result<usize> {
        accessor["bufferView"] = self.view(bytes, usage)?.into();
        self.accessors.push(accessor);
        Ok(self.accessors.len() - 1)
    }

    /// The whole file.
    pub(super) fn finish(mut self, asset: Json, scene: Json) -> Result<Vec<u8>> {
        let mut document = Map::new();
        document.insert("asset".to_owned(), asset);
        if !self.extensions.is_empty() {
            document.insert("extensionsUsed".to_owned(), json!(self.extensions));
        }
        document.insert("scene".to_owned(), 0.into());
        document.insert("scenes".to_owned(), json!([scene]));
        document.append(&mut self.lists);
        while !self.bin.len().is_multiple_of(4) {
            self.bin.push(0);
        }
        if !self.bin.is_empty() {
            document.insert("accessors".to_owned(), Json::Array(self.accessors));
            document.insert("bufferViews".to_owned(), Json::Array(self.views));
            document.insert("buffers".to_owned(), json!([{ "byteLength": self.bin.len() }]));
        }
        document.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
        let mut json = Json::Object(document).to_string().into_bytes();
        self.budget.output(json.len() as u64)?;
        while !json.len().is_multiple_of(4) {
            json.push(b' ');
        }
        let bin = if self.bin.is_empty() { 0 } else { 8 + self.bin.len() };
        let total = u32::try_from(20 + json.len() + bin);
        let total = total.map_err(|_| Error::unsupported("more than 4 GB, which binary glTF cannot hold"))?;
        let length = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
        let mut file = [&b"glTF"[..], &2_u32.to_le_bytes(), &total.to_le_bytes(), &length(&json), b"JSON"].concat();
        file.append(&mut json);
        if !self.bin.is_empty() {
            file.extend_from_slice(&length(&self.bin));
            file.extend_from_slice(b"BIN\0");
            file.append(&mut self.bin);
        }
        Ok(file)
    }
}
