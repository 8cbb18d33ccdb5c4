//! Assets, texts and archives whose references could not all be read.

use std::path::Path;
use std::sync::Arc;

use crate::answers::replaced::replaces_asset;
use crate::asset::address::MemberPath;
use crate::base::code::Code;
use crate::base::format::Format;
use crate::base::text::Name;
use crate::scan::Record;
use crate::scan::config_names::{is_config, is_surely_config};
use crate::scan::order::by_bytes;
use crate::summary::Severity;

/// An asset, text, archive or folder whose references could not all be read.
pub(super) struct Unread {
    pub(super) path: Arc<Path>,
    pub(super) member: Option<Name>,
    /// The reason.
    pub(super) note: String,
}

impl Unread {
    /// Joins the reason to that of `first` if both are about one asset, text or archive. Returns true in this case.
    pub(super) fn joins(&mut self, first: &mut Self) -> bool {
        if self.path != first.path || self.member != first.member {
            return false;
        }
        first.note.push_str("; ");
        first.note.push_str(&self.note);
        true
    }

    pub(super) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_path = by_bytes(&self.path, &other.path);
        if by_path.is_ne() {
            return by_path;
        }
        match (&self.member, &other.member) {
            (Some(one), Some(other)) => one.text.cmp(&other.text),
            (one, other) => one.is_some().cmp(&other.is_some()),
        }
    }
}

/// Returns true for formats whose assets name other files: not for textures and their indices, animations, keys and
/// signatures.
fn names_files(format: Format) -> bool {
    let is_animation = matches!(format, Format::Rtm | Format::Bmtr);
    let is_texture = matches!(format, Format::Paa | Format::TexHeaders);
    !is_animation && !is_texture && !matches!(format, Format::Bikey | Format::Bisign)
}

/// Returns why not all references of this asset could be read, or `None` if they all were. Says nothing about texts.
pub(super) fn reason(record: &Record) -> Option<String> {
    let summary = &record.summary;
    // The name of a member need not show its format, so any of them may name files.
    let unread = summary.unchecked.total();
    // Most records have no problems, and need no look at their names.
    if summary.problems.is_empty() {
        return if unread > 0 { Some(unread_members(unread)) } else { None };
    }
    let name = MemberPath::own_name(&record.path, record.member.as_ref());
    if let Some(format) = summary.format
        && !names_files(format)
    {
        return None;
    }
    let ending = Format::from_extension(name);
    let promised = ending.filter(|format| names_files(*format));
    // Counts are unknown if the content was not read.
    let is_read = summary.format.is_some() && summary.counts.iter().all(|(_, count)| count.is_some());
    for problem in &summary.problems {
        // A wrong checksum hides no name in what is read nevertheless, such as a PBO.
        let hides_names = problem.code != Code::Checksum || !is_read;
        let is_error = problem.severity == Severity::Error && hides_names;
        let is_in_place_of_config = match problem.code {
            Code::LfsPointer => is_config(name),
            Code::Unknown => is_surely_config(name),
            _ => false,
        };
        let is_in_place_of_asset = is_in_place_of_config || replaces_asset(problem.code, promised);
        let is_named_text = summary.format.is_none() && is_config(name);
        if is_in_place_of_asset || is_error && (summary.format.is_some() || ending.is_some() || is_named_text) {
            return Some(problem.message.clone().into_owned());
        }
    }
    if unread > 0 { Some(unread_members(unread)) } else { None }
}

fn unread_members(count: u64) -> String {
    match count {
        1 => "1 member cannot be read".to_owned(),
        _ => format!("{count} members cannot be read"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::Error;
    use crate::scan::Scan;
    use crate::summary::{Counts, Problem};

    /// Names, the formats that they promise, and whether such files name others.
    const NAMES: [(&str, bool, bool); 18] = [
        // name, names files by its format, is taken for an asset whatever it contains
        ("a.b3d", true, true),
        ("a.p3d", true, true),
        ("a.pbo", true, true),
        ("a.zip", true, true),
        ("a.bmx", true, false),
        ("a.lod", true, false),
        ("a.paa", false, false),
        ("a.pac", false, false),
        ("a.rtm", false, false),
        ("a.bikey", false, false),
        ("a.bisign", false, false),
        ("a.rvmat", false, false),
        ("config.cpp", false, false),
        ("CONFIG.BIN", false, false),
        ("a.cpp", false, false),
        ("a.hpp", false, false),
        ("a.txt", false, false),
        ("a", false, false),
    ];

    /// The rule, once more.
    fn is_unread(name: usize, format: Option<Format>, code: Code, severity: Severity) -> bool {
        let silent = [Format::Paa, Format::TexHeaders, Format::Rtm, Format::Bmtr, Format::Bikey, Format::Bisign];
        if format.is_some_and(|format| silent.contains(&format)) {
            return false;
        }
        let (name, names_files, is_asset) = NAMES[name];
        let lower = name.to_lowercase();
        let is_surely_config = ["a.rvmat", "config.cpp", "config.bin"].contains(&lower.as_str());
        let is_config = is_surely_config || ["a.cpp", "a.hpp"].contains(&lower.as_str());
        let is_known = Format::from_extension(Path::new(name)).is_some();
        let is_replaced = match code {
            Code::LfsPointer => names_files || is_config,
            Code::Empty => names_files,
            Code::Unknown => is_asset || is_surely_config,
            Code::Text => is_asset,
            _ => false,
        };
        let hides_names = severity == Severity::Error && (code != Code::Checksum || format.is_none());
        is_replaced || hides_names && (format.is_some() || is_known || is_config)
    }

    #[test]
    fn an_asset_is_unread_if_a_problem_may_hide_names() {
        let scan = Scan::new(["x"]);
        let formats = [None].into_iter().chain(Format::ALL.iter().copied().map(Some));
        for format in formats {
            for (number, (name, ..)) in NAMES.iter().enumerate() {
                for member in [false, true] {
                    let mut record = scan.record(Path::new(if member { "x.zip" } else { name }), b"");
                    record.member = member.then(|| Name { text: format!("in.pbo!/f\\{name}"), lossy: false });
                    record.summary.format = format;
                    record.summary.problems.clear();
                    assert_eq!(reason(&record), None);
                    let mut archive = record.clone();
                    archive.summary.unchecked.add("encrypted".to_owned());
                    assert_eq!(reason(&archive).as_deref(), Some("1 member cannot be read"));
                    archive.summary.unchecked.add("ppmd".to_owned());
                    assert_eq!(reason(&archive).as_deref(), Some("2 members cannot be read"));
                    // A member that is not read has no counts.
                    if let Some(format) = format
                        && names_files(format)
                    {
                        let mut unread = record.clone();
                        unread.summary.counts = Counts::absent(format);
                        unread.summary.problems = vec![Problem::error(&Error::malformed("why").coded(Code::Checksum))];
                        assert_eq!(reason(&unread).as_deref(), Some("why"), "{name} {format:?}");
                    }
                    for &code in Code::VARIANTS {
                        for severity in [Severity::Warning, Severity::Error] {
                            let error = Error::malformed("why").coded(code);
                            let mut problem = Problem::error(&error);
                            problem.severity = severity;
                            record.summary.problems = vec![problem];
                            let expected = is_unread(number, format, code, severity).then(|| "why".to_owned());
                            assert_eq!(reason(&record), expected, "{name} {format:?} {code:?} {severity:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_unread_is_in_order_and_joined_by_asset() {
        let places = [("a", None), ("a", Some("m")), ("a", Some("n")), ("b", None), ("b/c", Some("a")), ("b0", None)];
        let unread = |place: usize, note: &str| {
            let (path, member) = places[place];
            let member = member.map(|text: &str| Name { text: text.to_owned(), lossy: false });
            Unread { path: Path::new(path).into(), member, note: note.to_owned() }
        };
        for a in 0..places.len() {
            for b in 0..places.len() {
                let (mut first, mut second) = (unread(a, "one"), unread(b, "two"));
                assert_eq!(first.order(&second), a.cmp(&b), "{a} {b}");
                assert_eq!(second.joins(&mut first), a == b, "{a} {b}");
                assert_eq!(first.note, if a == b { "one; two" } else { "one" }, "{a} {b}");
            }
        }
    }
}
