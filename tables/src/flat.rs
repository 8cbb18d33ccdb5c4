//! Converts problems, files and LODs to rows.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::SystemTime;

use arrow_array::ArrayRef;
use arrow_schema::{ArrowError, Field};

use super::AddRow;
use super::assets::AssetRow;
use super::cells::{Column, Flag, Float, Int, Long, OrNull, Rows, Text, Time, clamped, columns, fitting, path_of};
use super::plain::{Key, index};
use meshpeek::resolution::Resolution;
use meshpeek::scan::Record;
use meshpeek::summary::{Name, Problem};
use meshpeek::{Asset, Budget, Error, Format, mlod, odol};

/// A problem of an asset, or of a path that cannot be read.
pub(super) struct ProblemRow<'p> {
    pub(super) asset: &'p AssetRow<'p>,
    pub(super) problem: &'p Problem,
}

columns! {
    /// The problems of assets, and of paths that cannot be read.
    Problems of row: ProblemRow<'r> {
        path: Text = &row.asset.path.text,
        member: OrNull<Text> = row.asset.member(),
        lossy: Flag = row.asset.is_lossy,
        format: OrNull<Text> = row.asset.summary.format.map(Format::name),
        severity: Text = row.problem.severity.name(),
        code: Text = row.problem.code.name(),
        offset: OrNull<Long> = row.problem.offset.and_then(fitting),
        message: Text = &row.problem.message,
    }
}

/// A file that a scan found.
pub(super) struct FileRow {
    path: Name,
    state: &'static str,
    format: Option<Format>,
    bytes: Option<u64>,
    modified: Option<SystemTime>,
}

columns! {
    /// The files of a scan, assets or not.
    Files of row: &'r FileRow {
        path: Text = &row.path.text,
        lossy: Flag = row.path.lossy,
        state: Text = row.state,
        format: OrNull<Text> = row.format.map(Format::name),
        bytes: OrNull<Long> = row.bytes.and_then(fitting),
        mtime: OrNull<Time> = row.modified,
    }
}

impl FileRow {
    /// The row of a record, unless it is that of a member.
    pub(super) fn of(record: &Record) -> Option<Self> {
        if record.member.is_some() {
            return None;
        }
        let summary = &record.summary;
        Some(Self {
            path: record.path_name(),
            state: if summary.is_asset() { "asset" } else { "other" },
            format: summary.format,
            bytes: Some(summary.bytes),
            modified: record.modified,
        })
    }

    /// The row of a file that is not an asset. Asks the file system for its size.
    pub(super) fn other(path: &Path) -> Self {
        let mut row = Self { path: path.into(), state: "other", format: None, bytes: None, modified: None };
        if let Ok(metadata) = path.metadata() {
            row.bytes = Some(metadata.len());
            row.modified = metadata.modified().ok();
        }
        row
    }

    /// The row of a path that cannot be read.
    pub(super) fn unreadable(error: &Error) -> Self {
        let path = path_of(error);
        Self { path, state: "unreadable", format: None, bytes: None, modified: None }
    }
}

/// A LOD of an Arma model.
pub(super) struct LodRow<'l> {
    key: Key<'l>,
    index: usize,
    resolution: Resolution,
    bytes: u64,
    vertices: u64,
    faces: u64,
    sections: Option<u64>,
    textures: Option<u64>,
    materials: Option<u64>,
    selections: u64,
    properties: u64,
}

columns! {
    /// The LODs of ODOL and MLOD models.
    Lods of row: &'r LodRow<'r> {
        path: Text = &row.key.path.text,
        member: OrNull<Text> = row.key.member(),
        lod: Int = index(row.index),
        resolution: Float = row.resolution.0,
        lod_name: Text = &row.resolution.to_string(),
        visual: Flag = row.resolution.is_visual(),
        bytes: Long = clamped(row.bytes),
        vertices: Long = clamped(row.vertices),
        faces: Long = clamped(row.faces),
        sections: OrNull<Long> = row.sections.and_then(fitting),
        textures: OrNull<Long> = row.textures.and_then(fitting),
        materials: OrNull<Long> = row.materials.and_then(fitting),
        selections: Long = clamped(row.selections),
        properties: Long = clamped(row.properties),
    }
}

/// The size of a row in the results, without its texts.
const ROW_BYTES: u64 = 128;

/// Adds the LODs of a model. Ends at the first that cannot be read, and if the budget is spent.
pub(super) fn add_lods(asset: &Asset<'_>, key: Key<'_>, budget: &Budget, batches: &impl AddRow) -> ControlFlow<()> {
    match asset {
        Asset::Odol(model) => add_odol_lods(model, key, budget, batches),
        Asset::Mlod(model) => add_mlod_lods(model, key, budget, batches),
        _ => ControlFlow::Continue(()),
    }
}

fn add_odol_lods(model: &odol::Model<'_>, key: Key<'_>, budget: &Budget, batches: &impl AddRow) -> ControlFlow<()> {
    for entry in model.lods() {
        let Ok(Some(lod)) = model.lod(entry.index) else { continue };
        if budget.charge_output(row_bytes(key)).is_err() {
            continue;
        }
        batches.add::<Lods>(&LodRow {
            key,
            index: entry.index,
            resolution: entry.resolution,
            bytes: entry.byte_len(),
            vertices: lod.point_count.into(),
            faces: lod.faces.len() as u64,
            sections: Some(lod.sections.len() as u64),
            textures: Some(lod.textures.len() as u64),
            materials: Some(lod.materials.len() as u64),
            selections: lod.selections.len() as u64,
            properties: lod.properties.len() as u64,
        })?;
    }
    ControlFlow::Continue(())
}

fn add_mlod_lods(model: &mlod::Model<'_>, key: Key<'_>, budget: &Budget, batches: &impl AddRow) -> ControlFlow<()> {
    for (index, (lod, span)) in model.lods().spanned().enumerate() {
        let Ok(lod) = lod else { break };
        if budget.charge_output(row_bytes(key)).is_err() {
            continue;
        }
        let mut row = LodRow {
            key,
            index,
            resolution: Resolution(lod.resolution),
            bytes: span.bytes,
            vertices: lod.points.len() as u64,
            faces: lod.faces.len() as u64,
            sections: None,
            textures: None,
            materials: None,
            selections: 0,
            properties: 0,
        };
        for tag in lod.tags.iter() {
            if tag.is_selection() {
                row.selections = row.selections.saturating_add(1);
            }
            if tag.property().is_some() {
                row.properties = row.properties.saturating_add(1);
            }
        }
        batches.add::<Lods>(&row)?;
    }
    ControlFlow::Continue(())
}

/// The size of the row of a LOD in the results.
fn row_bytes(key: Key<'_>) -> u64 {
    ROW_BYTES.saturating_add(key.bytes() as u64)
}
