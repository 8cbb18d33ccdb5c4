//! The columns of the tables.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};

use super::answers::{Differences, Dupes, Refs};
use super::assets::Assets;
use super::cells::Rows;
use super::flat::{Files, Lods, Problems};
use super::geometry::Geometry;
use super::plain::{Arrays, Members, Parts};
use meshpeek::scan::Views;

/// The version of the tables' columns, in the schema's metadata as `meshpeek.schema`.
pub const SCHEMA: u32 = 2;

macro_rules! tables {
    ($($(#[$doc:meta])* $table:ident $name:literal of $rows:ty;)*) => {
        /// A table of the assets that a scan finds, or of the answers of another verb.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Table {
            $($(#[$doc])* $table,)*
        }

        impl Table {
            /// All tables.
            pub const ALL: &[Self] = &[$(Self::$table),*];

            /// Its name. Files in a folder of tables have this name too.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$table => $name,)*
                }
            }

            fn fields(self) -> Vec<Field> {
                match self {
                    $(Self::$table => <$rows>::fields(),)*
                }
            }

            /// Its rows, none so far.
            pub(super) fn rows(self) -> Box<dyn Rows> {
                match self {
                    $(Self::$table => Box::<$rows>::default(),)*
                }
            }
        }

        $(
            impl OfTable for $rows {
                const TABLE: Table = Table::$table;
            }
        )*
    };
}

/// The rows of a table.
pub(super) trait OfTable: Rows {
    const TABLE: Table;
}

tables! {
    /// The records.
    Assets "assets" of Assets;
    /// The members of archives, assets or not.
    Members "members" of Members;
    /// The parts of each asset's outline. Inner parts come before the part they are in.
    Parts "parts" of Parts;
    /// The arrays of each asset.
    Arrays "arrays" of Arrays;
    /// The LODs of each ODOL and MLOD model.
    Lods "lods" of Lods;
    /// The problems of each asset.
    Problems "problems" of Problems;
    /// The files found, assets or not.
    Files "files" of Files;
    /// The triangles of each model: a row for each material in each mesh.
    Geometry "geometry" of Geometry;
    /// The references of assets and the files that they mean.
    Refs "refs" of Refs;
    /// The copies of assets that occur more than once.
    Dupes "dupes" of Dupes;
    /// The differences between two assets, archives or folders.
    Diff "diff" of Differences;
}

impl Table {
    /// The tables of a scan that describe assets.
    pub const OF_SCAN: &[Self] =
        &[Self::Assets, Self::Members, Self::Parts, Self::Arrays, Self::Lods, Self::Problems, Self::Files];

    /// Returns how much its rows read. Set [`Scan::views`](meshpeek::scan::Scan::views) to the greatest of a scan's
    /// tables.
    pub const fn views(self) -> Views {
        match self {
            Self::Geometry => Views::Arrays,
            Self::Parts | Self::Arrays | Self::Lods => Views::Outlines,
            _ => Views::Records,
        }
    }

    /// Its columns.
    pub fn schema(self) -> SchemaRef {
        let metadata = HashMap::from([
            ("meshpeek.schema".to_owned(), SCHEMA.to_string()),
            ("meshpeek.table".to_owned(), self.name().to_owned()),
        ]);
        Arc::new(Schema::new_with_metadata(self.fields(), metadata))
    }
}
