//! Resolves references: finds the file that each asset means when it names another file.
//!
//! Arma's models (odol, mlod) name files of the game's virtual file system. In it, a member of a PBO is below the
//! archive's prefix, or below the archive's own name if there is no prefix. A loose file has the path that it would
//! have on a P drive: its path below each given folder, and below the prefix that a file such as `$PBOPREFIX$` gives to
//! the nearest enclosing folder. If no enclosing folder has such a file, it is below the names of its addon (the
//! outermost folder with a `config.cpp` or `config.bin`) and of the given folder. A zip is a folder of loose files.
//! Case, kind of slash and a leading slash are ignored. A proxy or model may omit its `.p3d`. A `.tga` or `.png` stands
//! for the `.paa` of the same name. Of several files with one path, the one in the archive or folder with a prefix that the
//! asker is in is meant, or else the one below the same given path.
//!
//! Configs name files in the same way: binary ones (rap) and text (`.rvmat`, `.bisurf`, `config.cpp`, `.cfg`), recognized
//! by name and content, and every text that the user named. Texts of missions (`description.ext`, `mission.sqm`) name files
//! in their own folder. A found material is followed: its own references come after it, [`via`](Link::via) the material. So
//! are the texts that a config includes. Each is listed once, for the first that asks for it. Materials that nothing asks
//! for come last. Macros are expanded with the definitions before them, in the config and in what it includes.
//!
//! Lua texts of Luanti mods name models and textures by file name alone. The files are those of this name in a `textures`,
//! `models`, `media` or `sounds` folder of any mod. Case counts, and a texture may be one of another image format. Only
//! literal texts are read: under keys such as `mesh`, `textures` and `tiles`, and alone in code that calls the engine. A
//! texture with modifiers, such as `a.png^b.png`, is one reference for each name. If Lua names a b3d model, or builds
//! names of models in its mod, a texture that the model itself names may be any of these files, or procedural or
//! unresolved, but not missing.
//!
//! For b3d, bmx and lodka, only the last component of a name counts. The file is in the model's own folder, and in the
//! same archive if the model is in one.

mod around;
mod asker;
mod collect;
mod configs;
mod cost;
mod elsewhere;
mod files;
mod found;
mod given;
mod image;
mod images;
mod included;
mod index;
mod inside;
mod keys;
mod link;
mod links;
mod lookup;
mod lua;
mod lua_models;
mod media;
mod names;
mod odd;
mod prefix;
mod resolve;
mod resolved;
mod rules;
mod seen;
mod textures;
mod unread;
mod unused;
mod walk;

pub use files::Files;
pub use image::{Image, Model};
pub use link::Link;
pub use links::Links;
pub use resolved::{MOST_ELSEWHERE, MOST_TARGETS, Odd, Reason, State};
pub use rules::Rules;
pub use textures::Textures;
pub use unused::Unused;

use self::around::add_above;
use self::collect::{add_textures, collect};
use self::index::Index;
use crate::base::error::Result;
use crate::scan::{Found, Scan};

/// Finds every reference of every asset in the scan, and the files among the scan's results that it may mean. `assumed`
/// are prefixes of names that the game itself has, such as `ca\` or `a3\`. All other results of the scan are passed to
/// `other`.
///
/// ```
/// use std::ops::ControlFlow;
/// use meshpeek::answers::refs;
/// use meshpeek::scan::Scan;
/// let mut missing = 0;
/// refs::resolve(&Scan::new(["corpus/zip"]), &["ca\\".to_owned()], |_| {})?.each(|link| {
///     missing += u64::from(link.state == refs::State::Missing);
///     ControlFlow::Continue(())
/// })?;
/// assert!(missing > 0);
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
/// Returns an error under the conditions of [`Scan::run`]. Returns [`Limit`](crate::ErrorKind::Limit) if the names take
/// more than the bytes of the files plus [`Limits::decoded_bytes`](crate::Limits::decoded_bytes).
pub fn resolve(scan: &Scan, assumed: &[String], other: impl FnMut(Found) + Send) -> Result<Links> {
    resolve_by(scan, &Rules { assumed: assumed.to_vec(), ..Rules::default() }, other)
}

/// Like [`resolve`], with these rules.
///
/// # Errors
/// Returns an error under the conditions of [`resolve`].
pub fn resolve_by(scan: &Scan, rules: &Rules, mut other: impl FnMut(Found) + Send) -> Result<Links> {
    let mut index = Index::new(scan, &rules.assumed);
    index.add_prefixes(rules);
    collect(scan, &mut index, rules.copies, &mut other, None)?;
    add_textures(scan, &mut index, rules, &mut other);
    if rules.above {
        add_above(scan, &mut index, rules.copies, &mut other)?;
    }
    Links::of(index)
}
