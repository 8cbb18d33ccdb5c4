//! `meshpeek scan`: one record for each asset.

mod csv;
mod earlier;
mod look;
mod others;
mod results;
pub(crate) mod table;
mod writer;

use std::process::ExitCode;

use meshpeek::scan::Sighting;

use self::earlier::Earlier;
use self::look::Look;
use self::others::Others;
use self::results::ResultHandler;
use self::writer::Writer;
use crate::args::{Common, Inputs, ScanArgs};
use crate::failure::Outcome;
use crate::input::Tally;
use crate::notes::Notes;
use crate::{input, report};

pub(crate) fn run(inputs: &Inputs, args: &ScanArgs, common: &Common) -> Outcome {
    let notes = Notes::new(common);
    let mut scan = input::scan(inputs, common)?;
    scan.digests = args.digests;
    scan.depth = args.depth;
    let earlier = Earlier::open(inputs, args, common)?;
    let writer = Writer::new(inputs, args, earlier.is_stream(args), common)?;
    let tables = writer.tables.clone();
    if let Some(tables) = &tables {
        scan.selection.except.extend(tables.ids());
    }
    scan.known = earlier.known(tables.as_deref(), inputs, notes)?;
    let look = Look::new(&mut scan, &writer, inputs, args, common)?;
    let mut results = ResultHandler {
        scan: &scan,
        look: &look,
        earlier,
        writer,
        inputs,
        args,
        common,
        others: Others::new(!common.quiet),
        copied: Tally::default(),
    };
    let view = |seen: &Sighting<'_, '_>| look.see(seen);
    let mut tally = input::each_result(&scan, inputs, common, view, |found, seen| results.add(found, seen))?;
    let others = results.finish(&mut tally)?;
    let Look { noticed, thumbnails, .. } = look;
    let mut undrawn = 0;
    if let Some(thumbnails) = thumbnails {
        undrawn = thumbnails.finish(notes)?;
    }
    let mut unread = String::new();
    if tally.unread_members > 0 {
        unread = format!(", {} not read", report::count(tally.unread_members, "members"));
    }
    notes.say(format_args!(
        "{} in {}, {}, {} damaged{}{unread}{}",
        report::count(tally.assets, "assets"),
        report::count(scan.progress.files(), "files"),
        report::count(scan.progress.bytes(), "bytes"),
        report::grouped(tally.damaged),
        tally.rest(),
        fetched(common)
    ));
    others.say(args.others, notes);
    noticed.say(notes);
    let mut code = tally.status();
    if code == ExitCode::SUCCESS && undrawn > 0 {
        code = ExitCode::from(1);
    }
    if let Some(tables) = tables
        && [ExitCode::SUCCESS, ExitCode::from(1)].contains(&code)
    {
        tables.keep()?;
    }
    Ok(code)
}

/// The requests and bytes of URLs, for the end of a summary line. Empty if there were none.
fn fetched(common: &Common) -> String {
    let Some([requests, fetched, present]) = common.requests() else { return String::new() };
    let requests = report::count(requests, "requests");
    let present = report::count(present, "bytes");
    format!(", {requests} for {} of {present}", report::grouped(fetched))
}
