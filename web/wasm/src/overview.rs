//! All open files at a glance: what each is, whether it is damaged, and which of the files that they name are missing.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use meshpeek::ErrorKind;
use meshpeek::answers::refs::{Files, State};
use meshpeek::scan::{Depth, Record, Scan};
use meshpeek::summary::Severity;
use serde_json::{Value, json};

use crate::node::Node;
use crate::refs::add_node;
use crate::{Result, Session};

/// The files that were looked at so far.
pub(crate) struct Overview {
    scan: Scan,
    files: Files,
    /// The files whose content is in `files`.
    added: HashSet<PathBuf>,
}

impl Overview {
    pub(crate) fn begin(session: &Session) -> Self {
        let scan = Scan::new(session.roots());
        let files = Files::new(&scan, &[]);
        Self { scan, files, added: HashSet::new() }
    }

    /// Looks at a file or member: its format, and how many errors and warnings it has. Its references are kept.
    pub(crate) fn add(&mut self, node: &Node) -> Result<Value> {
        let (path, member) = node.path();
        if member.is_none() {
            self.added.insert(path.to_owned());
        }
        // The members of an archive are added one by one.
        let depth = if node.is_archive() { Depth::Header } else { Depth::Summary };
        add_node(&mut self.files, &self.scan, node, depth)?;
        let record = match node.error() {
            // What cannot be opened has a record that says why.
            Some(_) => node.record(depth),
            None => node.ask(|asset| Ok(node.record_of(asset, depth)))?,
        };
        Ok(facts(node, &record))
    }

    /// Resolves the references among all open files. Returns the number in each state, the first missing ones, and the
    /// files whose references could not all be read.
    pub(crate) fn links(mut self, session: &Session, most: usize) -> Result<Value> {
        let prefixes = session.prefixes();
        for (file, name, _) in session.open_files() {
            if self.added.contains(Path::new(name)) {
                continue;
            }
            match prefixes.get(&file) {
                Some(bytes) => {
                    let record = crate::scan(Depth::Header).record(Path::new(name), bytes);
                    self.files.add(record, bytes, None)?;
                }
                None => self.files.add_path(name.into())?,
            }
        }
        let mut links = LinkCounts::default();
        self.files.links()?.each(|link| {
            match link.state {
                State::Found | State::Procedural => links.found += 1,
                State::Missing => links.missing += 1,
                State::Unread => links.unread += 1,
                _ => links.unclear += 1,
            }
            let is_shown = matches!(link.state, State::Missing | State::Unread) && links.rows.len() < most;
            if is_shown && let Ok(row) = serde_json::to_value(link) {
                links.rows.push(row);
            }
            ControlFlow::Continue(())
        })?;
        let LinkCounts { found, missing, unclear, unread, rows } = links;
        Ok(json!({ "found": found, "missing": missing, "unclear": unclear, "unread": unread, "rows": rows }))
    }
}

/// The references in each state.
#[derive(Default)]
struct LinkCounts {
    found: u64,
    missing: u64,
    /// Those that may mean several files, or depend on a macro.
    unclear: u64,
    unread: u64,
    rows: Vec<Value>,
}

fn facts(node: &Node, record: &Record) -> Value {
    let mut errors = 0_u64;
    let mut warnings = 0_u64;
    let mut first = None;
    for problem in &record.summary.problems {
        match problem.severity {
            Severity::Error => {
                errors += 1;
                first.get_or_insert(&*problem.message);
            }
            Severity::Warning => warnings += 1,
        }
    }
    let mut is_asset = true;
    if let Some(error) = node.error() {
        is_asset = !matches!(error.kind(), ErrorKind::Unrecognized(_));
    }
    json!({
        "format": node.format().map(meshpeek::Format::title), "archive": node.is_archive(), "asset": is_asset,
        "errors": errors, "warnings": warnings, "error": first, "opened": node.error().is_none(),
    })
}
