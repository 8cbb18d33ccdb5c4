//! The columns of the tables.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};

use super::answers::{Differences, Dupes, Refs};
use super::assets::{self, References, Stored, blocks, bounds, counts, digests};
use super::cells::{Column as _, Flag, Int, Long, OrNull, Text, Time, item};
use super::flat::{Files, Lods, Problems};
use super::geometry::Geometry;
use super::plain::{Arrays, Members, Parts};
use meshpeek::scan::Views;

/// The version of the tables' columns, in the schema's metadata as `meshpeek.schema`.
pub const SCHEMA: u32 = 2;

/// A table of the assets that a scan finds, or of the answers of another verb.
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
    /// The LODs of each ODOL and MLOD model.
    Lods,
    /// The problems of each asset.
    Problems,
    /// The files found, assets or not.
    Files,
    /// The triangles of each model: a row for each material in each mesh.
    Geometry,
    /// The references of assets and the files that they mean.
    Refs,
    /// The copies of assets that occur more than once.
    Dupes,
    /// The differences between two assets, archives or folders.
    Diff,
}

impl Table {
    /// All tables.
    pub const ALL: &[Self] = &[
        Self::Assets,
        Self::Members,
        Self::Parts,
        Self::Arrays,
        Self::Lods,
        Self::Problems,
        Self::Files,
        Self::Geometry,
        Self::Refs,
        Self::Dupes,
        Self::Diff,
    ];

    /// The tables of a scan that describe assets.
    pub const OF_SCAN: &[Self] =
        &[Self::Assets, Self::Members, Self::Parts, Self::Arrays, Self::Lods, Self::Problems, Self::Files];

    /// Its name. Files in a folder of tables have this name too.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Assets => "assets",
            Self::Members => "members",
            Self::Parts => "parts",
            Self::Arrays => "arrays",
            Self::Lods => "lods",
            Self::Problems => "problems",
            Self::Files => "files",
            Self::Geometry => "geometry",
            Self::Refs => "refs",
            Self::Dupes => "dupes",
            Self::Diff => "diff",
        }
    }

    /// What its rows need to read: set [`Scan::views`](meshpeek::scan::Scan::views) to the greatest of a scan's tables.
    pub const fn views(self) -> Views {
        match self {
            Self::Geometry => Views::Arrays,
            Self::Parts | Self::Arrays | Self::Lods => Views::Outlines,
            _ => Views::Records,
        }
    }

    /// Its columns.
    pub fn schema(self) -> SchemaRef {
        let fields = match self {
            Self::Assets => of_assets(),
            Self::Members => Members::fields(),
            Self::Parts => Parts::fields(),
            Self::Arrays => Arrays::fields(),
            Self::Lods => Lods::fields(),
            Self::Problems => Problems::fields(),
            Self::Files => Files::fields(),
            Self::Geometry => Geometry::fields(),
            Self::Refs => Refs::fields(),
            Self::Dupes => Dupes::fields(),
            Self::Diff => Differences::fields(),
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

fn of_assets() -> Vec<Field> {
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
        list("problems", DataType::Struct(assets::Problems::fields().into())),
        group("digests", digests()).with_nullable(true),
        group("stored", Stored::fields().into()).with_nullable(true),
        OrNull::<Text>::field("prefix"),
        OrNull::<Text>::field("stamp"),
        OrNull::<Time>::field("mtime"),
    ]
}
