//! Finds the files that models name among the open ones.

use std::collections::HashMap;

use meshpeek::container::Container;

use crate::base_name;
use crate::node::Node;

/// The most members that are searched for names.
const MOST: usize = 500_000;

/// A file that is open, or a member of an archive that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    File(u32),
    Member(u32, u32),
}

/// The open files and members, by the last part of their names in lower case.
pub(crate) struct Catalog {
    names: HashMap<String, Vec<(String, Place)>>,
}

impl Catalog {
    pub(crate) fn of(files: &[(String, u64)], nodes: &[Option<Node>]) -> Self {
        let mut catalog = Self { names: HashMap::new() };
        for (index, (name, _)) in files.iter().enumerate() {
            catalog.add(name, Place::File(index as u32));
        }
        let mut left = MOST;
        let archives = nodes.iter().enumerate().filter_map(|(index, node)| Some((index, node.as_ref()?)));
        for (index, node) in archives.filter(|(_, node)| node.is_archive()) {
            let names = node.ask(|asset| {
                let members = Container::of(asset).into_iter().flat_map(|container| container.members());
                Ok(members.take(left).map_while(|member| Some(member.ok()?.name().to_string())).collect::<Vec<_>>())
            });
            let names = names.unwrap_or_default();
            left = left.saturating_sub(names.len());
            for (member, name) in names.iter().enumerate() {
                catalog.add(name, Place::Member(index as u32, member as u32));
            }
        }
        catalog
    }

    fn add(&mut self, name: &str, place: Place) {
        let name = folded(name);
        self.names.entry(base_name(&name).to_owned()).or_default().push((name, place));
    }

    /// The file whose path shares the most of its end with this name. Tools replace `.tga` and `.png` by `.paa`.
    pub(crate) fn find(&self, name: &str) -> Option<Place> {
        let name = folded(name);
        let stored = name.rsplit_once('.').filter(|(_, ending)| ["tga", "png"].contains(ending));
        let stored = stored.map(|(stem, _)| format!("{stem}.paa"));
        [Some(name), stored].into_iter().flatten().find_map(|name| {
            let known = self.names.get(base_name(&name))?;
            let shared = |known: &str| {
                let parts = known.rsplit('/').zip(name.rsplit('/'));
                parts.take_while(|(a, b)| a == b).count()
            };
            // Of equals, the first.
            known.iter().rev().max_by_key(|(known, _)| shared(known)).map(|(_, place)| *place)
        })
    }
}

fn folded(name: &str) -> String {
    name.to_lowercase().replace('\\', "/")
}
