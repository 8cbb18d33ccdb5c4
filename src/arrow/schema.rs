//! The columns of the tables.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};

use super::assets::{Problems, References, Stored, blocks, bounds, counts, digests};
use super::cells::{Column as _, Flag, Int, Long, OrNull, Text, item};
use super::plain::{Arrays, Members, Parts};
use crate::base::named::named;

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
