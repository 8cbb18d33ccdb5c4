//! Finds the images of models by the rules of references, to draw them.

use std::ops::ControlFlow;
use std::path::PathBuf;

use super::around::add_names_above;
use super::collect::{Other, add_textures, collect};
use super::given::GivenPaths;
use super::image::{Image, Model, Substitutes};
use super::index::Index;
use super::lua::is_lua;
use super::rules::Rules;
use super::seen::Seen;
use crate::asset::address::Address;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::impl_fmt::impl_fmt;
use crate::base::text::Name;
use crate::inspect::Depth;
use crate::scan::{Found, Scan};

/// Finds the files that textures of models mean, as [`resolve_by`](super::resolve_by) does. Needs only names: reads the
/// directories of archives and Lua texts, when the first texture is looked for, and no models.
///
/// ```
/// use std::path::Path;
/// use meshpeek::{Format, address::Address, scan::Scan};
/// use meshpeek::answers::refs::{Model, Rules, Textures};
/// use meshpeek::summary::Name;
/// let address = Address::parse("corpus/addons/main/house.p3d");
/// let mut textures = Textures::of_file(&Scan::new([""; 0]), &Rules::default(), &address, None);
/// let house = Model::new(&address.file, None, Format::Mlod);
/// let name = Name::new(r"\my\main\data\HOUSE_co.tga".to_owned());
/// let image = textures.find(house, &name)?.ok_or("no such file")?;
/// assert!(image.path.ends_with("main/data/house_co.paa"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Textures<'d> {
    scan: Scan,
    rules: Rules,
    /// The bytes of the archive around the model.
    data: Option<&'d [u8]>,
    /// What is searched, one after the other.
    stages: Vec<Stage>,
    /// The first error of what is searched.
    unreadable: Option<Error>,
}

/// A place to search.
enum Stage {
    /// Nothing is read yet.
    Place(Place),
    Read(Result<Box<Index>>),
}

#[derive(Clone)]
enum Place {
    /// All paths of the scan.
    Scan,
    /// The surroundings of a loose file.
    File(PathBuf),
    /// An archive and those in it.
    Archive(Address),
}

/// Endings of files that are neither archives nor Lua texts. All others are examined: archives may have any name.
const OTHERS: &str = "p3d paa pac rvmat rtm b3d bmx lod bin cpp hpp h inc cfg ext sqm bisurf sqf sqs fsm xml csv txt md png jpg \
                      jpeg tga bmp dds wss wav ogg mp3 wrp bisign";

impl<'d> Textures<'d> {
    /// Searches all paths of a scan, for the models that it finds.
    pub fn of_scan(scan: &Scan, rules: &Rules) -> Self {
        Self::new(scan, rules, None, [Place::Scan])
    }

    /// Searches for the model at this address: in its archive, then in all archives of its file; for a loose file, in its
    /// folder and in the one that a prefix file gives a prefix. The scan has the options, and its paths do not matter.
    /// `data` are the bytes of the file around the model. Without them, it is opened again. Nothing is around standard
    /// input.
    pub fn of_file(scan: &Scan, rules: &Rules, model: &Address, data: Option<&'d [u8]>) -> Self {
        let file = model.file.clone();
        if model.member.is_none() {
            let place = if model.is_stdin() { None } else { Some(Place::File(file)) };
            return Self::new(scan, rules, None, place);
        }
        let mut places = Vec::new();
        if let Some(archive) = model.archive() {
            places.push(Place::Archive(archive));
        }
        places.push(Place::Archive(Address { file, member: None }));
        Self::new(scan, rules, data, places)
    }

    fn new(scan: &Scan, rules: &Rules, data: Option<&'d [u8]>, places: impl IntoIterator<Item = Place>) -> Self {
        let mut names = scan.clone();
        names.selection.globs.clear();
        names.selection.ignored = true;
        names.selection.except.clear();
        names.depth = Depth::Header;
        names.archives = true;
        names.digests = false;
        names.beginnings = false;
        names.formats.clear();
        names.known = None;
        names.progress = scan.progress.beside();
        #[cfg(feature = "stores")]
        if let Some(stores) = names.stores.take() {
            names.paths.retain(|path| !stores.has(path));
        }
        let stages = places.into_iter().map(Stage::Place).collect();
        Self { scan: names, rules: rules.clone(), data, stages, unreadable: None }
    }

    /// Searches among the files of an index.
    pub(super) fn among(mut index: Index) -> Result<Self> {
        let scan = index.scan.clone();
        index.prepare()?;
        let stages = vec![Stage::Read(Ok(Box::new(index)))];
        Ok(Self { scan, rules: Rules::default(), data: None, stages, unreadable: None })
    }

    /// Finds the file of a texture. `None` if there is none, or the texture is not a file.
    ///
    /// # Errors
    /// Returns an error if the names take more than [`Limits::decoded_bytes`](crate::Limits::decoded_bytes) plus the bytes
    /// of the archives, or if the paths that are looked up exceed [`Limits::work`](crate::Limits::work), as in
    /// [`Links::each`](super::Links::each).
    pub fn find(&mut self, model: Model<'_>, texture: &Name) -> Result<Option<Image>> {
        let last = self.stages.len().saturating_sub(1);
        for number in 0..self.stages.len() {
            // The nearest archive comes first. Any other file has to have the path, not only the name.
            let substitutes = if number == last { Substitutes::Allowed } else { Substitutes::Refused };
            let index = self.index(number)?;
            if let Some(image) = index.image(model, texture, substitutes)? {
                return Ok(Some(image));
            }
        }
        Ok(None)
    }

    /// Returns the first error of a file or archive whose names could not be read, once.
    pub fn take_unreadable(&mut self) -> Option<Error> {
        self.unreadable.take()
    }

    /// The index of a place, read once.
    fn index(&mut self, number: usize) -> Result<&mut Index> {
        let is_last = number.saturating_add(1) == self.stages.len();
        if let Some(Stage::Place(place)) = self.stages.get(number) {
            let place = place.clone();
            let index = self.read(&place, is_last).map(Box::new);
            if let Some(stage) = self.stages.get_mut(number) {
                *stage = Stage::Read(index);
            }
        }
        match self.stages.get_mut(number) {
            Some(Stage::Read(Ok(index))) => Ok(index),
            Some(Stage::Read(Err(error))) => Err(error.clone()),
            Some(Stage::Place(_)) | None => Err(Error::unsupported("no place to search")),
        }
    }

    /// Reads the names of the files at a place.
    fn read(&mut self, place: &Place, is_last: bool) -> Result<Index> {
        let mut scan = self.scan.clone();
        match place {
            Place::Scan => {}
            Place::File(file) => scan.paths = vec![file.clone()],
            Place::Archive(address) => scan.paths = vec![address.file.clone()],
        }
        scan.paths.retain(|path| path.as_os_str() != "-");
        let mut index = Index::new(&scan, &self.rules.assumed);
        index.add_prefixes(&self.rules);
        let unreadable = &mut self.unreadable;
        let mut other = |found: Found| {
            if let Found::Unreadable(error) = found {
                unreadable.get_or_insert(error);
            }
        };
        match place {
            Place::Scan => {
                add_names(&scan, &mut index)?;
                read_archives(&scan, &mut index, &mut other)?;
            }
            Place::File(file) => index.add_path(file.clone())?,
            Place::Archive(address) => match self.data {
                Some(data) => read_in(&scan, address, data, &mut index, &mut other)?,
                None => {
                    let mut inside = scan.clone();
                    inside.paths = vec![address.to_path()];
                    read_archives(&inside, &mut index, &mut other)?;
                }
            },
        }
        let given = GivenPaths::of(&scan, &index.hash);
        add_names_above(&scan, &mut index, &given)?;
        if is_last {
            add_textures(&scan, &mut index, &self.rules, &mut other);
        }
        index.prepare()?;
        Ok(index)
    }
}

impl_fmt!(['d] Debug for Textures<'d>, |textures| "Textures({} places)", textures.stages.len());

/// Adds the names of all files below the paths of the scan.
fn add_names(scan: &Scan, index: &mut Index) -> Result<()> {
    for target in scan.walk(scan.paths()) {
        let Ok(target) = target else { continue };
        // An address in an archive is no file.
        if !target.named || target.path.is_file() {
            index.add_path(target.path)?;
        }
    }
    Ok(())
}

/// A scan without the files that are surely neither archives nor Lua texts.
fn of_archives(scan: &Scan) -> Scan {
    let mut archives = scan.clone();
    for ending in OTHERS.split(' ') {
        archives.selection.globs.push(format!("!*.{ending}"));
    }
    archives
}

/// Reads the archives and Lua texts of a scan.
fn read_archives(scan: &Scan, index: &mut Index, other: &mut Other<'_>) -> Result<()> {
    let mut archives = of_archives(scan);
    // Named models are not needed.
    archives.paths.retain(|path| {
        let format = Format::from_extension(path);
        !path.is_file() || matches!(format, None | Some(Format::Pbo | Format::Zip))
    });
    index.is_around = true;
    let read = collect(&archives, index, false, other, None);
    index.is_around = false;
    read
}

/// Reads the archive at an address in the file with these bytes, and all in it.
fn read_in(scan: &Scan, archive: &Address, data: &[u8], index: &mut Index, other: &mut Other<'_>) -> Result<()> {
    let archives = of_archives(scan);
    let hash = index.hash.clone();
    let mut failed = Ok(());
    index.is_around = true;
    let result = archives.run_in_showing(
        (archive, data),
        is_lua,
        |seen| Seen::of(seen, false, &hash),
        |found, seen| {
            failed = index.add(found, seen.flatten(), other);
            if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    );
    index.is_around = false;
    result.and(failed)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn text_of(place: &Place) -> String {
        match place {
            Place::Scan => "scan".to_owned(),
            Place::File(file) => format!("around {}", file.display()),
            Place::Archive(address) => address.to_path().display().to_string(),
        }
    }

    #[test]
    fn textures_are_looked_for_around_the_model_or_in_its_archive_and_then_in_all_of_its_file() {
        for (model, expected) in [
            ("m/a.p3d", &["around m/a.p3d"][..]),
            ("-", &[]),
            ("m/a.pbo!/x.p3d", &["m/a.pbo"]),
            ("-!/x.p3d", &["-"]),
            ("m/a.zip!/b.pbo!/x.p3d", &["m/a.zip!/b.pbo", "m/a.zip"]),
            ("m/a.zip!/b.zip!/c.pbo!/x.p3d", &["m/a.zip!/b.zip!/c.pbo", "m/a.zip"]),
        ] {
            let textures = Textures::of_file(&Scan::new(["none"]), &Rules::default(), &Address::parse(model), None);
            let stages = textures.stages.iter().map(|stage| match stage {
                Stage::Place(place) => text_of(place),
                Stage::Read(_) => panic!("nothing is read yet"),
            });
            assert_eq!(stages.collect::<Vec<_>>(), expected, "{model}");
        }
    }

    #[test]
    fn names_are_looked_for_in_all_files_whatever_the_scan_selects() {
        let mut scan = Scan::new(["none"]);
        scan.selection.globs = vec!["*.p3d".to_owned()];
        scan.formats = vec![Format::Odol];
        (scan.archives, scan.digests, scan.beginnings) = (false, true, true);
        scan.depth = Depth::Verify;
        scan.selection.hidden = true;
        let Textures { scan: names, .. } = Textures::of_scan(&scan, &Rules::default());
        assert!(names.selection.globs.is_empty() && names.formats.is_empty() && names.known.is_none());
        assert_eq!((names.archives, names.digests, names.beginnings, names.depth), (true, false, false, Depth::Header));
        // What the user allows to be seen is.
        assert!(names.selection.hidden && names.selection.ignored);
        assert_eq!(names.paths, [Path::new("none")]);
    }

    #[test]
    fn a_place_that_cannot_be_read_is_the_same_error_each_time() {
        let mut scan = Scan::new(["none"]);
        scan.limits.decoded_bytes = 0;
        let address = Address::parse("m/a.p3d");
        let mut textures = Textures::of_file(&scan, &Rules::default(), &address, None);
        let name = Name { text: "x.paa".to_owned(), lossy: false };
        let model = Model { path: &address.file, member: None, format: Format::Odol };
        let errors = [0, 1].map(|_| textures.find(model, &name).unwrap_err());
        assert_eq!(errors[0].to_string(), errors[1].to_string());
        assert!(matches!(textures.stages[..], [Stage::Read(Err(_))]));
        assert!(textures.take_unreadable().is_none());
    }
}
