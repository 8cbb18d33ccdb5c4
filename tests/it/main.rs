//! Tests of the public interface.

// Some tests are for Unix only.
#![cfg_attr(not(unix), allow(unused_imports, unused_mut))]

#[cfg(target_os = "linux")]
mod amplify;
mod budget;
mod budgets;
mod codec;
mod codes;
mod corpus;
mod depth;
mod desktop;
mod dissect;
mod floors;
mod killers;
mod limits;
mod lint;
mod memory;
mod noise;
mod peers;
mod shrink;
#[cfg(unix)]
mod special;
mod support;
mod writer;

mod address;
mod b3d;
mod bisign;
mod bmx;
mod bounds;
mod cli;
#[cfg(target_os = "linux")]
mod commands;
mod constraints;
mod diff;
mod dupes;
mod every_format;
mod examples;
mod export;
mod fields;
mod geometry;
mod goldens;
mod handed_out;
mod in_ranges;
mod left_out;
mod letters;
mod lodka;
mod luanti;
mod magics;
mod materials;
mod mlod;
mod models;
mod odol;
mod owned;
mod paa;
mod paa_rules;
mod pbo;
mod pose;
mod problem_paths;
mod ranges;
mod rap;
mod rap_as_text;
mod rap_compiled;
mod rap_text;
mod recipes;
mod refs;
mod refs_prefix;
#[cfg(feature = "remote")]
mod remote;
mod reports;
mod revisions;
mod rtm;
mod rules;
mod scan;
mod schema;
mod selectors;
mod since;
mod sorted;
#[cfg(feature = "parquet")]
mod tables;
mod texheaders;
#[cfg(unix)]
mod units;
mod unread;
mod until;
mod versions;
mod zip;

// The fuzz targets, so that they stay in working order.
#[path = "../../fuzz/src/any.rs"]
mod any;
#[path = "../../fuzz/src/b3d.rs"]
mod fuzz_b3d;
#[path = "../../fuzz/src/lodka.rs"]
mod fuzz_lodka;
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
