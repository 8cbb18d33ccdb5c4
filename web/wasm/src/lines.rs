//! The tree of a file, line by line: numbers for the page's list, and each line as JSON.

use std::ops::ControlFlow;

use meshpeek::Asset;
use meshpeek::container::{Container, Form, Member};
use meshpeek::dissect::{Line, LineKind, dissect_unread, dissect_until};
use meshpeek::inspect::Inspect;
use meshpeek::json::Row;

use crate::Result;
use crate::node::Node;

/// The most bytes of JSON that are kept for one file. Later lines are left out.
const MOST: usize = 256 << 20;

/// The bytes of a header in a zip archive that are read at first, besides the name, and those of a descriptor.
const HEADER: u64 = 30 + 64;
const DESCRIPTOR: u64 = 16;
/// Packed members of a PBO up to this size are decoded for the tree of a large archive.
const MOST_PACKED: u64 = 16 << 20;

#[derive(Default)]
pub(crate) struct Lines {
    pub(crate) depths: Vec<u32>,
    pub(crate) offsets: Vec<f64>,
    pub(crate) bytes: Vec<f64>,
    pub(crate) kinds: Vec<u8>,
    text: Vec<u8>,
    /// The end of the JSON of each line.
    ends: Vec<u32>,
    is_cut: bool,
}

impl Lines {
    pub(crate) fn of(node: &Node) -> Result<Self> {
        match (node.error(), node.in_memory()) {
            (Some(error), Some(bytes)) => {
                let mut lines = Self::default();
                dissect_unread(bytes, error, &mut |line| lines.add(line));
                Ok(lines)
            }
            _ if node.is_in_ranges() && Self::needs_little(node)? => node.ask_here(Self::of_asset),
            _ => node.ask(Self::of_asset),
        }
    }

    fn of_asset(asset: &Asset<'_>) -> Result<Self> {
        let mut lines = Self::default();
        dissect_until(asset, asset.size(), &mut |line| lines.add(line));
        Ok(lines)
    }

    /// Reads the ranges that the tree of a large archive needs. Returns true if the rest is not to be read: the
    /// streams of packed members. The tree then has the sizes that the archive claims.
    fn needs_little(node: &Node) -> Result<bool> {
        let wanted = node.ask(|asset| {
            let (mut headers, mut packed) = (Vec::new(), 0_u64);
            for member in Container::of(asset).into_iter().flat_map(|container| container.members()) {
                let Ok(member) = member else { break };
                match member {
                    Member::Zip(member) => {
                        let start = member.header_offset().min(asset.size());
                        // The descriptor of the member before it, its own header, names and extra fields.
                        let bytes = HEADER.saturating_add(member.name().len() as u64);
                        headers.push(start.saturating_sub(DESCRIPTOR)..start.saturating_add(bytes).min(asset.size()));
                    }
                    member if member.form() != Form::InPlace => {
                        packed = packed.saturating_add(member.stored_byte_len())
                    }
                    _ => {}
                }
            }
            Ok((headers, packed))
        });
        let (headers, packed) = wanted?;
        node.fetch(&headers)?;
        if packed > MOST_PACKED {
            // Reads what follows the members.
            node.ask(|asset| match asset {
                Asset::Pbo(archive) => archive.tail().map(drop),
                _ => Ok(()),
            })?;
        }
        Ok(packed > MOST_PACKED)
    }

    fn add(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        if self.text.len() > MOST || serde_json::to_writer(&mut self.text, &Row(line)).is_err() {
            self.is_cut = true;
            return ControlFlow::Break(());
        }
        self.depths.push(u32::try_from(line.depth).unwrap_or(u32::MAX));
        self.offsets.push(line.span.map_or(-1.0, |span| span.offset as f64));
        self.bytes.push(line.span.map_or(0.0, |span| span.bytes as f64));
        self.kinds.push(match line.kind {
            _ if line.name == "problem" => 4,
            LineKind::Part => 0,
            LineKind::Field => 1,
            LineKind::Array => 2,
            _ => 3,
        });
        self.ends.push(self.text.len() as u32);
        ControlFlow::Continue(())
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// A line as JSON.
    pub(crate) fn row(&self, line: usize) -> &str {
        let start = line.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(line).copied().unwrap_or(start);
        let row = self.text.get(start as usize..end as usize).unwrap_or_default();
        std::str::from_utf8(row).ok().filter(|row| !row.is_empty()).unwrap_or("null")
    }

    /// The line of this selector, else the first inside it.
    pub(crate) fn find(&self, selector: &str) -> Option<usize> {
        let wanted = serde_json::to_string(selector).ok()?;
        let wanted = wanted.trim_matches('"');
        let rest = |line: &usize| {
            let (_, rest) = self.row(*line).split_once("\"selector\":\"")?;
            rest.strip_prefix(wanted)
        };
        let all = || 0..self.len();
        let exact = all().find(|line| rest(line).is_some_and(|rest| rest.starts_with('"')));
        exact.or_else(|| all().find(|line| rest(line).is_some_and(|rest| rest.starts_with('/'))))
    }
}
