//! The columns of the tables.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};

use super::assets::{Problems, References, Stored};
use super::cells::{Column as _, Flag, Float, Int, Long, OrNull, Text};
use super::plain::{Arrays, Members, Parts};
use crate::format::Format;
use crate::named::named;

/// The version of the tables' columns, in the schema's metadata as `meshpeek.schema`.
pub const SCHEMA: u32 = 2;

named! {
    /// A table of what a scan finds.
    #[non_exhaustive]
    pub enum Table {
        /// The records.
        Assets = "assets",
        /// What lies in archives, assets or not.
        Members = "members",
        /// The parts of each asset's outline, those inside a part before it.
        Parts = "parts",
        /// The arrays of each asset.
        Arrays = "arrays",
    }
}

impl Table {
    /// All tables.
    pub const ALL: &[Self] = &[Self::Assets, Self::Members, Self::Parts, Self::Arrays];

    /// Its columns.
    pub fn schema(self) -> SchemaRef {
        let fields = match self {
            Self::Assets => assets(),
            Self::Members => Members::fields(),
            Self::Parts => Parts::fields(),
            Self::Arrays => Arrays::fields(),
        };
        let metadata = [("meshpeek.schema", SCHEMA.to_string()), ("meshpeek.table", self.name().to_owned())];
        let metadata: HashMap<_, _> = metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        Arc::new(Schema::new_with_metadata(fields, metadata))
    }
}

/// The byte streams that any format has digests of, that of its own bytes first.
pub(super) const DIGESTS: [&str; 8] =
    ["file", "positions", "indices", "uvs", "normals", "faces", "times", "transforms"];

/// The counts of all formats.
pub(super) fn count_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for &name in Format::ALL.iter().flat_map(|format| format.count_names()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn group(name: &str, fields: Fields) -> Field {
    Field::new(name, DataType::Struct(fields), false)
}

/// The items of a list.
pub(super) fn item(kind: DataType) -> Arc<Field> {
    Arc::new(Field::new("element", kind, false))
}

fn list(name: &str, kind: DataType) -> Field {
    Field::new(name, DataType::List(item(kind)), false)
}

pub(super) fn counts() -> Fields {
    count_names().into_iter().map(OrNull::<Long>::field).collect()
}

pub(super) fn bounds() -> Fields {
    ["xmin", "ymin", "zmin", "xmax", "ymax", "zmax"].into_iter().map(Float::field).collect()
}

pub(super) fn blocks() -> Fields {
    ["stored_blocks", "packed_blocks", "packed_bytes", "unpacked_bytes"].into_iter().map(Long::field).collect()
}

pub(super) fn digests() -> Fields {
    DIGESTS.into_iter().map(OrNull::<Text>::field).collect()
}

fn assets() -> Vec<Field> {
    vec![
        Text::field("path"),
        OrNull::<Text>::field("member"),
        Flag::field("lossy"),
        OrNull::<Text>::field("format"),
        OrNull::<Int>::field("version"),
        OrNull::<Long>::field("bytes"),
        group("counts", counts()),
        group("bounds", bounds()).with_nullable(true),
        list("refs", DataType::Struct(References::fields().into())),
        group("blocks", blocks()),
        list("problems", DataType::Struct(Problems::fields().into())),
        group("digests", digests()).with_nullable(true),
        group("stored", Stored::fields().into()).with_nullable(true),
        OrNull::<Text>::field("prefix"),
        OrNull::<Text>::field("stamp"),
    ]
}
