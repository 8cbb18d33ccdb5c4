//! Names of bones and selections, compared without case.

use std::collections::HashMap;
use std::path::Path;

use meshpeek::address::nearest;
use meshpeek::view::ByteStr;
use meshpeek::{Asset, Budget};

use crate::failure::Failure;

/// Names in file order, each once whatever its case.
#[derive(Clone, Default)]
pub(crate) struct Bones {
    pub(crate) names: Vec<String>,
    /// Their indices, by lower-case name.
    places: HashMap<String, usize>,
    /// True if the names are not spelled as their author did: a binarised model has them in lower case.
    pub(crate) is_lower: bool,
}

impl Bones {
    pub(crate) fn add(&mut self, name: String) {
        if name.is_empty() {
            return;
        }
        let place = self.names.len();
        if *self.places.entry(name.to_lowercase()).or_insert(place) == place {
            self.names.push(name);
        }
    }

    pub(crate) fn extend(&mut self, names: impl IntoIterator<Item = String>) {
        for name in names {
            self.add(name);
        }
    }

    /// This name as it is spelled here, if it is one of these.
    pub(crate) fn spelled(&self, name: &str) -> Option<&str> {
        let place = *self.places.get(&name.to_lowercase())?;
        self.names.get(place).map(String::as_str)
    }

    /// The names that others do not have.
    pub(crate) fn without<'b>(&'b self, others: &'b Self) -> impl Iterator<Item = &'b str> {
        self.names.iter().map(String::as_str).filter(|name| others.spelled(name).is_none())
    }

    /// The names that are most similar to this one, if the budget allows the search.
    pub(crate) fn nearest(&self, name: &str, budget: &Budget) -> Vec<String> {
        let letters: u64 = self.names.iter().map(|known| known.len() as u64 + 16).sum();
        if budget.charge_work(letters.saturating_mul(name.len() as u64 + 16)).is_err() {
            return Vec::new();
        }
        let names = self.names.iter().map(|known| ByteStr::from(known.as_str()));
        nearest(names, name.as_bytes()).iter().map(ToString::to_string).collect()
    }

    /// The selections of all LODs of an Arma model, without proxies. Empty for other formats.
    pub(crate) fn selections(path: &Path, asset: &Asset<'_>) -> Result<Self, Failure> {
        let mut selections = Self::default();
        match asset {
            Asset::Mlod(model) => {
                for lod in model.lods() {
                    for tag in lod.map_err(|error| error.in_file(path))?.tags.iter() {
                        if tag.is_selection() && tag.proxy().is_none() {
                            selections.add(tag.name.to_string());
                        }
                    }
                }
            }
            Asset::Odol(model) => {
                selections.is_lower = true;
                for index in 0..model.lod_count() {
                    let lod = model.lod(index).map_err(|error| error.in_file(path))?;
                    let Some(lod) = lod else { continue };
                    for selection in &lod.selections {
                        let name = selection.name.to_string();
                        if !name.to_lowercase().starts_with("proxy:") {
                            selections.add(name);
                        }
                    }
                }
            }
            _ => {}
        }
        Ok(selections)
    }
}
