//! A reference and the files that it means.

use std::borrow::Cow;
use std::path::Path;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::index::Index;
use super::keys::address;
use super::resolved::{MOST_ELSEWHERE, Meant, Odd, Reason, State};
use super::unread::Unread;
use crate::base::text::Name;
#[cfg(feature = "json")]
use crate::scan::line::{self, number, put, text, word};
use crate::summary::Reference;

/// One resolved reference of one asset.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Link<'l> {
    /// The file of the asset that contains the reference.
    pub path: &'l Path,
    /// The asset's path inside the archive, if it is in one.
    pub member: Option<&'l Name>,
    /// The reference. `None` if the state is [`Unread`](State::Unread).
    pub reference: Option<&'l Reference>,
    /// The result of resolving it.
    pub state: State,
    /// How the file was found. `None` if there is none.
    pub reason: Option<Reason>,
    /// The oddity of the file, if one was found.
    pub odd: Option<Odd>,
    /// Why the name could not be resolved or the asset not be read, or what else there is to say.
    pub note: Option<Cow<'l, str>>,
    /// The number of further files it may mean, or that have its name.
    pub more: usize,
    /// The [address](crate::address) of the material or included config that contains the reference, if it is not the
    /// asset itself.
    pub via: Option<&'l Name>,
    /// The line and column in a text, counted from 1.
    pub place: Option<(u32, u32)>,
    pub(super) meant: Meant,
    pub(super) index: &'l Index,
}

impl<'l> Link<'l> {
    pub(super) fn unread(unread: &'l Unread, index: &'l Index) -> Self {
        Self {
            path: &unread.path,
            member: unread.member.as_ref(),
            reference: None,
            state: State::Unread,
            reason: None,
            odd: None,
            note: Some(unread.note.as_str().into()),
            more: 0,
            via: None,
            place: None,
            meant: Meant::Files([].into()),
            index,
        }
    }

    /// Makes the [addresses](crate::address) of the files it may mean, the first
    /// [`MOST_TARGETS`](super::MOST_TARGETS): of the asset itself for an image inside it. None if the name has an assumed
    /// prefix. Ends early at the limit that [`Links::each`](super::Links::each) reports.
    pub fn targets(&self) -> impl Iterator<Item = Name> {
        let mut own = None;
        if let Meant::Own = self.meant {
            let address = address(self.path, self.member);
            if self.index.cost.name(address.text.len()) {
                own = Some(address);
            }
        }
        own.into_iter().chain(self.meant.files().map_while(|file| self.index.target(file)))
    }

    /// If it is missing, makes the addresses of files with its name in other places, the first [`MOST_ELSEWHERE`]. Ends
    /// early at the limit that [`Links::each`](super::Links::each) reports.
    pub fn elsewhere(&self) -> impl Iterator<Item = Name> {
        self.files_elsewhere().map_while(|file| self.index.target(file))
    }

    fn files_elsewhere(&self) -> impl Iterator<Item = usize> {
        let files: &[usize] = if let Meant::Elsewhere(files) = &self.meant { files } else { &[] };
        files.iter().copied().take(MOST_ELSEWHERE)
    }

    /// Returns true if a name in it has bytes that are not UTF-8. They are escaped in the text.
    pub fn is_lossy(&self) -> bool {
        let mut names = self.reference.iter().map(|reference| &reference.name).chain(self.member).chain(self.via);
        let mut files = self.meant.files().chain(self.files_elsewhere());
        self.path.to_str().is_none() || names.any(|name| name.lossy) || files.any(|file| self.index.is_lossy(file))
    }

    /// Returns [`note`](Self::note) and [`odd`](Self::odd) as one text.
    pub fn note_text(&self) -> Option<Cow<'_, str>> {
        match (self.odd, &self.note) {
            (Some(odd), Some(note)) => Some(format!("{odd}; {note}").into()),
            (Some(odd), None) => Some(odd.name().into()),
            (None, note) => note.as_deref().map(Cow::Borrowed),
        }
    }

    /// Makes the address of the file that it means, if it is exactly one that the scan found.
    pub fn target(&self) -> Option<Name> {
        if self.state == State::Found { self.targets().next() } else { None }
    }
}

#[cfg(feature = "json")]
impl Link<'_> {
    /// Appends the link as JSON, the same bytes as with its `Serialize`.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        put(out, "{\"path\":");
        match self.path.to_str() {
            Some(path) => text(out, path),
            None => text(out, &Name::from(self.path).text),
        }
        put(out, ",\"member\":");
        line::name(out, self.member);
        put(out, if self.is_lossy() { ",\"lossy\":true,\"kind\":" } else { ",\"kind\":" });
        match self.reference {
            Some(reference) => {
                word(out, reference.kind.name());
                put(out, ",\"name\":");
                text(out, &reference.name.text);
            }
            None => put(out, "null,\"name\":null"),
        }
        put(out, ",\"state\":");
        word(out, self.state.name());
        put(out, ",\"target\":");
        line::name(out, self.target().as_ref());
        if self.state == State::Ambiguous {
            put(out, ",\"targets\":");
            write_texts(out, self.targets());
        }
        let mut elsewhere = self.elsewhere().peekable();
        if elsewhere.peek().is_some() {
            put(out, ",\"elsewhere\":");
            write_texts(out, elsewhere);
        }
        if self.more > 0 {
            put(out, ",\"more\":");
            number(out, Some(self.more as u64));
        }
        put(out, ",\"via\":");
        line::name(out, self.via);
        put(out, ",\"reason\":");
        match self.reason {
            Some(reason) => word(out, reason.name()),
            None => put(out, "null"),
        }
        put(out, ",\"note\":");
        match self.note_text() {
            Some(note) => text(out, &note),
            None => put(out, "null"),
        }
        if let Some((line, column)) = self.place {
            put(out, ",\"line\":");
            number(out, Some(line.into()));
            put(out, ",\"column\":");
            number(out, Some(column.into()));
        }
        put(out, "}");
    }
}

#[cfg(feature = "json")]
fn write_texts(out: &mut Vec<u8>, names: impl Iterator<Item = Name>) {
    put(out, "[");
    for (index, name) in names.enumerate() {
        if index > 0 {
            put(out, ",");
        }
        text(out, &name.text);
    }
    put(out, "]");
}

fn texts(names: impl Iterator<Item = Name>) -> Vec<String> {
    names.map(|name| name.text).collect()
}

impl Serialize for Link<'_> {
    /// Writes `{path, member, kind, name, state, target, via, reason, note}`, and `line` and `column` for a text. If the state
    /// is ambiguous, `target` is null and `targets` lists the files. If it is missing, `elsewhere` lists files with this
    /// name in other places. `more` counts further ones.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Self { member, reference, state, more, via, reason, place, .. } = self;
        let path = Name::from(self.path);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &path.text)?;
        map.serialize_entry("member", &member.as_ref().map(|member| &member.text))?;
        if self.is_lossy() {
            map.serialize_entry("lossy", &true)?;
        }
        map.serialize_entry("kind", &reference.map(|reference| reference.kind))?;
        map.serialize_entry("name", &reference.map(|reference| &reference.name.text))?;
        map.serialize_entry("state", state.name())?;
        map.serialize_entry("target", &self.target().map(|target| target.text))?;
        if *state == State::Ambiguous {
            map.serialize_entry("targets", &texts(self.targets()))?;
        }
        let elsewhere = texts(self.elsewhere());
        if !elsewhere.is_empty() {
            map.serialize_entry("elsewhere", &elsewhere)?;
        }
        if *more > 0 {
            map.serialize_entry("more", more)?;
        }
        map.serialize_entry("via", &via.map(|via| &via.text))?;
        map.serialize_entry("reason", &reason.map(Reason::name))?;
        map.serialize_entry("note", &self.note_text())?;
        if let Some((line, column)) = place {
            map.serialize_entry("line", line)?;
            map.serialize_entry("column", column)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::scan::Scan;
    use crate::summary::ReferenceKind;

    fn name(text: &str, lossy: bool) -> Name {
        Name { text: text.to_owned(), lossy }
    }

    fn check_json(link: &Link<'_>) {
        #[cfg(feature = "json")]
        {
            let mut out = Vec::new();
            link.write_json(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), serde_json::to_string(link).unwrap());
        }
        #[cfg(not(feature = "json"))]
        let _ = link;
    }

    #[test]
    fn a_link_is_lossy_if_any_of_its_names_is() {
        let mut index = Index::new(&Scan::new(["none"]), &[]);
        let plain = index.add_file(None, "plain", false);
        let lossy = index.add_file(None, "lossy", true);
        let unread = Unread { path: Path::new("x").into(), member: None, note: String::new() };
        for which in 0..1 << 5 {
            let is_lossy = |number: i32| which >> number & 1 != 0;
            let (member, via) = (name("m", is_lossy(0)), name("v", is_lossy(1)));
            let reference = Reference { kind: ReferenceKind::File, name: name("r", is_lossy(2)) };
            let file = if is_lossy(3) { lossy } else { plain };
            let files: Arc<[usize]> = [plain, file].into();
            let mut link = Link::unread(&unread, &index);
            link.member = Some(&member);
            link.via = Some(&via);
            link.reference = Some(&reference);
            link.meant = if is_lossy(4) { Meant::Elsewhere(files) } else { Meant::Files(files) };
            assert_eq!(link.is_lossy(), which & 0b1111 != 0, "{which:b}");
            check_json(&link);
            link.state = if is_lossy(0) { State::Ambiguous } else { State::Found };
            link.more = which;
            link.reason = Some(Reason::Beside);
            link.note = Some("a \"note\"".into());
            link.place = Some((1, 1 << which));
            check_json(&link);
        }
    }

    #[test]
    fn a_note_says_what_is_odd_before_the_rest() {
        let index = Index::new(&Scan::new(["none"]), &[]);
        let unread = Unread { path: Path::new("x").into(), member: None, note: String::new() };
        let mut link = Link::unread(&unread, &index);
        for note in [None, Some("a folder")] {
            link.note = note.map(Cow::Borrowed);
            link.odd = None;
            assert_eq!(link.note_text().as_deref(), note);
            for &odd in Odd::VARIANTS {
                link.odd = Some(odd);
                let expected = match note {
                    Some(note) => format!("{odd}; {note}"),
                    None => odd.to_string(),
                };
                assert_eq!(link.note_text().as_deref(), Some(expected.as_str()));
            }
        }
    }

    #[test]
    fn files_beyond_those_that_are_named_are_counted() {
        for count in [0, 1, 2, 3, 4, 99, 100, 101, 1000] {
            let files: Arc<[usize]> = (0..count).collect();
            let meant = Meant::Files(files.clone());
            assert_eq!((meant.files().count(), meant.more()), (count.min(100), count.max(100) - 100));
            let elsewhere = Meant::Elsewhere(files);
            assert_eq!((elsewhere.files().count(), elsewhere.more()), (0, count.max(3) - 3));
        }
        assert_eq!((Meant::Own.files().count(), Meant::Own.more()), (0, 0));
    }

    #[test]
    fn a_link_names_what_it_means_and_only_a_found_one_has_a_target() {
        let mut index = Index::new(&Scan::new(["none"]), &[]);
        index.allow_cost();
        let files: Arc<[usize]> = ["a", "b"].map(|path| index.add_file(None, path, false)).into();
        let unread = Unread { path: Path::new("x.zip").into(), member: None, note: String::new() };
        let member = name("m.lod", false);
        for &state in State::VARIANTS {
            for is_member in [false, true] {
                let mut link = Link::unread(&unread, &index);
                link.state = state;
                link.member = Some(&member).filter(|_| is_member);
                let own = if is_member { "x.zip!/m.lod" } else { "x.zip" };
                for (meant, targets, elsewhere) in [
                    (Meant::Own, &[own][..], &[][..]),
                    (Meant::Files(files.clone()), &["a", "b"], &[]),
                    (Meant::Elsewhere(files.clone()), &[], &["a", "b"]),
                ] {
                    link.meant = meant;
                    assert_eq!(texts(link.targets()), targets);
                    assert_eq!(texts(link.elsewhere()), elsewhere);
                    let target = link.target().map(|name| name.text);
                    let first = targets.first().copied().filter(|_| state == State::Found);
                    assert_eq!(target.as_deref(), first, "{state:?}");
                    check_json(&link);
                }
            }
        }
    }
}
