//! Everything that is tested through the public face.

#[cfg(all(feature = "cli", target_os = "linux"))]
mod amplify;
mod budgets;
mod codec;
mod corpus;
mod depth;
mod dissect;
mod killers;
#[cfg(feature = "cli")]
mod limits;
mod memory;
mod mutate;
#[cfg(feature = "mmap")]
mod shrink;
#[cfg(all(feature = "cli", unix))]
mod special;
mod writer;

#[cfg(feature = "cli")]
mod address;
mod b3d;
mod bmx;
#[cfg(feature = "cli")]
mod bounds;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod diff;
#[cfg(feature = "cli")]
mod dupes;
#[cfg(feature = "owned")]
mod examples;
#[cfg(feature = "cli")]
mod export;
#[cfg(feature = "cli")]
mod fields;
#[cfg(feature = "geometry")]
mod geometry;
#[cfg(feature = "cli")]
mod goldens;
mod lodka;
mod mlod;
mod odol;
#[cfg(feature = "owned")]
mod owned;
mod pbo;
#[cfg(feature = "geometry")]
mod pose;
mod ranges;
#[cfg(feature = "cli")]
mod recipes;
#[cfg(feature = "cli")]
mod refs;
mod rtm;
mod scan;
mod schema;
#[cfg(feature = "cli")]
mod selectors;
#[cfg(feature = "cli")]
mod since;
#[cfg(all(feature = "cli", feature = "parquet"))]
mod tables;
#[cfg(all(feature = "cli", unix))]
mod units;
mod zip;

// What the fuzz targets do, so that it cannot rot unseen.
#[path = "../../fuzz/src/any.rs"]
mod any;
#[path = "../../fuzz/src/b3d.rs"]
mod fuzz_b3d;
#[path = "../../fuzz/src/lodka.rs"]
mod fuzz_lodka;
#[cfg(feature = "cli")]
#[path = "../../fuzz/src/nested.rs"]
mod fuzz_nested;
#[path = "../../fuzz/src/odol.rs"]
mod fuzz_odol;
#[path = "../../fuzz/src/rtm.rs"]
mod fuzz_rtm;
#[path = "../../fuzz/src/recipe.rs"]
mod recipe;
#[path = "../../fuzz/src/seeds.rs"]
mod seeds;
#[path = "../../fuzz/src/views.rs"]
mod views;
