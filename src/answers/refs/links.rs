//! References, one by one, with the files that they mean.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;

use super::asker::Asker;
use super::configs::Ask;
use super::index::Index;
use super::keys::{Key, key};
use super::link::Link;
use super::resolved::Resolved;
use super::unread::Unread;
use super::unused::Unused;
use crate::base::error::Result;
use crate::base::impl_fmt::impl_fmt;
use crate::base::text::Name;
use crate::summary::ReferenceKind;

/// The callback for resolved references.
pub(super) type Each<'e> = dyn FnMut(&Link<'_>) -> ControlFlow<()> + 'e;

/// References, and the names of the files that they may mean. Each name is kept once, with some 60 bytes of overhead.
pub struct Links {
    pub(super) index: Index,
    pub(super) askers: Vec<Asker>,
}

impl Links {
    pub(super) fn of(mut index: Index) -> Result<Self> {
        // Without references, no files need to be found.
        if index.askers.is_empty() {
            index.allow_cost();
            return Ok(Self { index, askers: Vec::new() });
        }
        index.needs_game_paths = index.askers.iter().any(|asker| asker.in_game);
        let askers = index.prepare()?;
        Ok(Self { index, askers })
    }

    /// Passes each texture, material, model, animation and sound that no reference means to `each`, sorted by path and
    /// member, until it breaks. Passes all links to `link` before.
    ///
    /// # Errors
    /// Returns the errors of [`each`](Self::each).
    pub fn each_unused(
        mut self,
        mut link: impl FnMut(&Link<'_>),
        mut each: impl FnMut(&Unused<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        if self.askers.is_empty() {
            self.index.add_files(&mut [])?;
        }
        self.index.used = Some(vec![false; self.index.files.len()]);
        let mut listed = |found: &Link<'_>| {
            link(found);
            ControlFlow::Continue(())
        };
        if self.walk(&mut listed)?.is_continue() {
            self.each_unread(&mut listed);
        }
        for file in self.index.unused() {
            let Some(unused) = self.index.unused_at(file) else { break };
            if each(&unused).is_break() {
                break;
            }
        }
        self.index.cost.check()
    }

    /// Passes each resolved reference to the callback, sorted by path and member, until the callback breaks. Then come
    /// the assets, texts and archives whose references could not all be read, each with the state
    /// [`Unread`](super::State::Unread).
    ///
    /// # Errors
    /// Returns [`Limit`](crate::ErrorKind::Limit) if the addresses that the callback asked for exceed
    /// [`Limits::output`](crate::Limits::output), or the paths that are looked up exceed
    /// [`Limits::work`](crate::Limits::work): bytes for each byte of the files, and of 1 MiB for each file. If the
    /// callback reached the limit, its last link had fewer addresses than there are.
    pub fn each(mut self, mut each: impl FnMut(&Link<'_>) -> ControlFlow<()>) -> Result<()> {
        if self.walk(&mut each)?.is_continue() {
            self.each_unread(&mut each);
        }
        Ok(())
    }

    /// Passes what could not all be read.
    fn each_unread(&mut self, each: &mut Each<'_>) {
        self.index.unread.sort_by(Unread::order);
        self.index.unread.dedup_by(Unread::joins);
        for unread in &self.index.unread {
            if each(&Link::unread(unread, &self.index)).is_break() {
                return;
            }
        }
    }

    /// Passes each texture of a material to the callback that an ODOL model with a copy of this material does not
    /// have in the copy, until the callback breaks. Needs [`Rules::copies`](super::Rules::copies). Then come the assets that could not all be
    /// read, as in [`each`](Self::each).
    ///
    /// # Errors
    /// Returns the errors of [`each`](Self::each).
    pub fn each_stale(mut self, mut each: impl FnMut(&Link<'_>) -> ControlFlow<()>) -> Result<()> {
        let followed = self.followed();
        let hash = self.index.hash.clone();
        for asker in &self.askers {
            let Some(copies) = &asker.more().copies else { continue };
            for ask in &asker.asks {
                if ask.reference.kind != ReferenceKind::Material {
                    continue;
                }
                let material = self.index.resolve(asker, ask, None)?.meant;
                let mut files = material.files();
                let (Some(file), None) = (files.next(), files.next()) else { continue };
                let Some(&number) = followed.get(&file) else { continue };
                let Some(inner) = self.askers.get(number) else { continue };
                let via = inner.address();
                self.index.cost.compare(via.text.len())?;
                for texture in &inner.asks {
                    if texture.reference.kind != ReferenceKind::Texture {
                        continue;
                    }
                    let material = &ask.reference.name.text;
                    let name = &texture.reference.name.text;
                    self.index.cost.compare(material.len().saturating_add(name.len()))?;
                    if !copies.lacks(material, name, &hash) {
                        continue;
                    }
                    let resolved = self.index.resolve(inner, texture, None)?;
                    let flow = each(&link_of(&self.index, asker, texture, resolved, &via));
                    self.index.cost.check()?;
                    if flow.is_break() {
                        return Ok(());
                    }
                }
            }
        }
        self.each_unread(&mut each);
        Ok(())
    }

    /// The materials and included texts, by their files.
    pub(super) fn followed(&self) -> HashMap<usize, usize> {
        let mut by_address: HashMap<Key, usize> = HashMap::new();
        for (number, asker) in self.askers.iter().enumerate() {
            if asker.is_target {
                by_address.insert(key(&self.index.hash, &asker.address().text), number);
            }
        }
        if by_address.is_empty() {
            return HashMap::new();
        }
        let mut followed = HashMap::new();
        for (file, address) in self.index.address_keys().enumerate() {
            if let Some(&number) = by_address.get(&address) {
                followed.insert(file, number);
            }
        }
        followed
    }
}

/// A reference that this asset leads to.
fn link_of<'l>(index: &'l Index, asker: &'l Asker, ask: &'l Ask, resolved: Resolved, via: &'l Name) -> Link<'l> {
    let Resolved { state, meant, reason, odd, note } = resolved;
    Link {
        path: &asker.path,
        member: asker.member.as_ref(),
        reference: Some(&ask.reference),
        state,
        reason,
        odd,
        note: note.map(Cow::Owned),
        more: meant.more(),
        via: Some(via),
        place: ask.place(),
        meant,
        index,
    }
}

impl_fmt!([] Debug for Links, |links| "Links({} assets)", links.askers.len());

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Limits;
    use crate::answers::refs::configs::Copies;
    use crate::answers::refs::cost::Cost;
    use crate::answers::refs::files::Files;
    use crate::answers::refs::prefix::Given;
    use crate::answers::refs::resolved::State;
    use crate::base::code::Code;
    use crate::scan::Scan;
    use crate::summary::Reference;

    fn ask(kind: ReferenceKind, name: &str) -> Ask {
        Ask::of(Reference { kind, name: Name { text: name.to_owned(), lossy: false } })
    }

    fn asker(path: &str, asks: Vec<Ask>) -> Asker {
        let mut asker = Asker::new(Path::new(path).into(), None);
        (asker.in_game, asker.asks) = (true, asks.into());
        asker.is_followed = path.ends_with(".rvmat");
        asker.is_target = asker.is_followed;
        asker
    }

    /// A scan of the folder `mod`, with these limits.
    fn scan(limits: Limits) -> Scan {
        let mut scan = Scan::new(["mod"]);
        scan.limits = limits;
        scan
    }

    fn index(scan: &Scan, files: &[&str]) -> Index {
        let mut index = Index { given_prefix_files: Some(Given::new()), ..Index::new(scan, &[]) };
        for file in files {
            index.add_path(file.into()).unwrap();
        }
        index
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("{number}.paa")).collect()
    }

    /// The stale textures of a model that copied those of its material's textures that `is_copied` chooses.
    fn stale(limits: Limits, textures: &[String], is_copied: impl Fn(usize) -> bool) -> Result<Vec<String>> {
        let scan = scan(limits);
        let mut index = index(&scan, &["mod/m.rvmat", "mod/m.p3d"]);
        let asks = textures.iter().map(|name| ask(ReferenceKind::Texture, name));
        let asks = asks.chain([ask(ReferenceKind::Surface, "s.bisurf")]).collect();
        let copied: Vec<&String> = (0..textures.len()).filter(|&at| is_copied(at)).map(|at| &textures[at]).collect();
        let mut keys: std::collections::HashSet<Key> = std::collections::HashSet::new();
        if !copied.is_empty() {
            keys.insert(key(&index.hash, "m.rvmat\n"));
        }
        keys.extend(copied.iter().map(|name| key(&index.hash, &format!("m.rvmat\n{name}"))));
        let mut model = asker("mod/m.p3d", vec![ask(ReferenceKind::Material, "M.rvmat")]);
        model.more_mut().copies = Some(Copies(keys));
        index.askers = vec![asker("mod/m.rvmat", asks), model];
        let mut stale = Vec::new();
        Links::of(index)?.each_stale(|link| {
            assert_eq!((link.path, link.via.unwrap().text.as_str()), (Path::new("mod/m.p3d"), "mod/m.rvmat"));
            assert_eq!((link.state, link.reference.unwrap().kind), (State::Missing, ReferenceKind::Texture));
            stale.push(link.reference.unwrap().name.text.clone());
            ControlFlow::Continue(())
        })?;
        Ok(stale)
    }

    #[test]
    fn every_texture_that_is_not_in_the_copy_is_stale() {
        for textures in (0..6).map(names) {
            for copied in 0..1_usize << textures.len() {
                let is_copied = |at: usize| copied >> at & 1 == 1;
                // A model without any texture of the material has no copy of it.
                let expected = textures.iter().enumerate().filter(|&(at, _)| copied > 0 && !is_copied(at));
                let expected: Vec<String> = expected.map(|(_, name)| name.clone()).collect();
                assert_eq!(stale(Limits::default(), &textures, is_copied).unwrap(), expected, "{copied:b}");
            }
        }
        for last in [62, 63, 64, 65, 500] {
            assert_eq!(stale(Limits::default(), &names(last + 1), |at| at != last).unwrap(), [format!("{last}.paa")]);
        }
    }

    fn is_limit(result: Result<()>, limit: Code) -> bool {
        result.is_err_and(|error| error.code() == limit)
    }

    #[test]
    fn copies_and_lookups_are_charged() {
        let textures = names(20_000);
        let limits = |work| Limits::default().with_work(work);
        assert!(stale(limits(256), &textures, |_| true).unwrap().is_empty());
        // A mebibyte for each of the two files, and one more.
        assert!(is_limit(stale(limits(0), &textures, |_| true).map(drop), Code::WorkLimit));
        assert!(is_limit(stale(limits(1), &names(40_000), |_| true).map(drop), Code::WorkLimit));
        let resolved = |work| {
            let scan = scan(limits(work));
            let mut index = index(&scan, &["mod/m.p3d"]);
            index.askers =
                vec![asker("mod/m.p3d", textures.iter().map(|name| ask(ReferenceKind::Texture, name)).collect())];
            let mut count = 0;
            let result = Links::of(index).unwrap().each(|link| {
                assert_eq!(link.state, State::Missing);
                count += 1;
                ControlFlow::Continue(())
            });
            (result, count)
        };
        let (result, count) = resolved(256);
        assert_eq!((result.is_ok(), count), (true, 20_000));
        let (result, count) = resolved(1);
        // Each costs its name and 128 bytes.
        assert!(is_limit(result, Code::WorkLimit) && (14_000..16_384).contains(&count), "{count}");
    }

    #[test]
    fn addresses_are_charged_when_a_callback_asks_for_them() {
        let long = format!("mod/{}.paa", "n".repeat(60_000));
        let name = long.strip_prefix("mod/").unwrap().to_owned();
        let scan = scan(Limits::default().with_output(0));
        let links = |file: &str, name: &str| {
            let mut index = index(&scan, &[file]);
            index.askers = vec![asker("mod/m.p3d", (0..50).map(|_| ask(ReferenceKind::Texture, name)).collect())];
            Links::of(index).unwrap()
        };
        let mut count = 0;
        let result = links(&long, &name).each(|link| {
            assert_eq!((link.state, link.more, link.is_lossy()), (State::Found, 0, false));
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((result.is_ok(), count), (true, 50));
        // Found ones have one address, and files elsewhere up to three. A mebibyte holds 17.
        for (name, elsewhere) in [(name.as_str(), 0), (&format!("gone\\{name}"), 1)] {
            let mut given = 0;
            let result = links(&long, name).each(|link| {
                let (targets, others) = (link.targets().count(), link.elsewhere().count());
                assert!(targets <= 1 - elsewhere && others <= elsewhere);
                given += targets + others;
                ControlFlow::Continue(())
            });
            assert!(is_limit(result, Code::OutputLimit));
            assert_eq!(given, 17, "{elsewhere}");
        }
    }

    /// Names of the asset, of what leads to the reference, of the reference, and of the files that it means or that have
    /// its name.
    #[test]
    #[cfg(unix)]
    fn a_link_is_lossy_if_any_name_in_it_is() {
        use std::os::unix::ffi::OsStrExt;
        let lossy = Path::new(std::ffi::OsStr::from_bytes(b"o\xff/x.paa"));
        for place in ["nothing", "path", "member", "via", "reference", "target", "elsewhere"] {
            let scan = Scan::new([Path::new("mod"), lossy.parent().unwrap()]);
            let mut index = index(&scan, &["mod/m.rvmat"]);
            index
                .add_path(if matches!(place, "target" | "elsewhere") { lossy.into() } else { "mod/x.paa".into() })
                .unwrap();
            let name = if place == "elsewhere" { "gone\\x.paa" } else { "x.paa" };
            let mut texture = ask(ReferenceKind::Texture, name);
            texture.reference.name.lossy = place == "reference";
            let mut material = asker("mod/m.rvmat", vec![texture]);
            material.is_followed = true;
            material.is_target = true;
            let mut asset = asker("mod/m.p3d", vec![ask(ReferenceKind::Material, "m.rvmat")]);
            if place == "path" {
                asset.path = Path::new(std::ffi::OsStr::from_bytes(b"mod/\xff.p3d")).into();
            }
            if place == "member" {
                asset.member = Some(Name { text: "m.p3d".to_owned(), lossy: true });
            }
            if place == "via" {
                material.path = lossy.with_file_name("v.rvmat").into();
                index.add_path(lossy.with_file_name("v.rvmat")).unwrap();
                asset.asks = [ask(ReferenceKind::Material, "v.rvmat")].into();
            }
            index.askers = vec![asset, material];
            let mut seen = Vec::new();
            let each = |link: &Link<'_>| {
                if link.reference.unwrap().kind == ReferenceKind::Texture {
                    assert_eq!(link.state, if place == "elsewhere" { State::Missing } else { State::Found }, "{place}");
                    seen.push((link.via.is_some(), link.is_lossy()));
                }
                ControlFlow::Continue(())
            };
            Links::of(index).unwrap().each(each).unwrap();
            assert_eq!(seen, [(true, place != "nothing")], "{place}");
        }
    }

    #[test]
    fn given_files_allow_lookups_and_addresses_by_their_sizes() {
        let scan = scan(Limits::default());
        for (bytes, member) in [(0, false), (1_000, false), (1_000, true)] {
            let mut files = Files::new(&scan, &[]);
            let mut record = scan.record(Path::new("mod/a.txt"), b"");
            if member {
                record.member = Some(Name { text: "a".to_owned(), lossy: false });
            }
            files.add(record, &vec![b'x'; bytes], None).unwrap();
            files.add_path("mod/b".into()).unwrap();
            let index = files.links().unwrap().index;
            // Members lie in files that count already.
            let (loose, own) = if member { (1, 0) } else { (2, bytes as u64) };
            let expected = Cost::new(loose, own, &scan.limits);
            assert_eq!(format!("{:?}", index.cost), format!("{expected:?}"), "{bytes} {member}");
        }
    }

    /// Up to a hundred files that a name may mean are named, and up to three of its name elsewhere.
    #[test]
    fn the_first_files_are_named_and_the_rest_are_counted() {
        for count in [0_usize, 1, 2, 3, 4, 5, 99, 100, 101, 102] {
            let roots: Vec<String> = (0..count).map(|number| format!("r{number:03}")).collect();
            for (name, is_elsewhere) in [("x.paa", false), ("gone\\x.paa", true)] {
                let scan = Scan::new(std::iter::once("mod").chain(roots.iter().map(String::as_str)));
                let mut index = index(&scan, &["mod/m.p3d"]);
                // Found in another order.
                for root in roots.iter().rev() {
                    index.add_path(format!("{root}/x.paa").into()).unwrap();
                }
                index.askers = vec![asker("mod/m.p3d", vec![ask(ReferenceKind::Texture, name)])];
                let mut seen = 0;
                let each = |link: &Link<'_>| {
                    seen += 1;
                    let state = match count {
                        0 => State::Missing,
                        _ if is_elsewhere => State::Missing,
                        1 => State::Found,
                        _ => State::Ambiguous,
                    };
                    assert_eq!(link.state, state, "{count} {name}");
                    let most = if is_elsewhere { 3 } else { 100 };
                    let named: Vec<String> = roots.iter().take(most).map(|root| format!("{root}/x.paa")).collect();
                    let (targets, elsewhere) = if is_elsewhere { (vec![], named) } else { (named, vec![]) };
                    let texts = |names: &mut dyn Iterator<Item = Name>| -> Vec<String> {
                        names.map(|name| name.text.replace('\\', "/")).collect()
                    };
                    assert_eq!(texts(&mut link.targets()), targets, "{count} {name}");
                    assert_eq!(texts(&mut link.elsewhere()), elsewhere, "{count} {name}");
                    assert_eq!(link.more, count.saturating_sub(most), "{count} {name}");
                    let target = link.target().map(|target| target.text.replace('\\', "/"));
                    assert_eq!(target, if state == State::Found { targets.first().cloned() } else { None });
                    let json = serde_json::to_value(link).unwrap();
                    for (key, is_there) in [
                        ("lossy", false),
                        ("targets", state == State::Ambiguous),
                        ("elsewhere", !elsewhere.is_empty()),
                        ("more", count > most),
                        ("line", false),
                        ("column", false),
                    ] {
                        assert_eq!(json.get(key).is_some(), is_there, "{count} {name} {key}: {json}");
                    }
                    assert_eq!(json["target"].is_string(), state == State::Found);
                    ControlFlow::Continue(())
                };
                Links::of(index).unwrap().each(each).unwrap();
                assert_eq!(seen, 1);
            }
        }
    }

    #[test]
    fn stale_textures_are_those_of_one_material_that_was_read_for_a_model_with_a_copy() {
        use ReferenceKind::{File, Include, Material, Model, Proxy, Surface, Texture};
        for kind in [File, Include, Material, Model, Proxy, Surface, Texture] {
            for files in [&[][..], &["r1/m.rvmat"], &["r1/m.rvmat", "r2/m.rvmat"]] {
                for (is_read, has_copies) in [(false, false), (false, true), (true, false), (true, true)] {
                    let scan = Scan::new(["mod", "r1", "r2"]);
                    let mut index = index(&scan, files);
                    index.add_path("mod/m.p3d".into()).unwrap();
                    let mut model = asker("mod/m.p3d", vec![ask(kind, "m.rvmat")]);
                    if has_copies {
                        model.more_mut().copies = Some(Copies([key(&index.hash, "m.rvmat\n")].into()));
                    }
                    // Only textures of the material are copied.
                    let asks = [File, Include, Material, Model, Proxy, Surface, Texture].map(|kind| ask(kind, "x.paa"));
                    index.askers = vec![model];
                    if is_read {
                        index.askers.push(asker("r1/m.rvmat", asks.into()));
                    }
                    let mut seen = Vec::new();
                    let each = |link: &Link<'_>| {
                        seen.push(link.reference.unwrap().kind);
                        ControlFlow::Continue(())
                    };
                    Links::of(index).unwrap().each_stale(each).unwrap();
                    let is_stale = kind == Material && files.len() == 1 && is_read && has_copies;
                    let expected: &[ReferenceKind] = if is_stale { &[Texture] } else { &[] };
                    assert_eq!(seen, expected, "{kind:?} {files:?} {is_read} {has_copies}");
                }
            }
        }
    }

    /// Three links, and after them two assets that could not be read.
    #[test]
    fn links_come_before_what_is_unread_until_the_callback_breaks() {
        for is_stale in [false, true] {
            for last in 0..6 {
                let scan = scan(Limits::default());
                let mut index = index(&scan, &["mod/m.rvmat", "mod/m.p3d"]);
                let textures = ["0.paa", "1.paa", "2.paa"].map(|name| ask(ReferenceKind::Texture, name));
                let mut model = asker("mod/m.p3d", vec![ask(ReferenceKind::Material, "m.rvmat")]);
                index.askers = vec![asker("mod/m.rvmat", textures.into())];
                if is_stale {
                    model.more_mut().copies = Some(Copies([key(&index.hash, "m.rvmat\n")].into()));
                    index.askers.push(model);
                }
                for path in ["mod/z", "mod/a", "mod/z"] {
                    index.add_unread(Path::new(path).into(), None, "why".to_owned()).unwrap();
                }
                let mut seen = Vec::new();
                let each = |link: &Link<'_>| {
                    let name = link.reference.map(|reference| reference.name.text.clone());
                    seen.push(
                        name.unwrap_or_else(|| format!("{} {}", link.path.display(), link.note.as_ref().unwrap())),
                    );
                    if seen.len() > last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                };
                let links = Links::of(index).unwrap();
                if is_stale { links.each_stale(each) } else { links.each(each) }.unwrap();
                let all = ["0.paa", "1.paa", "2.paa", "mod/a why", "mod/z why; why"];
                assert_eq!(seen, all[..all.len().min(last + 1)], "{is_stale} {last}");
            }
        }
    }

    #[test]
    fn files_that_nothing_means_come_after_all_links_until_the_callback_breaks() {
        for has_links in [false, true] {
            for last in 0..4 {
                let scan = scan(Limits::default());
                let mut index = index(&scan, &["mod/m.p3d", "mod/c.paa", "mod/b.paa", "mod/a.paa", "mod/a.txt"]);
                if has_links {
                    index.askers = vec![asker("mod/m.p3d", vec![ask(ReferenceKind::Texture, "b.paa")])];
                }
                index.add_unread(Path::new("mod/z").into(), None, "why".to_owned()).unwrap();
                let (mut links, mut unused) = (Vec::new(), Vec::new());
                let each = |file: &Unused<'_>| {
                    unused.push(file.path.to_str().unwrap().replace('\\', "/"));
                    if unused.len() > last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                };
                Links::of(index).unwrap().each_unused(|link| links.push(link.state), each).unwrap();
                let states = [State::Found, State::Unread];
                assert_eq!(links, states[usize::from(!has_links)..]);
                let mut expected = vec!["mod/a.paa", "mod/b.paa", "mod/c.paa", "mod/m.p3d"];
                expected.retain(|path| !has_links || *path != "mod/b.paa");
                expected.truncate(last + 1);
                assert_eq!(unused, expected, "{has_links} {last}");
            }
        }
    }
}
