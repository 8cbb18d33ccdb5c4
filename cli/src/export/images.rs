//! Finds the images that a model uses: those that the user names, those in the model, and the files that `refs` finds.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use meshpeek::Asset;
use meshpeek::answers::refs::Model;
use meshpeek::budget::Reservation as Room;
use meshpeek::export::{Embedded, Pixels, base_name, is_embeddable};
use meshpeek::geometry::Texture;
use meshpeek::summary::Name;

use super::around::{Around, Bytes, is_substitute};
use super::decode::{Unusable, decode};

/// The most images to search for. Real models have dozens.
const MOST_IMAGES: usize = 1000;

/// The file that the user gives for a name in the model.
pub(crate) struct GivenImage {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    /// True if a surface shows an image of this name.
    is_used: bool,
}

impl GivenImage {
    pub(crate) fn new(name: &str, file: impl Into<PathBuf>) -> Self {
        Self { name: name.to_owned(), file: file.into(), is_used: false }
    }

    /// Returns true if this is for a name in the model: the whole name as stored, or its last component.
    fn is_for(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) || self.name.eq_ignore_ascii_case(base_name(name))
    }
}

/// Finds images, each once.
pub(crate) struct Images<'a, 'f> {
    asset: &'a Asset<'a>,
    model: Model<'a>,
    around: &'a Around<'f>,
    given: Vec<GivenImage>,
    found: HashMap<String, Option<Bytes>>,
    /// The names of images that are there and not in the result, and why.
    lost: BTreeMap<String, Unusable>,
    /// True if more images were asked for than are searched for.
    are_too_many: bool,
    /// The number of images that only have the name: `refs` does not find them.
    substitutes: u64,
}

impl meshpeek::export::Images for Images<'_, '_> {
    fn file(&mut self, texture: &Texture<'_>, room: &Room<'_>) -> Option<&[u8]> {
        let name = Name::from(texture.name).text;
        let bytes = self.find(texture, room)?;
        // A file may begin like an image and be damaged further on. One that is too large to decode is used as it is.
        if !is_embeddable(bytes) || matches!(decode(bytes, &name, 1, room), Err(Unusable::Undecodable)) {
            return None;
        }
        Some(bytes)
    }

    fn pixels(&mut self, texture: &Texture<'_>, most: u32, room: &Room<'_>) -> Option<Pixels> {
        let name = Name::from(texture.name).text;
        match decode(self.find(texture, room)?, &name, most, room) {
            Ok(pixels) => Some(pixels),
            Err(why) => {
                self.lost.insert(name, why);
                None
            }
        }
    }

    fn left_out(&mut self, name: &str) {
        self.lost.insert(name.to_owned(), Unusable::TooLarge);
    }
}

impl<'a, 'f> Images<'a, 'f> {
    /// Creates a finder for an asset, with the files that the user gives for names in it.
    pub(crate) fn of(asset: &'a Asset<'a>, model: Model<'a>, around: &'a Around<'f>, given: Vec<GivenImage>) -> Self {
        Self { given, ..Self::seen(asset, model, around) }
    }

    /// Creates a finder for an asset that a scan has open.
    pub(crate) fn seen(asset: &'a Asset<'a>, model: Model<'a>, around: &'a Around<'f>) -> Self {
        Self {
            asset,
            model,
            around,
            given: Vec::new(),
            found: HashMap::new(),
            lost: BTreeMap::new(),
            are_too_many: false,
            substitutes: 0,
        }
    }

    /// Returns how many images were found by their file names alone.
    pub(crate) fn by_name_alone(&self) -> u64 {
        self.substitutes
    }

    /// Returns true if no surface asked for an image.
    pub(crate) fn are_unused(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns the names of all images that surfaces ask for, in order.
    pub(crate) fn asked(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.found.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// Returns the images that the user gives for names that no surface asks for.
    pub(crate) fn given_in_vain(&self) -> impl Iterator<Item = &GivenImage> {
        self.given.iter().filter(|given| !given.is_used)
    }

    /// Returns the names of images that are not available, in order. What the game computes is no image.
    pub(crate) fn missing(&self) -> Vec<&str> {
        let mut missing = Vec::new();
        for (name, bytes) in &self.found {
            let is_computed = name.starts_with('#');
            if bytes.is_none() && !is_computed && !self.lost.contains_key(name) {
                missing.push(name.as_str());
            }
        }
        missing.sort_unstable();
        missing
    }

    /// Returns the names of images that are there and not in the result, in order, and why.
    pub(crate) fn lost(&self) -> &BTreeMap<String, Unusable> {
        &self.lost
    }

    /// Returns the number of images that were searched for, if there are others.
    pub(crate) fn most_searched(&self) -> Option<usize> {
        if self.are_too_many { Some(MOST_IMAGES) } else { None }
    }

    /// The bytes of an image, unchanged. `None` if it is not available, or exceeds the limits.
    fn find(&mut self, texture: &Texture<'_>, room: &Room<'_>) -> Option<&[u8]> {
        let name = Name::from(texture.name).text;
        if !self.found.contains_key(&name) {
            if self.found.len() >= MOST_IMAGES {
                self.are_too_many = true;
                return None;
            }
            let bytes = match self.read(texture, &name, room) {
                Ok(bytes) => bytes,
                Err(why) => {
                    self.lost.insert(name.clone(), why);
                    None
                }
            };
            self.found.insert(name.clone(), bytes);
        }
        Some(self.found.get(&name)?.as_ref()?.as_ref().as_ref())
    }

    /// Reads the image that the user gives for a texture, the one inside the model, or the file that the texture means.
    fn read(&mut self, texture: &Texture<'_>, name: &str, room: &Room<'_>) -> Result<Option<Bytes>, Unusable> {
        for given in &mut self.given {
            given.is_used |= given.is_for(name);
        }
        if let Some(given) = self.given.iter().find(|given| given.is_for(name)) {
            return self.around.read_file(&given.file, room).map(Some);
        }
        if let Some(bytes) = Embedded::new(self.asset).find(texture, room).map_err(|_| Unusable::TooLarge)? {
            return Ok(Some(Box::new(bytes)));
        }
        let Some(image) = self.around.find(self.model, texture) else { return Ok(None) };
        let bytes = self.around.read(&image, room)?;
        self.substitutes += u64::from(is_substitute(&image));
        Ok(Some(bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use meshpeek::Limits;
    use meshpeek::scan::Scan;

    use super::super::words::{given_in_vain, without_images};
    use super::*;

    /// The images that surfaces ask for, and which of them are there.
    type Asked = &'static [(&'static str, bool)];

    /// Runs a test with the images of a model, of which these are found.
    fn with_images(asked: Asked, given: Vec<GivenImage>, test: impl Fn(&Images<'_, '_>)) {
        let asset = Asset::parse_file(Path::new("m.b3d"), b"BB3D\x04\0\0\0\x01\0\0\0", &Limits::default()).unwrap();
        let around = Around::scanned(&Scan::new([""; 0]), None);
        let model = Model::new(Path::new("m.b3d"), None, asset.format());
        let mut images = Images { given, ..Images::seen(&asset, model, &around) };
        for (name, is_there) in asked {
            let bytes: Option<Bytes> = if *is_there { Some(Box::new(Vec::new())) } else { None };
            images.found.insert((*name).to_owned(), bytes);
        }
        test(&images);
    }

    const ASKED: [(Asked, &[&str]); 5] = [
        (&[], &[]),
        (&[("b", true)], &[]),
        (&[("b", false), ("a", false), ("c", true)], &["a", "b"]),
        // What the game computes is no file.
        (&[("#(argb,8,8,3)color(1,1,1,1)", false)], &[]),
        (&[("#(x)", false), ("a#", false), ("", false)], &["", "a#"]),
    ];

    #[test]
    fn images_that_are_missing_are_named_in_order() {
        for (asked, missing) in ASKED {
            for is_texture_given in [false, true] {
                with_images(asked, Vec::new(), |images| {
                    assert_eq!(images.missing(), missing);
                    let mut names: Vec<&str> = asked.iter().map(|(name, _)| *name).collect();
                    names.sort_unstable();
                    assert_eq!((images.asked(), images.are_unused()), (names, asked.is_empty()));
                    let said = without_images(images, is_texture_given);
                    let expected = match missing.len() {
                        0 if asked.is_empty() && !is_texture_given => {
                            Some("no surface names an image; --texture FILE gives one".to_owned())
                        }
                        0 => None,
                        count => {
                            let s = if count == 1 { "" } else { "s" };
                            let help = "--textures DIR searches a folder, --texture NAME=FILE gives one";
                            Some(format!("{count} image{s} not available: {}; {help}", missing.join(", ")))
                        }
                    };
                    assert_eq!(said, expected, "{asked:?} {is_texture_given}");
                });
            }
        }
    }

    #[test]
    fn every_image_that_is_given_in_vain_says_why() {
        for (asked, _) in ASKED {
            for shows_images in [false, true] {
                for chosen in 0..8 {
                    let has = |bit: u32| chosen >> bit & 1 == 1;
                    let mut given = vec![GivenImage::new("n", "f.png"), GivenImage::new("f.png", "f.png")];
                    given.push(GivenImage::new("m", "g.png"));
                    for (bit, one) in (0..).zip(&mut given) {
                        one.is_used = has(bit);
                    }
                    let mut names: Vec<&str> = asked.iter().map(|(name, _)| *name).collect();
                    names.sort_unstable();
                    let others = format!("the images of the surfaces are {}", names.join(", "));
                    let why = |is_for_a_name: bool| match (shows_images, names.is_empty(), is_for_a_name) {
                        (false, ..) => "this output shows no images",
                        (true, true, _) => "no surface shows an image",
                        (true, false, true) => others.as_str(),
                        (true, false, false) => "no surface needs it",
                    };
                    let all = [("n=f.png", true), ("f.png", false), ("m=g.png", true)];
                    let mut expected = Vec::new();
                    for (bit, (text, is_for_a_name)) in (0..).zip(all) {
                        if !has(bit) {
                            expected.push(format!("--texture {text} has no effect: {}", why(is_for_a_name)));
                        }
                    }
                    with_images(asked, given, |images| {
                        assert_eq!(given_in_vain(images, shows_images), expected, "{asked:?}");
                    });
                }
            }
        }
    }

    #[test]
    fn an_image_is_given_for_a_whole_name_or_for_the_end_of_it_in_any_case() {
        for (given, name, is_for) in [
            ("a.png", "a.png", true),
            ("A.PNG", "a.png", true),
            ("a.png", "A.Png", true),
            ("a.png", "x/a.png", true),
            ("a.png", r"x\y\A.png", true),
            ("a.png", "c:a.png", true),
            ("x/a.png", "x/a.png", true),
            ("X/A.png", "x/a.png", true),
            (r"x\a.png", "x/a.png", false),
            ("x/a.png", "a.png", false),
            ("x/a.png", "y/x/a.png", false),
            ("a", "a.png", false),
            ("a.png", "a", false),
            ("a.png", "ba.png", false),
            ("a.png", "a.png/x", false),
            ("", "", true),
            ("", "x/", true),
            ("", "a.png", false),
        ] {
            assert_eq!(GivenImage::new(given, "file").is_for(name), is_for, "{given} for {name}");
        }
    }
}
