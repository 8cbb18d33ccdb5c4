//! Record definitions: grammars of nom parsers.
//!
//! A grammar lists the fields of a record in the order of the file, as the document of its format does. Right of `=` stands
//! the nom parser that reads the field. From the list follow the struct, its docs and its [parser](Of), the places in its
//! errors, its [`Schema`], its outline and its dissection:
//!
//! ```text
//! grammar! {
//!     /// One texture of a material.
//!     Stage<'a>(form: StageForm) named texture {
//!         /// How the texture is sampled.
//!         #[label("TextureFilter")] filter: Filter = le_u32().map(Filter),
//!         /// The texture file.
//!         #[label("PaaTexture")] texture: ByteStr<'a> = text_to_nul(),
//!         /// The kind of blending.
//!         kind: u8 = verify(le_u8(), known),
//!         /// Textures for other purposes.
//!         others: List<'a, Other<'a>, Form> = length_count(le_u32(), Other::parser(form.other())),
//!         /// Index of the material's transform.
//!         #[rule(Range(0, 128))]
//!         transform: Option<u32> = cond(form.has_transforms, le_u32()),
//!         /// Strength of the reflection.
//!         strength: f32,
//!         /// Number of stages in the material.
//!         let stage_count: u32 = form.stage_count;
//!     }
//! }
//! ```
//!
//! A parser may be left out for a number whose type says how it is stored. `let` is a value that takes no bytes. Parsers may
//! use the record's context (`form`), the fields before theirs, and `?`. A condition stands outermost, because the schema
//! prints it.
//!
//! Before a field stand, in this order:
//!
//! - its docs;
//! - `#[rule(..)]`, the values that it has in a valid file; see [`Rule`]. Readers ignore it, [`verify`] checks it;
//! - `#[codes(..)]`, the type that gives a number its meanings;
//! - `#[label(..)]`, its name in the format's own document.
//!
//! `named` names the field that identifies a record in a list. `also` adds values to outlines that are not stored. A record
//! without a lifetime borrows nothing. `crate` before the name hides the parser, because its context comes from the record
//! around it. In the public API, a format has one context. `wire!` defines records of fixed size, which are read in place;
//! its fields have the same attributes.
//!
//! # Parsers
//!
//! | to read | write |
//! | --- | --- |
//! | a number, a code, flags | `le_u16()`, `le_u32().map(Kind)` |
//! | several numbers | `times(le_f32())` |
//! | a text | `text_to_nul()`, `text(bytes)` |
//! | a record in place | `in_place()`; `inline(in_place())` shows its fields as fields of this record |
//! | a small value in place | `by_value()` |
//! | an array in place | `array(count)`, `length_array(le_u32())`, `rest_array()`, `interleaved(layout)` |
//! | a list of records | `count(Part::parser(), n)`, `length_count(le_u32(), Part::parser())`, `many_while`, `many_till` |
//! | a list up to the end, item by item on request | `rest_count("parts", Part::parser(), n)` |
//! | what follows a count in another form | `counted(le_u32(), move \|count\| ..)` |
//! | what only some files have | `cond(condition, ..)` |
//! | what may be invalid | `verify(.., check)`, `map_res(.., convert)` |
//! | one of several forms | a function `move \|input\| match .. { .. }` in nom's form |
//!
//! `framing`, `external`, `described` and `stored_as` change how outlines show a field. nom's own combinators fit, too: those
//! of this crate have their names and form, and exist where nom's cannot name an absent field, keep the text and place of an
//! error, read in place, or are not inlined. [`Grammar`] is nom's `Parser` for a [`Cursor`] that can describe what it reads;
//! every nom function `fn(Cursor) -> IResult<Cursor, T, Error>` is one.
//!
//! A type that lists contain, or that describes itself in a way of its own, implements [`Read`].
//!
//! # Why a macro, and not plain functions
//!
//! One function walks a record and passes each field to a [`Sink`]: [`Silent`] for reading, an [`Outline`] for describing. No
//! record stores the locations of its fields. The other form was tried on the heads of nodes (b3d) and the entries of a header
//! (pbo): an input that carries the sink, so that a grammar is a plain nom function:
//!
//! ```text
//! fn node_head<'a, S: Sink>(input: At<'a, S>) -> IResult<At<'a, S>, NodeHead<'a>, Error> {
//!     let (input, name) = field("name", text_to_nul()).parse(input)?;
//!     let (input, transform) = inline(in_place()).parse(input)?;
//!     Ok((input, NodeHead { name, transform }))
//! }
//! ```
//!
//! It takes 56 and 129 instructions a record, where the macro's takes 68 and 135, and 515 and 718 bytes of code instead of 562
//! and 588. So neither size nor speed decides. The macro was chosen because the function names each field three times and
//! still needs a schema beside it, which no compiler compares with it. A part of an outline also needs its label and length
//! before its fields, and an alternative that fails has described fields by then; both mean reading a record twice, which
//! the macro does in one place.
//!
//! These are declarative macros, not derives, so they need no separate crate, and parsers and conditions are plain code
//! instead of attribute strings.
//!
//! [`verify`]: crate::inspect::Inspect::verify

pub(crate) mod codes;
mod fixed;
mod grammar;
pub(crate) mod interleaved;
// Some items are unused if only some formats are enabled.
pub(crate) mod list;
mod optional;
pub(crate) mod parser;
mod plain;
mod read;

pub(crate) use fixed::{Fixed, Framing};
pub(crate) use fixed::{describe_count, describe_fixed, describe_opaque, describe_rows, wire};
pub(crate) use grammar::{field_info, grammar};
pub use interleaved::{Interleaved, Layout};
pub use list::List;
pub(crate) use optional::optional;
pub(crate) use plain::plain;
pub use read::Of;
pub(crate) use read::{Read, Record, Stored};
pub(crate) use read::{describe_fields, walk_part};

#[allow(unreachable_pub)]
#[cfg(test)]
mod tests {
    use nom::Parser as _;
    use zerocopy::little_endian::U16;

    use super::*;
    use crate::base::error::{Error, Result};
    use crate::base::span::Span;
    use crate::base::text::ByteStr;
    use crate::bytes::LeArray;
    use crate::bytes::cursor::Cursor;
    use crate::outline::Visitor;
    use crate::outline::{Field, Outline, Part, PartArray};
    use crate::record::List;
    use crate::record::parser::{array, cond, le_u8, le_u32, length_count, of, text_to_nul, verify};

    grammar! {
        /// A toy.
        Toy<'a>(version: u32) named name {
            /// Its name.
            #[label("ToyName")] name: ByteStr<'a> = text_to_nul(),
            /// How many wheels.
            #[label("nWheels")] wheels: u8 = verify(le_u8(), at_most_four),
            /// Its wheels.
            sizes: LeArray<'a, U16> = array(wheels),
            /// Its location.
            place: Option<[f32; 3]> = cond(version >= 2, of(())),
            /// Its contents.
            #[label("Parts")]
            parts: Option<List<'a, ByteStr<'a>>> = cond(version >= 2 && wheels > 0, length_count(le_u32(), text_to_nul())),
        }
        also |toy, out| out.field("length", toy.name.len())
    }

    fn at_most_four(wheels: &u8) -> Result<()> {
        if *wheels <= 4 { Ok(()) } else { Err(Error::malformed(format!("{wheels} wheels"))) }
    }

    const SMALL: &[u8] = b"car\0\x02\x05\0\x06\0";
    const LARGE: &[u8] = b"car\0\x01\x05\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\x02\0\0\0a\0bc\0";

    #[test]
    fn fields_are_read_in_order_and_gates_name_earlier_fields() {
        let small = Toy::read(&mut Cursor::new(SMALL), 1).unwrap();
        assert_eq!((small.name, small.wheels, small.sizes.len()), ("car".into(), 2, 2));
        assert_eq!((small.place, small.parts.is_none()), (None, true));
        let mut cursor = Cursor::new(LARGE);
        let large = Toy::read(&mut cursor, 2).unwrap();
        assert!(cursor.is_empty());
        assert_eq!((large.place, large.parts.unwrap().len()), (Some([1.0, 2.0, 3.0]), 2));
    }

    #[test]
    fn errors_name_the_field_and_the_item() {
        let error = |bytes: &[u8], version| Toy::read(&mut Cursor::new(bytes), version).unwrap_err().to_string();
        assert_eq!(error(b"car\0\x05", 1), "wheels at 0x4: 5 wheels");
        assert_eq!(error(b"car\0\x03\0\0", 1), "sizes at 0x5: needs 6 bytes, 2 left");
        assert_eq!(error(&LARGE[..LARGE.len() - 1], 2), "parts[1] at 0x19: text without its closing NUL");
        let many = [&LARGE[..19], b"\xff\0\0\0a\0"].concat();
        assert_eq!(error(&many, 2), "parts at 0x17: needs 255 bytes, 2 left");
    }

    #[test]
    fn a_record_is_a_parser_that_keeps_its_errors() {
        let parse = |bytes: &[u8], version: u32| {
            let toys = nom::multi::length_count(nom::number::complete::u8, Toy::parser(version));
            let toys = nom::sequence::preceded(nom::bytes::complete::tag("toys"), toys);
            Cursor::with_offset(bytes, 0x10).parse(toys.map(|toys| toys.len()))
        };
        assert_eq!(parse(&[b"toys\x02", SMALL, LARGE].concat(), 1).unwrap(), 2);
        let error = parse(&[b"toys\x01", &LARGE[..10]].concat(), 2).unwrap_err();
        assert_eq!(error.to_string(), "place at 0x1c: needs 12 bytes, 3 left");
    }

    #[test]
    fn the_schema_matches_the_source() {
        let schema = Toy::SCHEMA;
        assert_eq!((schema.name, schema.doc), ("Toy", " A toy."));
        let fields: Vec<_> = schema
            .fields
            .iter()
            .map(|field| (field.name, field.spec, field.kind.to_string(), field.kind.min(), field.gate))
            .collect();
        let text = |text: &str| text.to_owned();
        assert_eq!(
            fields,
            [
                ("name", Some("ToyName"), text("text up to NUL"), 1, None),
                ("wheels", Some("nWheels"), text("u8"), 1, None),
                ("sizes", None, text("u16[]"), 0, None),
                ("place", None, text("f32[3]"), 12, Some("version >= 2")),
                ("parts", Some("Parts"), text("text up to NUL[]"), 4, Some("version >= 2 && wheels > 0")),
            ]
        );
        assert_eq!((schema.min(), schema.byte_len()), (2, None));
    }

    /// Records the fields of an outline with their locations.
    #[derive(Default)]
    struct Recorder(Vec<(String, Option<Span>)>);

    impl Visitor for Recorder {
        fn open(&mut self, part: &Part<'_>) -> bool {
            self.0.push((format!("{}: {}", part.name, part.label.unwrap()), part.span));
            true
        }

        fn field(&mut self, field: Field<'_>) {
            let framing = if field.is_framing() { " (framing)" } else { "" };
            self.0.push((format!("{}{framing}", field.name), field.stored.map(|stored| stored.span)));
        }

        fn array(&mut self, array: &PartArray<'_>) {
            self.0.push((array.name.to_owned(), Some(array.table.storage().span())));
        }

        fn problem(&mut self, error: &Error) {
            panic!("{error}");
        }
    }

    #[test]
    fn every_field_is_described_at_its_offset() {
        let mut recorder = Recorder::default();
        let mut cursor = Cursor::with_offset(LARGE, 0x10);
        Toy::walk(&mut cursor, 2, "toy", &mut Outline::new(&mut recorder)).unwrap();
        let at = |offset, bytes| Some(Span { offset, bytes });
        let lines: Vec<_> = recorder.0.iter().map(|(name, span)| (name.as_str(), *span)).collect();
        let expected = [
            ("toy: car", at(0x10, 28)),
            ("name", at(0x10, 4)),
            ("wheels", at(0x14, 1)),
            ("sizes", at(0x15, 2)),
            ("place", at(0x17, 12)),
            ("parts (framing)", at(0x23, 4)),
            ("parts", at(0x27, 5)),
            ("length", None),
        ];
        assert_eq!(lines, expected);
        let mut recorder = Recorder::default();
        Toy::walk(&mut Cursor::new(SMALL), 1, "toy", &mut Outline::new(&mut recorder)).unwrap();
        let names: Vec<_> = recorder.0.iter().map(|(name, _)| name.as_str()).collect();
        // A missing list of texts is shown as absent, as a missing number is.
        assert_eq!(names, ["toy: car", "name", "wheels", "sizes", "place", "parts", "length"]);
    }
}
