//! The columns of the tables.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};

use super::assets::{Problems, References, Stored};
use super::plain::{Arrays, Members, Parts};
use crate::format::Format;
use crate::named::named;

/// The version of the tables' columns, in the schema's metadata as `meshpeek.schema`.
pub const SCHEMA: u32 = 1;

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

fn text(name: &str) -> Field {
    Field::new(name, DataType::Utf8, false)
}

fn long(name: &str) -> Field {
    Field::new(name, DataType::Int64, false)
}

fn int(name: &str) -> Field {
    Field::new(name, DataType::Int32, false)
}

fn flag(name: &str) -> Field {
    Field::new(name, DataType::Boolean, false)
}

fn or_null(field: Field) -> Field {
    field.with_nullable(true)
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
    count_names().into_iter().map(|name| or_null(long(name))).collect()
}

pub(super) fn bounds() -> Fields {
    let names = ["xmin", "ymin", "zmin", "xmax", "ymax", "zmax"];
    names.into_iter().map(|name| Field::new(name, DataType::Float32, false)).collect()
}

pub(super) fn blocks() -> Fields {
    ["stored", "packed", "packed_bytes", "unpacked_bytes"].into_iter().map(long).collect()
}

pub(super) fn digests() -> Fields {
    DIGESTS.into_iter().map(|name| or_null(text(name))).collect()
}

fn assets() -> Vec<Field> {
    vec![
        text("path"),
        or_null(text("member")),
        flag("lossy"),
        or_null(text("format")),
        or_null(int("version")),
        or_null(long("bytes")),
        group("counts", counts()),
        or_null(group("bounds", bounds())),
        list("refs", DataType::Struct(References::fields().into())),
        group("blocks", blocks()),
        list("problems", DataType::Struct(Problems::fields().into())),
        or_null(group("digests", digests())),
        or_null(group("stored", Stored::fields().into())),
        or_null(text("prefix")),
        or_null(text("stamp")),
    ]
}
