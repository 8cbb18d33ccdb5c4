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
                    loaded: HashSet::from([root]),
                };
                if walk.run(root, each)?.is_break() {
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
    mission: Option<&'w str>,
    macros: Macros<'w>,
    /// The texts whose macros are known.
    loaded: HashSet<usize>,
}

impl<'w> Walk<'w> {
    fn run(&mut self, root: usize, each: &mut Each<'_>) -> Result<ControlFlow<()>> {
        let mut around = vec![Step { asker: root, next: 0, next_define: 0, via: None, is_listed: false }];
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
        let is_new = is_include && self.loaded.insert(inner);
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
