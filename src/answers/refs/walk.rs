//! The walk over all references: each asset, and the materials and texts that it leads to.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use super::asker::Asker;
use super::configs::{Ask, Usage, folder};
use super::index::Index;
use super::link::Link;
use super::links::{Each, Links};
use super::resolved::{Meant, Resolved, State};
use crate::asset::address::MemberPath;
use crate::base::error::{Error, Result};
use crate::base::text::{ByteStr, Name};
use crate::formats::rap::macros::Macros;
use crate::formats::rap::text::{Reader, Way};
use crate::scan::config_names::{is_config, is_mission};
use crate::summary::{Reference, ReferenceKind};

/// A text that is being read.
struct Step {
    asker: usize,
    /// The next reference.
    next: usize,
    /// The next definition of a macro.
    next_define: usize,
    /// The address of the text, unless it is the asset itself.
    via: Option<Name>,
    /// True if its references were listed before: only its macros matter.
    is_listed: bool,
}

/// What one reference comes to, once its macros are expanded.
struct Answer<'a> {
    reference: Cow<'a, Reference>,
    resolved: Resolved,
}

impl Links {
    /// Passes each resolved reference to the callback, until it breaks.
    pub(super) fn walk(&mut self, each: &mut Each<'_>) -> Result<ControlFlow<()>> {
        let followed = self.followed();
        let mut seen = vec![false; self.askers.len()];
        for is_followed in [false, true] {
            for (root, asker) in self.askers.iter().enumerate() {
                let is_next = asker.is_followed == is_followed && !asker.is_included;
                if !is_next || mark_seen(&mut seen, root) {
                    continue;
                }
                let mut walk = Walk {
                    askers: &self.askers,
                    index: &mut self.index,
                    followed: &followed,
                    seen: &mut seen,
                    asker,
                    mission: mission_of(asker),
                    macros: Macros::default(),
                    root,
                    loaded: HashSet::new(),
                };
                if walk.run(each)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Marks an asker as seen. Returns true if it was seen before, or if there is none with this number.
fn mark_seen(seen: &mut [bool], asker: usize) -> bool {
    match seen.get_mut(asker) {
        Some(is_seen) => std::mem::replace(is_seen, true),
        None => true,
    }
}

/// The folder of a mission: its texts name files in it.
fn mission_of(asker: &Asker) -> Option<&str> {
    if !is_mission(MemberPath::own_name(&asker.path, asker.member.as_ref())) {
        return None;
    }
    Some(folder(&asker.more().home.path))
}

/// The walk from one asset.
struct Walk<'w> {
    askers: &'w [Asker],
    index: &'w mut Index,
    followed: &'w HashMap<usize, usize>,
    seen: &'w mut [bool],
    asker: &'w Asker,
    /// The index of the asker.
    root: usize,
    mission: Option<&'w str>,
    macros: Macros<'w>,
    /// The texts whose macros are known, besides that of the asker. Most include none, and a set without elements takes no
    /// memory.
    loaded: HashSet<usize>,
}

impl<'w> Walk<'w> {
    fn run(&mut self, each: &mut Each<'_>) -> Result<ControlFlow<()>> {
        let mut around = vec![Step { asker: self.root, next: 0, next_define: 0, via: None, is_listed: false }];
        while let Some(step) = around.last_mut() {
            let Some(inner) = self.askers.get(step.asker) else { break };
            self.define(inner, step);
            let Some(ask) = inner.asks.get(step.next) else {
                around.pop();
                continue;
            };
            step.next = step.next.saturating_add(1);
            if step.is_listed && ask.reference.kind != ReferenceKind::Include {
                continue;
            }
            let mut further = Vec::new();
            for answer in self.answers(inner, ask)? {
                let kind = answer.reference.kind;
                let link = self.link(&answer, ask, step.via.as_ref());
                if !step.is_listed {
                    let flow = each(&link);
                    self.index.cost.check()?;
                    if flow.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                if matches!(kind, ReferenceKind::Material | ReferenceKind::Include) {
                    further.extend(answer.resolved.meant.files());
                }
            }
            let is_listed = step.is_listed;
            let is_include = ask.reference.kind == ReferenceKind::Include;
            for file in further {
                if let Some(inner) = self.follow(file, is_include, is_listed)? {
                    around.push(inner);
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Begins the text or material that a reference means, unless it was read before. An included text begins once for
    /// each asset even so, only for its macros.
    fn follow(&mut self, file: usize, is_include: bool, is_listed: bool) -> Result<Option<Step>> {
        let Some(&inner) = self.followed.get(&file) else { return Ok(None) };
        let Some(text) = self.askers.get(inner) else { return Ok(None) };
        let is_new = is_include && inner != self.root && self.loaded.insert(inner);
        // What is read only for macros is not listed, so it does not count as seen.
        let was_seen =
            if is_listed { self.seen.get(inner).copied().unwrap_or(true) } else { mark_seen(self.seen, inner) };
        let was_read = is_listed || was_seen;
        // Texts may include each other.
        if was_read && !is_new {
            return Ok(None);
        }
        if let Some(cut) = &text.more().cut
            && !was_seen
        {
            self.index.add_unread(text.path.clone(), text.member.clone(), cut.clone())?;
        }
        let via = Some(text.address());
        Ok(Some(Step { asker: inner, next: 0, next_define: 0, via, is_listed: was_read }))
    }

    /// Applies the definitions before the next reference.
    fn define(&mut self, inner: &'w Asker, step: &mut Step) {
        while let Some((before, define)) = inner.more().defines.get(step.next_define)
            && *before <= step.next
        {
            self.macros.add(define);
            step.next_define = step.next_define.saturating_add(1);
        }
    }

    /// A reference that the asset leads to.
    fn link<'l>(&'l self, answer: &'l Answer<'_>, ask: &'l Ask, via: Option<&'l Name>) -> Link<'l> {
        let Resolved { state, reason, odd, ref note, ref meant } = answer.resolved;
        let mut note = note.as_deref().map(Cow::Borrowed);
        if note.is_none() && ask.reference.kind == ReferenceKind::Include && self.is_passed_over(meant) {
            note = Some("not read: the name is not that of a text of a config".into());
        }
        Link {
            path: &self.asker.path,
            member: self.asker.member.as_ref(),
            reference: Some(&answer.reference),
            state,
            reason,
            odd,
            note,
            more: meant.more(),
            via,
            place: ask.place(),
            meant: meant.clone(),
            index: self.index,
        }
    }

    /// Returns true if an include means a file that is not read as text.
    fn is_passed_over(&self, meant: &Meant) -> bool {
        let Some(file) = meant.files().next() else { return false };
        !is_config(std::path::Path::new(self.index.name_of(file)))
    }

    /// Returns what a reference comes to: itself, or what its macros expand to.
    fn answers<'a>(&mut self, inner: &'a Asker, ask: &'a Ask) -> Result<Vec<Answer<'a>>> {
        let Some(usage) = ask.usage() else {
            let resolved = self.index.resolve(inner, ask, self.mission)?;
            return Ok(vec![Answer { reference: Cow::Borrowed(&ask.reference), resolved }]);
        };
        let expansion = match self.macros.expand(&usage.text, &self.index.scan.limits) {
            Ok(expansion) => expansion,
            Err(error) => {
                self.add_failed_expansion(inner, ask, &error)?;
                return Ok(Vec::new());
            }
        };
        self.index.cost.expand(expansion.work)?;
        if !expansion.is_changed {
            return self.as_written(inner, ask, usage, expansion.failure.as_deref());
        }
        let text = usage.with(&expansion.text);
        let mut answers = Vec::new();
        for event in Reader::new(&text) {
            let Some(found) = event.ask() else { continue };
            if found.kind == ReferenceKind::Include {
                continue;
            }
            let reference = Reference { kind: found.kind, name: Name::from(ByteStr::new(&found.name)) };
            let expanded = Ask::in_text(reference, ask.place(), found.way, None);
            let mut resolved = self.index.resolve(inner, &expanded, self.mission)?;
            if resolved.state == State::Unresolved {
                resolved.note = Some(why_unresolved(expansion.failure.as_deref(), &expanded));
            }
            answers.push(Answer { reference: Cow::Owned(expanded.reference), resolved });
        }
        if answers.is_empty() && expansion.failure.is_some() && usage.is_sure {
            return self.as_written(inner, ask, usage, expansion.failure.as_deref());
        }
        if let [answer] = &mut answers[..]
            && usage.is_scalar()
        {
            let mut reference = ask.reference.clone();
            reference.kind = answer.reference.kind;
            answer.reference = Cow::Owned(reference);
            // The definition may depend on macros that are not known.
            let is_built_in = matches!(ask.way(), Way::Built { .. });
            if is_built_in && answer.resolved.state != State::Found {
                let resolved = self.index.resolve(inner, ask, self.mission)?;
                if matches!(resolved.state, State::Found | State::Ambiguous) {
                    answer.resolved = resolved;
                }
            }
        }
        Ok(answers)
    }

    /// What a use of macros comes to that are not defined.
    fn as_written<'a>(
        &mut self,
        inner: &'a Asker,
        ask: &'a Ask,
        usage: &Usage,
        failure: Option<&str>,
    ) -> Result<Vec<Answer<'a>>> {
        if !usage.is_sure {
            return Ok(Vec::new());
        }
        let mut resolved = self.index.resolve(inner, ask, self.mission)?;
        if resolved.state == State::Unresolved {
            resolved.note = Some(why_unresolved(failure, ask));
        }
        Ok(vec![Answer { reference: Cow::Borrowed(&ask.reference), resolved }])
    }

    /// Says once for a text that its macros could not be expanded.
    fn add_failed_expansion(&mut self, inner: &Asker, ask: &Ask, error: &Error) -> Result<()> {
        if let Some(last) = self.index.unread.last()
            && last.path == inner.path
            && last.member == inner.member
        {
            return Ok(());
        }
        let line = match ask.place() {
            Some((line, _)) => line,
            None => 0,
        };
        let note = format!("line {line}: {}", error.message());
        self.index.add_unread(inner.path.clone(), inner.member.clone(), note)
    }
}

/// Why macros did not lead to a path: the failure of their expansion, if there was one.
fn why_unresolved(failure: Option<&str>, ask: &Ask) -> String {
    match failure {
        Some(failure) => failure.to_owned(),
        None => format!("the macro {} is not defined", ask.reference.name.text),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::configs::Text;
    use super::super::prefix::Given;
    use super::*;
    use crate::Limits;
    use crate::scan::Scan;

    fn ask(kind: ReferenceKind, name: &str) -> Ask {
        Ask::of(Reference { kind, name: Name { text: name.to_owned(), lossy: false } })
    }

    fn asker(path: &str, asks: Vec<Ask>) -> Asker {
        let mut asker = Asker::new(Path::new(path).into(), None);
        (asker.in_game, asker.asks) = (true, asks.into());
        asker.is_included = path.ends_with(".hpp");
        asker.is_followed = asker.is_included || path.ends_with(".rvmat");
        asker.is_target = !path.ends_with(".p3d");
        asker
    }

    /// A config with this content.
    fn config(path: &str, text: &str) -> Asker {
        let Text { asks, defines, .. } = Text::read(Path::new(path), text.as_bytes(), &Limits::default());
        let mut asker = asker(path, asks);
        asker.more_mut().defines = defines;
        asker
    }

    /// The links of these askers, and of further files that they may name.
    fn links(askers: Vec<Asker>, files: &[&str]) -> Links {
        let scan = Scan::new(["m"]);
        let mut index = Index { given_prefix_files: Some(Given::new()), ..Index::new(&scan, &[]) };
        for path in askers.iter().map(|asker| asker.path.to_path_buf()).chain(files.iter().map(|file| file.into())) {
            index.add_path(path).unwrap();
        }
        index.askers = askers;
        Links::of(index).unwrap()
    }

    /// Each link as its asset, what leads to it, its name and its state, such as `a.p3d>x.rvmat: t.paa found`.
    fn rows(askers: Vec<Asker>, files: &[&str]) -> Vec<String> {
        let mut rows = Vec::new();
        let each = |link: &Link<'_>| {
            let last = |text: &str| text.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
            let mut row = last(link.path.to_str().unwrap());
            if let Some(via) = link.via {
                row = format!("{row}>{}", last(&via.text));
            }
            let name = link.reference.map_or("", |reference| &reference.name.text);
            let target = link.target().map_or(String::new(), |target| format!(" {}", last(&target.text)));
            let note = link.note.as_ref().map_or(String::new(), |note| format!(" ({note})"));
            rows.push(format!("{row}: {name} {}{target}{note}", link.state));
            ControlFlow::Continue(())
        };
        links(askers, files).each(each).unwrap();
        rows
    }

    const ASSETS: [&str; 5] = ["a.p3d", "b.p3d", "x.rvmat", "y.rvmat", "z.rvmat"];

    /// The rule once more: what a material names comes after the first reference to it.
    fn visit(asset: usize, edges: &[Vec<usize>; 5], seen: &mut [bool; 5], row: &str, rows: &mut Vec<String>) {
        rows.push(format!("{row}: first{asset}.paa missing"));
        for &other in &edges[asset] {
            rows.push(format!("{row}: {} found {0}", ASSETS[other]));
            if !std::mem::replace(&mut seen[other], true) {
                let root = row.split('>').next().unwrap();
                visit(other, edges, seen, &format!("{root}>{}", ASSETS[other]), rows);
            }
        }
        rows.push(format!("{row}: last{asset}.paa missing"));
    }

    #[test]
    fn each_material_is_listed_once_after_its_first_reference_or_at_the_end() {
        let possible: [&[usize]; 5] = [&[2, 3], &[2, 3, 4], &[2, 3], &[2, 4], &[3]];
        for number in 0..1_usize << 10 {
            let mut bits = number;
            let edges = possible.map(|others| {
                let chosen = others.iter().enumerate().filter(|(place, _)| bits >> place & 1 != 0);
                let chosen: Vec<usize> = chosen.map(|(_, other)| *other).collect();
                bits >>= others.len();
                chosen
            });
            let mut askers = Vec::new();
            for (asset, edges) in edges.iter().enumerate() {
                let mut asks = vec![ask(ReferenceKind::Texture, &format!("first{asset}.paa"))];
                asks.extend(edges.iter().map(|&other| ask(ReferenceKind::Material, ASSETS[other])));
                asks.push(ask(ReferenceKind::Texture, &format!("last{asset}.paa")));
                askers.push(asker(&format!("m/{}", ASSETS[asset]), asks));
            }
            // They are found in any order.
            askers.rotate_left(number % 5);
            let (mut seen, mut expected) = ([false; 5], Vec::new());
            for asset in 0..5 {
                if !std::mem::replace(&mut seen[asset], true) {
                    visit(asset, &edges, &mut seen, ASSETS[asset], &mut expected);
                }
            }
            assert_eq!(rows(askers, &[]), expected, "{edges:?}");
        }
    }

    #[test]
    fn only_materials_and_includes_lead_to_further_references() {
        use ReferenceKind::{File, Include, Material, Model, Proxy, Surface, Texture};
        for kind in [File, Include, Material, Model, Proxy, Surface, Texture] {
            for name in ["x.rvmat", "h.hpp"] {
                let texture = || vec![ask(Texture, "t.paa")];
                let askers = vec![
                    asker("m/a.p3d", vec![ask(kind, name), ask(Texture, "u.paa")]),
                    asker("m/h.hpp", texture()),
                    asker("m/x.rvmat", texture()),
                ];
                let mut expected = vec![format!("a.p3d: {name} found {name}"), "a.p3d: u.paa missing".to_owned()];
                let is_followed = matches!(kind, Material | Include);
                if is_followed {
                    expected.insert(1, format!("a.p3d>{name}: t.paa missing"));
                }
                // A material means something by itself, an included text does not.
                if !is_followed || name == "h.hpp" {
                    expected.push("x.rvmat: t.paa missing".to_owned());
                }
                assert_eq!(rows(askers, &[]), expected, "{kind:?} {name}");
            }
        }
    }

    #[test]
    fn macros_count_from_their_definition_on_and_are_read_from_each_included_text_once_for_each_config() {
        let one = "unresolved (the macro ONE is not defined)";
        let deep = "#define ONE \"1.paa\"\nicon = \"deep.paa\";\n";
        for (a, b, h, expected) in [
            ("texture = ONE;\n#define ONE \"1.paa\"\n", "", "", vec![format!("a.cpp: ONE {one}")]),
            ("#define ONE \"1.paa\"\ntexture = ONE;\n", "", "", vec!["a.cpp: ONE found 1.paa".to_owned()]),
            ("#define ONE \"1.paa\"\n#undef ONE\ntexture = ONE;\n", "", "", vec![format!("a.cpp: ONE {one}")]),
            // The last definition counts, and those of one config are none of the next.
            (
                "#define ONE \"2.paa\"\n#define ONE \"1.paa\"\ntexture = ONE;\n",
                "texture = ONE;\n",
                "",
                vec!["a.cpp: ONE found 1.paa".to_owned(), format!("b.cpp: ONE {one}")],
            ),
            (
                "texture = ONE;\n#include \"h.hpp\"\nicon = TWO;\n",
                "#include \"h.hpp\"\ntexture = ONE;\n#include \"./h.hpp\"\n",
                "#include \"deep.hpp\"\n#define TWO \"2.paa\"\nicon = \"h.paa\";\n#include \"h.hpp\"\n",
                vec![
                    format!("a.cpp: ONE {one}"),
                    "a.cpp: h.hpp found h.hpp".to_owned(),
                    "a.cpp>h.hpp: deep.hpp found deep.hpp".to_owned(),
                    "a.cpp>deep.hpp: deep.paa missing".to_owned(),
                    "a.cpp>h.hpp: h.paa missing".to_owned(),
                    "a.cpp>h.hpp: h.hpp found h.hpp".to_owned(),
                    "a.cpp: TWO found 2.paa".to_owned(),
                    "b.cpp: h.hpp found h.hpp".to_owned(),
                    "b.cpp: ONE found 1.paa".to_owned(),
                    "b.cpp: ./h.hpp found h.hpp".to_owned(),
                ],
            ),
        ] {
            let askers =
                vec![config("m/a.cpp", a), config("m/b.cpp", b), config("m/deep.hpp", deep), config("m/h.hpp", h)];
            assert_eq!(rows(askers, &["m/1.paa", "m/2.paa"]), expected, "{a} {b}");
        }
    }

    #[test]
    fn why_a_text_is_not_read_in_full_is_said_once_if_it_is_included() {
        for including in 0..1 << 3 {
            let is_including = |number: usize| including >> number & 1 != 0;
            let mut askers = Vec::new();
            for (number, name) in ["a.cpp", "b.cpp", "c.cpp"].iter().enumerate() {
                let text = if is_including(number) { "#include \"h.hpp\"\n" } else { "picture = \"x.paa\";\n" };
                askers.push(config(&format!("m/{name}"), text));
            }
            let mut h = config("m/h.hpp", "picture = \"h.paa\";\n");
            h.more_mut().cut = Some("why".to_owned());
            askers.push(h);
            let rows = rows(askers, &[]);
            let unread: Vec<&String> = rows.iter().filter(|row| row.contains("unread")).collect();
            let expected: &[&str] = if including == 0 { &[] } else { &["h.hpp:  unread (why)"] };
            assert_eq!(unread, expected, "{including:b}");
            let lists = rows.iter().filter(|row| row.contains("h.paa")).count();
            assert_eq!(lists, usize::from(including != 0), "{rows:?}");
        }
    }

    #[test]
    fn an_include_of_what_is_no_text_of_a_config_says_that_it_is_not_read() {
        for kind in [ReferenceKind::Include, ReferenceKind::File, ReferenceKind::Texture, ReferenceKind::Material] {
            for (file, is_text) in
                [("h.hpp", true), ("H.INC", true), ("a.cpp", true), ("x.txt", false), ("x", false), ("x.paa", false)]
            {
                for is_there in [false, true] {
                    let path = format!("m/{file}");
                    let files: &[&str] = if is_there { &[&path] } else { &[] };
                    let rows = rows(vec![asker("m/b.p3d", vec![ask(kind, file)])], files);
                    let is_said = is_there && !is_text && kind == ReferenceKind::Include;
                    let note = " (not read: the name is not that of a text of a config)";
                    let state = if is_there { format!("found {file}") } else { "missing".to_owned() };
                    assert_eq!(rows, [format!("b.p3d: {file} {state}{}", if is_said { note } else { "" })]);
                }
            }
        }
    }

    /// What a use of macros comes to, with its kind.
    #[test]
    fn a_macro_comes_to_all_references_that_it_stands_for_and_a_value_keeps_its_name() {
        for (text, expected) in [
            ("#define T \"1.paa\"\ntexture = T;", &["texture T found 1.paa"][..]),
            // The kind is that of what it stands for.
            ("#define T \"x.rvmat\"\ntexture = T;", &["material T missing"]),
            ("#define T 5\ntexture = T;", &[]),
            ("#define T \"1.paa\",\"2.paa\"\nx[] = {T};", &[]),
            (
                "#define T \"1.paa\",\"2.paa\"\ntexture[] = {T};",
                &["texture 1.paa found 1.paa", "texture 2.paa found 2.paa"],
            ),
            (
                "#define BOTH texture = \"1.paa\"; class A { icon = \"2.paa\"; }\nBOTH",
                &["texture 1.paa found 1.paa", "texture 2.paa found 2.paa"],
            ),
            (
                "#define BOTH(a,b) texture = a; icon = b;\nBOTH(\"1.paa\",\"3.paa\")",
                &["texture 1.paa found 1.paa", "texture 3.paa missing"],
            ),
            ("NONE", &[]),
            ("NONE(x)", &[]),
            ("NONE(1.paa)", &["texture NONE(1.paa) unresolved"]),
            ("#define F(x) #x\nmass = F(1.paa);", &["texture F(1.paa) found 1.paa"]),
            ("#define F(x) \"y\"\nmass = F(1.paa);", &[]),
            ("mass = F(1.paa);", &["texture F(1.paa) unresolved"]),
            ("mass = F(x);", &[]),
        ] {
            let mut found = Vec::new();
            links(vec![config("m/config.cpp", &format!("class A;\n{text}"))], &["m/1.paa", "m/2.paa"])
                .each(|link| {
                    let reference = link.reference.unwrap();
                    let target = link
                        .target()
                        .map_or(String::new(), |target| target.text.replace(['/', '\\'], "").replacen('m', " ", 1));
                    found.push(format!("{} {} {}{target}", reference.kind.name(), reference.name.text, link.state));
                    ControlFlow::Continue(())
                })
                .unwrap();
            assert_eq!(found, expected, "{text}");
        }
    }
}
