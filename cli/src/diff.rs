//! `meshpeek diff`: differences between two models, archives or folders.

mod archive;
mod args;
#[cfg(test)]
mod difference_for_tests;
mod forms;
mod git;
mod layout;
mod name;
mod stats;
mod tree;

use std::ops::ControlFlow;
use std::process::ExitCode;

use meshpeek::address::Content;
use meshpeek::answers::folders::{Folders, Reading};
use meshpeek::diff::{Change, Difference, Options, compare};
use meshpeek::scan::Selection;

use crate::args::Common;
use crate::config::Readable;
use crate::failure::{Failure, Outcome, text_of};
use crate::forms::End;
use crate::map;
use crate::notes::Notes;
use crate::report::count;
use crate::source::Source;
use crate::visible::shown;
use archive::Members;
pub(crate) use args::Args;
use forms::{DiffForm, Said, form_of};
use name::text;
use tree::{Folder, Missing, Side};

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let options = Options::default().with_tolerance(args.tolerance);
    // Files of a repository exist until the end.
    let (sides, _folder) = tree::sides([&args.a, &args.b], &common.limits.limits())?;
    match sides.each_ref().map(Side::is_folder) {
        [true, true] => folders(args, sides, common, &options),
        [false, false] => files(args, sides, common, &options),
        [is_folder, _] => with_archive(args, sides, is_folder, common, &options),
    }
}

/// Compares an archive and a folder: members with files.
fn with_archive(args: &Args, sides: [Side; 2], is_first: bool, common: &Common, options: &Options) -> Outcome {
    let (folder, other) = if is_first { (&args.a, &args.b) } else { (&args.b, &args.a) };
    let [a, b] = sides;
    let (folder_side, side) = if is_first { (a, b) } else { (b, a) };
    let given = match &folder_side {
        Side::Given(path) => Some(path.clone()),
        _ => None,
    };
    let temporary = Folder::new()?;
    let source = side.source(other, common)?;
    let Some(Members { tree, errors }) = archive::members(&source, given.as_deref(), &temporary, common)? else {
        let folder = shown(folder);
        let other = shown(other);
        return Err(Failure::Message(format!("{folder} is a folder, {other} is neither a folder nor an archive")));
    };
    source.unchanged()?;
    for error in &errors {
        Notes::new(common).error(text_of(error));
    }
    let sides = if is_first { [folder_side, Side::Tree(tree)] } else { [Side::Tree(tree), folder_side] };
    let status = folders(args, sides, common, options)?;
    Ok(if errors.is_empty() { status } else { ExitCode::from(2) })
}

fn files(args: &Args, sides: [Side; 2], common: &Common, options: &Options) -> Outcome {
    let [a, b] = &sides;
    let source_a = a.source(&args.a, common)?;
    let source_b = b.source(&args.b, common)?;
    let content_a = source_a.content(common)?;
    let content_b = source_b.content(common)?;
    let readable_a = Readable::of(&source_a, &content_a, common)?;
    let readable_b = Readable::of(&source_b, &content_b, common)?;
    let mut page = Page::new(args, common)?;
    let compared = compare(
        compared_side(&source_a, &content_a, &readable_a),
        compared_side(&source_b, &content_b, &readable_b),
        options,
        &mut |difference| {
            let _ = page.add(&difference);
        },
    );
    let said = page.said.clone();
    let is_equal = page.differences == 0 && page.unread == 0;
    let is_whole = readable_a.is_whole() && readable_b.is_whole();
    let status = page.finish(common)?;
    if let Err(error) = compared {
        // Identify the failing file by the address given for it.
        readable_a.asset(&source_a, &content_a)?;
        readable_b.asset(&source_b, &content_b)?;
        return Err(error.into());
    }
    source_a.unchanged()?;
    source_b.unchanged()?;
    say(&said, common);
    // Within a tolerance, the content may differ.
    let is_exact = args.tolerance == 0.0;
    if is_equal && is_whole && is_exact && readable_a.bytes() != readable_b.bytes() {
        Notes::new(common).say("the same content in different bytes");
    }
    // What is not read may differ.
    Ok(if is_whole { status } else { ExitCode::from(2) })
}

fn compared_side<'s>(
    source: &'s Source<'_>,
    content: &'s Content<'_>,
    readable: &'s Readable<'_>,
) -> meshpeek::diff::Side<'s> {
    meshpeek::diff::Side::new(&source.name, readable.bytes(), content.budget())
}

fn folders(args: &Args, sides: [Side; 2], common: &Common, options: &Options) -> Outcome {
    let notes = Notes::new(common);
    let mut except = Vec::new();
    if let Some(file) = &common.output_file {
        except.clone_from(&file.ids);
    }
    // Include files that git ignores.
    let mut selection = Selection::default();
    selection.ignored = true;
    selection.except = except;
    let mut failures = 0_u64;
    let mut failed = |error: meshpeek::Error| {
        failures += 1;
        notes.error(text_of(&error));
    };
    let [a, b] = sides;
    let a = a.list(&selection, &mut failed);
    let b = b.list(&selection, &mut failed);
    let mut is_missing = false;
    for (side, missing) in [(&args.a, &a.missing), (&args.b, &b.missing)] {
        if let Some(message) = missing.message() {
            notes.error(format_args!("{}: {message}", shown(side)));
            is_missing = true;
        }
    }
    let folders = Folders::new([a.files, b.files]);
    common.results.read(folders.bytes());
    let mut page = Page::new(args, common)?;
    let reading = Reading::new(map::access(common), common.limits.limits());
    let mut unknown = 0_u64;
    let mut each = |difference: Difference| {
        if is_unknown(&difference, &a.missing, &b.missing) {
            unknown += 1;
            return ControlFlow::Continue(());
        }
        page.add(&difference)
    };
    folders.compare(&reading, options, &mut each, &mut failed);
    let said = page.said.clone();
    let status = page.finish(common)?;
    if unknown > 0 {
        let files = count(unknown, "files");
        notes.error(format_args!("{files} not compared: their folders on the other side cannot be read"));
    }
    say(&said, common);
    if failures > 0 || is_missing { Ok(ExitCode::from(2)) } else { Ok(status) }
}

/// Returns true for a file that the other side may have, in a folder that is missing or cannot be listed.
fn is_unknown(difference: &Difference, missing_a: &Missing, missing_b: &Missing) -> bool {
    let is_whole_file = difference.place.is_empty() && difference.member.is_none();
    if !is_whole_file {
        return false;
    }
    let path = text(difference.path.as_ref()).unwrap_or_default();
    match difference.change {
        Change::Removed => missing_b.may_have(path),
        Change::Added => missing_a.may_have(path),
        _ => false,
    }
}

/// Says the counts in words, if the form has some.
fn say(said: &Said, common: &Common) {
    if let Some(counts) = said.get() {
        Notes::new(common).say(counts);
    }
}

/// Writes and counts differences.
struct Page {
    form: DiffForm,
    said: Said,
    differences: u64,
    /// The parts that neither side can read, for the same reason.
    unread: u64,
    written: Result<(), Failure>,
    is_brief: bool,
}

impl Page {
    fn new(args: &Args, common: &Common) -> Result<Self, Failure> {
        let said = Said::default();
        let form = form_of(args, &said, common)?;
        Ok(Self { form, said, differences: 0, unread: 0, written: Ok(()), is_brief: args.brief })
    }

    fn add(&mut self, difference: &Difference) -> ControlFlow<()> {
        let is_unread = difference.change == Change::Unread;
        if is_unread {
            self.unread += 1;
        } else {
            self.differences += 1;
        }
        if self.written.is_ok() {
            self.written = self.form.add(difference);
        }
        // With --brief, one difference between two files is enough. What follows it is not compared.
        let is_enough = self.is_brief && !is_unread && difference.path.is_none() && difference.member.is_none();
        if self.written.is_ok() && !is_enough { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Writes the remaining output, and says what was not compared.
    fn finish(self, common: &Common) -> Outcome {
        self.written?;
        self.form.finish(End::default())?;
        if self.unread > 0 {
            let parts = count(self.unread, "parts");
            Notes::new(common).error(format_args!("{parts} not compared: unreadable on both sides"));
            return Ok(ExitCode::from(2));
        }
        Ok(ExitCode::from(u8::from(self.differences > 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::args::tolerance;

    #[test]
    fn a_tolerance_is_a_number_from_0_on() {
        for (text, expected) in [
            ("0", Some(0.0)),
            ("-0", Some(0.0)),
            ("0.001", Some(0.001)),
            ("1e3", Some(1000.0)),
            ("-0.001", None),
            ("inf", None),
            ("-inf", None),
            ("NaN", None),
            ("1e400", None),
            ("", None),
            ("1,5", None),
        ] {
            assert_eq!(tolerance(text).ok(), expected, "{text:?}");
        }
    }
}
