//! The columns of the tables.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};

use super::assets::{Problems, References, Stored, blocks, bounds, counts, digests};
use super::cells::{Column as _, Flag, Int, Long, OrNull, Text, item};
use super::plain::{Arrays, Members, Parts};

/// The version of the tables' columns, in the schema's metadata as `meshpeek.schema`.
pub const SCHEMA: u32 = 2;

/// A table of the assets that a scan finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Table {
    /// The records.
    Assets,
    /// The members of archives, assets or not.
    Members,
    /// The parts of each asset's outline. Inner parts come before the part they are in.
    Parts,
    /// The arrays of each asset.
    Arrays,
}

impl Table {
    /// All tables.
    pub const ALL: &[Self] = &[Self::Assets, Self::Members, Self::Parts, Self::Arrays];

    /// Its name. Files in a folder of tables have this name too.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Assets => "assets",
            Self::Members => "members",
            Self::Parts => "parts",
            Self::Arrays => "arrays",
        }
    }

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

fn group(name: &str, fields: Fields) -> Field {
    Field::new(name, DataType::Struct(fields), false)
}

fn list(name: &str, kind: DataType) -> Field {
    Field::new(name, DataType::List(item(kind)), false)
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
