//! Files of all formats with changed fields, arrays and gaps, found by the dissection. If bytes are mutated blindly,
//! most inputs end at a signature or a length.

use std::sync::OnceLock;

use meshpeek::dissect::{LineKind, dissect};
use meshpeek::inspect::Span;
use meshpeek::{Asset, Format};

use crate::TARGETS;
use crate::recipe::Recipe;
use crate::writer::{corpus, odol};

/// The maximum size of a file to change.
const LARGEST: usize = 1 << 14;

struct Base {
    bytes: Vec<u8>,
    fields: Vec<Span>,
    /// Arrays and gaps.
    others: Vec<Span>,
}

/// Selects a file, then how to change each of a few locations.
pub fn run(data: &[u8]) {
    let (_, bytes) = bent(data);
    // Both kinds of animations have one target.
    let format = Format::sniff(&bytes).map(|format| if format == Format::Bmtr { Format::Rtm } else { format });
    let target = TARGETS.iter().find(|(name, _)| format.is_some_and(|format| format.name() == *name));
    target.map_or(crate::any::run as fn(&[u8]), |(_, run)| *run)(&bytes);
    crate::geometry::run(&bytes);
}

/// Selects a file and changes it according to the choices.
pub fn bent(data: &[u8]) -> (&'static [u8], Vec<u8>) {
    let mut recipe = Recipe::odd(data);
    let bases = bases();
    let base = &bases[short(&mut recipe) % bases.len()];
    let mut bytes = base.bytes.clone();
    let mut bends: Vec<(Span, Bend)> = (0..1 + recipe.byte() % 4).filter_map(|_| base.choose(&mut recipe)).collect();
    // From the end on, so that offsets stay valid. Of two changes at one location, the first counts.
    bends.sort_by_key(|(span, _)| std::cmp::Reverse(span.offset));
    bends.dedup_by_key(|(span, _)| span.offset);
    for (span, bend) in bends {
        bend.apply(&mut bytes, span);
    }
    (&base.bytes, bytes)
}

fn short(recipe: &mut Recipe<'_>) -> usize {
    usize::from(u16::from_be_bytes([recipe.byte(), recipe.byte()]))
}

enum Bend {
    /// Replaces the first bytes.
    Over(Vec<u8>),
    /// Adds this to a number of the field's width.
    Add(u64),
    Twice,
    Gone,
}

impl Bend {
    fn apply(self, bytes: &mut Vec<u8>, span: Span) {
        let start = span.offset as usize;
        let end = start + span.bytes as usize;
        match self {
            Self::Over(new) => bytes[start..end].iter_mut().zip(new).for_each(|(byte, new)| *byte = new),
            Self::Add(more) => {
                let field = &mut bytes[start..end.min(start + 8)];
                let mut wide = [0; 8];
                wide[..field.len()].copy_from_slice(field);
                let sum = u64::from_le_bytes(wide).wrapping_add(more).to_le_bytes();
                field.copy_from_slice(&sum[..field.len()]);
            }
            Self::Twice => {
                let again = bytes[start..end].to_vec();
                bytes.splice(end..end, again);
            }
            Self::Gone => {
                bytes.drain(start..end);
            }
        }
    }
}

impl Base {
    fn new(bytes: Vec<u8>) -> Option<Self> {
        let (mut fields, mut others) = (Vec::new(), Vec::new());
        let asset = Asset::parse(&bytes).ok()?;
        dissect(&asset, bytes.len() as u64, &mut |line| {
            let Some(span) = line.span.filter(|span| span.bytes > 0) else { return };
            match line.kind {
                LineKind::Field => fields.push(span),
                LineKind::Array | LineKind::Gap => others.push(span),
                _ => {}
            }
        });
        Some(Self { bytes, fields, others })
    }

    fn choose(&self, recipe: &mut Recipe<'_>) -> Option<(Span, Bend)> {
        let how = recipe.byte();
        let places = if how & 0x80 == 0 { &self.fields } else { &self.others };
        let span = *places.get(short(recipe) % places.len().max(1))?;
        let bend = match how % 16 {
            0 => Bend::Over(vec![0; 8]),
            1 => Bend::Over(vec![0xff; 8]),
            2 => Bend::Over(vec![0xff, 0xff, 0xff, 0x7f]),
            3 => Bend::Over(self.bytes.len().to_le_bytes().to_vec()),
            4 => Bend::Add(1),
            5 => Bend::Add(u64::MAX),
            6 => Bend::Add(recipe.byte().into()),
            7 => Bend::Add(u64::from(recipe.byte()) << 8),
            8 => Bend::Twice,
            9 => Bend::Gone,
            _ => Bend::Over(recipe.take(how % 16).to_vec()),
        };
        Some((span, bend))
    }
}

fn bases() -> &'static [Base] {
    static BASES: OnceLock<Vec<Base>> = OnceLock::new();
    BASES.get_or_init(|| {
        let models = [7].into_iter().chain(40..=75).map(|version| odol::whole(version, 4).to_vec());
        let small = corpus().into_iter().map(|(_, bytes)| bytes).chain(models);
        small.filter(|bytes| bytes.len() <= LARGEST).filter_map(Base::new).collect()
    })
}
