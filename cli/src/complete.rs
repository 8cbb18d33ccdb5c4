//! Completion of members, selectors and keys, for the shell that asks through the variable COMPLETE.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _};
use clap_complete::env::CompleteEnv;
use meshpeek::address::{Address, MemberPath, open_member};
use meshpeek::container::Container;
use meshpeek::inspect::selector;
use meshpeek::summary::Name;
use meshpeek::{Asset, Budget, Format, Limits};

use crate::command::command;
use crate::{keys, map};

/// The most candidates for one completion.
const MOST: usize = 1_000;
/// The time after which no more candidates are searched.
const MOST_TIME: Duration = Duration::from_millis(200);
/// The time after which a completion ends without any, because the file takes longer to open.
const LATEST: Duration = Duration::from_millis(250);

/// Answers a shell that asks for a completion. `None` if no shell asks. If anything fails, nothing is printed.
pub(crate) fn answer() -> Option<ExitCode> {
    let shell = std::env::var_os("COMPLETE")?;
    if shell.is_empty() || shell == "0" {
        return None;
    }
    let folder = std::env::current_dir().ok();
    let _ = CompleteEnv::with_factory(with_completers).try_complete(std::env::args_os(), folder.as_deref());
    Some(ExitCode::SUCCESS)
}

/// The verbs, with completion of what is inside files.
fn with_completers() -> Command {
    let mut command = command();
    let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    for verb in verbs {
        command = command.mut_subcommand(verb, |verb| verb.mut_args(with_completer));
    }
    command
}

fn with_completer(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "file" | "files" | "paths" | "addresses" | "a" | "b" | "motion" | "models" => {
            arg.add(ArgValueCompleter::new(addresses))
        }
        "selector" => arg.add(ArgValueCompleter::new(selectors)),
        "columns" | "select" | "sort" => arg.add(ArgValueCompleter::new(of_keys)),
        "condition" => arg.add(ArgValueCompleter::new(in_condition)),
        _ => arg,
    }
}

/// Paths, and members after `!/`.
fn addresses(current: &OsStr) -> Vec<CompletionCandidate> {
    let text = current.to_str().unwrap_or_default();
    if let (Some(archive), begun) = MemberPath::new(text).split_last() {
        let archive = archive.to_owned();
        let begun = begun.to_owned();
        return in_time(move || members(&archive, &begun).unwrap_or_default());
    }
    let mut found = PathCompleter::any().complete(current);
    let mut inside = Vec::new();
    for path in &found {
        let value = path.get_value();
        if matches!(Format::from_extension(Path::new(value)), Some(Format::Pbo | Format::Zip)) {
            inside.push(CompletionCandidate::new(MemberPath::join_path(value, "")));
        }
    }
    found.extend(inside);
    found
}

/// Returns the candidates that are found in time. The search goes on until the program ends, which is soon.
fn in_time(search: impl FnOnce() -> Vec<CompletionCandidate> + Send + 'static) -> Vec<CompletionCandidate> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || send.send(search()));
    receive.recv_timeout(LATEST).unwrap_or_default()
}

/// The members of an archive whose names begin like this, up to the next folder.
fn members(archive: &str, begun: &str) -> Option<Vec<CompletionCandidate>> {
    let start = Instant::now();
    let address = Address::parse(archive);
    let limits = Limits::default();
    let file = address.open(map::large(), &limits).ok()?;
    let budget = Budget::new(file.len() as u64, &limits);
    let opened = open_member(&address.file, &file, address.member.as_deref(), &budget).ok()?;
    let content = opened.content.ok()?;
    let asset = Asset::parse_file(&address.name(), &content, &limits).ok()?;
    let mut names = BTreeSet::new();
    let begun = begun.replace('\\', "/");
    for member in Container::of(&asset)?.members() {
        // What was found before an error is right.
        let Ok(member) = member else { break };
        if names.len() >= MOST || start.elapsed() > MOST_TIME {
            break;
        }
        let name = Name::from(member.name()).text.replace('\\', "/");
        add_step(&name, &begun, &mut names);
    }
    let mut found = Vec::new();
    for name in names {
        let address = MemberPath::join_text(archive, Some(&name));
        if matches!(Format::from_extension(Path::new(&name)), Some(Format::Pbo | Format::Zip)) {
            found.push(CompletionCandidate::new(MemberPath::join_text(&address, Some(""))));
        }
        found.push(CompletionCandidate::new(address));
    }
    Some(found)
}

/// Adds a path up to the end of the step that is being written, if it begins like this.
fn add_step(path: &str, begun: &str, steps: &mut BTreeSet<String>) {
    let Some(rest) = path.strip_prefix(begun) else { return };
    let end = match rest.find('/') {
        Some(slash) => begun.len().saturating_add(slash).saturating_add(1),
        None => path.len(),
    };
    if let Some(step) = path.get(..end) {
        steps.insert(step.to_owned());
    }
}

/// The selectors of arrays of the file that the command line names.
fn selectors(current: &OsStr) -> Vec<CompletionCandidate> {
    let begun = current.to_str().unwrap_or_default().to_owned();
    let mut file = None;
    // After `--` come the program and the verb.
    for word in std::env::args_os().skip_while(|word| word != "--").skip(3) {
        if Address::parse(&word).file.is_file() {
            file = Some(PathBuf::from(word));
        }
    }
    let Some(file) = file else { return Vec::new() };
    in_time(move || {
        let mut steps = BTreeSet::new();
        // What was found before an error is right.
        let _ = add_selectors(&file, &begun, &mut steps);
        steps.into_iter().map(CompletionCandidate::new).collect()
    })
}

fn add_selectors(path: &Path, begun: &str, steps: &mut BTreeSet<String>) -> meshpeek::Result<()> {
    let start = Instant::now();
    let address = Address::parse(path);
    let limits = Limits::default();
    let file = address.open(map::large(), &limits)?;
    let budget = Budget::new(file.len() as u64, &limits);
    let content = open_member(&address.file, &file, address.member.as_deref(), &budget)?.content?;
    let asset = Asset::parse_file(&address.name(), &content, &limits)?;
    selector::each(&asset, &mut |selector, _| {
        if steps.len() < MOST && start.elapsed() < MOST_TIME {
            add_step(selector, begun, steps);
        }
    });
    Ok(())
}

fn of_keys(current: &OsStr) -> Vec<CompletionCandidate> {
    let text = current.to_str().unwrap_or_default();
    match text.strip_prefix('-') {
        Some(begun) => keys_after("-", begun),
        None => keys_after("", text),
    }
}

/// Keys at the end of a condition.
fn in_condition(current: &OsStr) -> Vec<CompletionCandidate> {
    let text = current.to_str().unwrap_or_default();
    let start = match text.rfind([' ', '(']) {
        Some(place) => place.saturating_add(1),
        None => 0,
    };
    let (before, begun) = text.split_at(start);
    keys_after(before, begun)
}

fn keys_after(before: &str, begun: &str) -> Vec<CompletionCandidate> {
    let mut found = Vec::new();
    for key in keys::beginning_with(begun) {
        found.push(CompletionCandidate::new(format!("{before}{key}")));
    }
    found
}
