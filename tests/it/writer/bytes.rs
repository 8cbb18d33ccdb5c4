//! Bytes written field by field, with marks to damage single fields later.

use std::collections::HashMap;

#[derive(Clone, Default)]
pub struct Bytes {
    data: Vec<u8>,
    marks: HashMap<&'static str, usize>,
}

impl Bytes {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn raw(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.data.extend_from_slice(bytes.as_ref());
        self
    }

    pub fn u8(self, value: u8) -> Self {
        self.raw([value])
    }

    pub fn u32(self, value: u32) -> Self {
        self.raw(value.to_le_bytes())
    }

    pub fn i32(self, value: i32) -> Self {
        self.raw(value.to_le_bytes())
    }

    pub fn f32(self, value: f32) -> Self {
        self.raw(value.to_le_bytes())
    }

    pub fn i32s(self, values: impl IntoIterator<Item = i32>) -> Self {
        values.into_iter().fold(self, Self::i32)
    }

    pub fn f32s(self, values: impl IntoIterator<Item = f32>) -> Self {
        values.into_iter().fold(self, Self::f32)
    }

    /// A text and its NUL.
    pub fn cstr(self, text: impl AsRef<[u8]>) -> Self {
        self.raw(text).u8(0)
    }

    /// Names the position of the next field.
    pub fn mark(mut self, name: &'static str) -> Self {
        self.marks.insert(name, self.data.len());
        self
    }

    /// Returns the position of a named field.
    pub fn at(&self, name: &str) -> usize {
        self.marks[name]
    }

    /// Returns all names, ordered by position.
    pub fn marks(&self) -> Vec<&'static str> {
        let mut marks: Vec<_> = self.marks.keys().copied().collect();
        marks.sort_by_key(|mark| (self.marks[mark], *mark));
        marks
    }

    /// Overwrites a named field.
    pub fn set(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.poke(name, 0, bytes)
    }

    /// Overwrites bytes at a distance from a named field's start.
    pub fn poke(mut self, name: &str, distance: usize, bytes: impl AsRef<[u8]>) -> Self {
        let at = self.at(name) + distance;
        self.data[at..at + bytes.as_ref().len()].copy_from_slice(bytes.as_ref());
        self
    }

    pub fn len(&self) -> usize {
        self.data.len()
    }

    pub fn to_vec(&self) -> Vec<u8> {
        self.data.clone()
    }

    /// Appends a part with its own marks.
    pub fn part(mut self, part: &Bytes) -> Self {
        let base = self.data.len();
        self.marks.extend(part.marks.iter().map(|(&name, &at)| (name, base + at)));
        self.raw(&part.data)
    }
}
