//! Looks up the image that a texture of a model means.

use std::path::Path;

use super::asker::Asker;
use super::configs::Ask;
use super::image::{Image, Model, Substitutes};
use super::index::{File, Index};
use super::keys::{address, folder_key, key_in_folder, last, path_key};
use super::lookup::{find, image_names};
use super::prefix::{folded, text};
use super::resolved::State;
use crate::asset::address::MemberPath;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::text::Name;
use crate::summary::{Reference, ReferenceKind};

impl Index {
    /// Finds the file of a texture.
    pub(super) fn image(
        &mut self,
        model: Model<'_>,
        texture: &Name,
        substitutes: Substitutes,
    ) -> Result<Option<Image>> {
        let asker = self.asker_of(model);
        let ask = Ask::of(Reference { kind: ReferenceKind::Texture, name: texture.clone() });
        let resolved = self.resolve(&asker, &ask, None)?;
        let mut file = resolved.meant.files().next();
        if resolved.state == State::Missing && substitutes == Substitutes::Allowed {
            file = self.near(&asker, &folded(&texture.text))?;
        }
        let Some(number) = file else { return Ok(None) };
        let Some(path) = self.path_of(number) else { return Ok(None) };
        let Some(file) = self.files.get(number) else { return Ok(None) };
        Ok(Some(Image { path: path.to_owned(), member: self.member_of(file), state: resolved.state }))
    }

    /// The path of a file inside the file around it, if it is in an archive.
    fn member_of(&self, file: &File) -> Option<Name> {
        let archive = self.archive_of(file)?;
        let own = Name { text: self.text_of(file).to_owned(), lossy: file.lossy };
        Some(MemberPath::join(archive.member.as_ref(), own))
    }

    fn asker_of(&self, model: Model<'_>) -> Asker {
        let mut asker = Asker::new(model.path.into(), model.member.cloned());
        asker.in_game = matches!(model.format, Format::Odol | Format::Mlod);
        asker.root = self.root_of_loose(model.path);
        asker
    }

    /// The number of the root that a loose file is below.
    fn root_of_loose(&self, path: &Path) -> Option<usize> {
        let folder = path.parent()?;
        let name = folded(&text(Path::new(path.file_name()?)));
        let folder = folder_key(&self.hash, path_key(&self.hash, folder), "");
        let entries = find(&self.in_place, key_in_folder(&self.hash, folder, &name));
        let own = address(path, None).text;
        // Names that differ in case have one key.
        for (_, number) in self.in_place.get(entries)? {
            if let Some(file) = self.files.get(*number)
                && self.text_of(file) == own
            {
                return Some(file.root);
            }
        }
        None
    }

    /// Returns true if the names in a model are paths below prefixes that files or the user give.
    fn has_prefix(&self, asker: &Asker) -> bool {
        let Some(number) = self.find_root_around(asker) else { return false };
        if let Some(archive) = self.archives.get(number) {
            return !archive.root.is_empty();
        }
        self.root(number).is_some_and(|root| root.has_prefix)
    }

    /// The file of a name that is next to a model or elsewhere in its archive. In a game with prefixes, such a file is
    /// another one.
    fn near(&mut self, asker: &Asker, path: &str) -> Result<Option<usize>> {
        if path.is_empty() || asker.in_game && self.has_prefix(asker) {
            return Ok(None);
        }
        let names = image_names(path);
        let beside = self.beside(asker);
        for name in &names {
            self.cost.compare(name.len())?;
            let entries = find(&self.in_place, key_in_folder(&self.hash, beside, last(name)));
            if let Some(&file) = self.distinct(false, entries).first() {
                return Ok(Some(file));
            }
        }
        if asker.member.is_none() {
            return Ok(None);
        }
        let Some(archive) = self.find_root_around(asker) else { return Ok(None) };
        for name in &names {
            if let Some(file) = self.nearest_in(archive, name)? {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    /// Of the files of this archive that have the last name of `path`, the one whose folders are most like those of `path`.
    fn nearest_in(&mut self, archive: usize, path: &str) -> Result<Option<usize>> {
        /// The most files of one name that are compared.
        const MOST_SAME: usize = 10_000;
        // References of other kinds may mean files with other extensions, too.
        let same = self.elsewhere(path, ReferenceKind::Surface);
        self.cost.compare(same.len())?;
        let of_archive = same.iter().copied().filter(|&file| self.root_of(file) == archive);
        let own: Vec<usize> = of_archive.take(MOST_SAME).collect();
        self.cost.compare(own.len().saturating_mul(path.len()))?;
        Ok(self.nearest(own.into_iter(), path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::refs::seen::Listing;
    use crate::scan::Scan;

    #[test]
    fn only_files_of_the_own_archive_stand_in_for_a_texture() {
        let files =
            [(Some(0), r"a\x.paa"), (Some(1), r"t\x.paa"), (Some(1), r"b\y.paa"), (None, "t/x.paa"), (None, "z.paa")];
        for asked in [r"t\x.paa", "x.paa", r"b\y.paa", "z.paa", "none.paa"] {
            for archive in [0, 1] {
                let mut index = Index::new(&Scan::new(["none"]), &[]);
                index.allow_cost();
                for path in ["first.zip", "second.zip"] {
                    index.add_archive(Path::new(path).into(), None, Listing::default()).unwrap();
                }
                for (archive, name) in files {
                    let number = index.add_file(archive, name, false);
                    // Loose files are below a folder, whose number comes after those of archives.
                    index.files[number].root = 2;
                }
                index.sort();
                let name = last(asked);
                let expected =
                    files.iter().position(|(of, text)| *of == Some(archive) && text.rsplit('\\').next() == Some(name));
                assert_eq!(index.nearest_in(archive, asked).unwrap(), expected, "{asked} in {archive}");
            }
        }
    }

    #[test]
    fn many_files_of_another_archive_hide_none_of_the_own() {
        let mut index = Index::new(&Scan::new(["none"]), &[]);
        index.allow_cost();
        for path in ["first.zip", "second.zip"] {
            index.add_archive(Path::new(path).into(), None, Listing::default()).unwrap();
        }
        for number in 0..10_001 {
            index.add_file(Some(0), &format!(r"{number}\x.paa"), false);
        }
        let own = index.add_file(Some(1), r"t\x.paa", false);
        index.sort();
        assert_eq!(index.nearest_in(1, r"b\x.paa").unwrap(), Some(own));
    }

    /// A file that has only the name stands in for a texture beside the model or in its archive, if this is allowed.
    #[test]
    fn a_file_with_the_name_stands_in_where_no_prefix_gives_the_model_a_place_in_the_game() {
        use super::super::prefix::Given;
        use crate::answers::refs::seen::{Listed, Listing};
        for prefix in ["", "z"] {
            for format in [Format::Odol, Format::Mlod, Format::B3d] {
                for there in [None, Some(r"m\x.paa"), Some(r"q\x.paa"), Some(r"t\x.paa")] {
                    for substitutes in [Substitutes::Allowed, Substitutes::Refused] {
                        let mut index = Index::new(&Scan::new(["none"]), &[]);
                        index.given_prefix_files = Some(Given::new());
                        let mut listing = Listing { root: prefix.to_owned(), ..Listing::default() };
                        for name in [Some(r"m\house.p3d"), there].into_iter().flatten() {
                            listing.texts.push_str(name);
                            listing.members.push(Listed {
                                end: listing.texts.len(),
                                lossy: false,
                                bytes: 1,
                                odd: None,
                            });
                        }
                        index.add_archive(Path::new("a.pbo").into(), None, listing).unwrap();
                        index.prepare().unwrap();
                        let member = Name { text: r"m\house.p3d".to_owned(), lossy: false };
                        let model = Model { path: Path::new("a.pbo"), member: Some(&member), format };
                        let texture = Name { text: r"t\x.tga".to_owned(), lossy: false };
                        let image = index.image(model, &texture, substitutes).unwrap();
                        let is_game = format != Format::B3d;
                        let state = match there {
                            None => None,
                            // A path of the game.
                            Some(r"t\x.paa") if is_game && prefix.is_empty() => Some(State::Found),
                            Some(_) if substitutes == Substitutes::Refused => None,
                            Some(_) if is_game && !prefix.is_empty() => None,
                            Some(_) => Some(State::Missing),
                        };
                        let case = format!("{prefix} {format:?} {there:?} {substitutes:?}");
                        assert_eq!(image.as_ref().map(|image| image.state), state, "{case}");
                        if let Some(Image { path, member, .. }) = image {
                            assert_eq!(
                                (path.as_path(), member.unwrap().text.as_str()),
                                (Path::new("a.pbo"), there.unwrap()),
                                "{case}"
                            );
                        }
                    }
                }
            }
        }
    }
}
