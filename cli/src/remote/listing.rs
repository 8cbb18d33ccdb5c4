//! Lists the files below a URL, page by page.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::vec::IntoIter;

use meshpeek::scan::stores::Listed;
use meshpeek::{Error, Result};
use object_store::ObjectMeta;
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path as Key;

use super::fetch::{Shared, error};
use super::keys::{LONGEST, Unusable};
use super::stores::Known;

/// The most files of a listing.
const MOST: u64 = 1_000_000;
/// Stores list in the order of keys. If more than this many keys are not in order, fewer files are listed: the order
/// shows that a listing goes on.
const OUT_OF_ORDER: u32 = 16;
const MOST_OUT_OF_ORDER: u64 = 20_000;
/// The most pages without a file that follow each other.
const EMPTY_PAGES: u32 = 100;

/// The files below a URL. It ends after the first error, except for those of single keys.
pub(super) struct Listing<'k> {
    pub(super) known: &'k Known,
    pub(super) shared: Arc<Shared>,
    pub(super) pages: Arc<dyn PaginatedListStore>,
    /// The URL of the store.
    pub(super) store: String,
    pub(super) prefix: Option<String>,
    /// The limit that the user sets.
    pub(super) most: Option<u64>,
    page: IntoIter<ObjectMeta>,
    unusable: IntoIter<String>,
    /// That of the next page.
    token: Option<String>,
    last: Key,
    out_of_order: u32,
    listed: u64,
    empty_pages: u32,
    is_over: bool,
}

impl<'k> Listing<'k> {
    pub(super) fn new(known: &'k Known, shared: Arc<Shared>, pages: Arc<dyn PaginatedListStore>) -> Self {
        Self {
            known,
            shared,
            pages,
            store: String::new(),
            prefix: None,
            most: None,
            page: IntoIter::default(),
            unusable: IntoIter::default(),
            token: None,
            last: Key::default(),
            out_of_order: 0,
            listed: 0,
            empty_pages: 0,
            is_over: false,
        }
    }

    /// Requests the next page.
    fn turn(&mut self) -> Result<()> {
        let token = self.token.take();
        let options = PaginatedListOptions { page_token: token.clone(), ..PaginatedListOptions::default() };
        let request = async { self.pages.list_paginated(self.prefix.as_deref(), options).await.map_err(error) };
        let page = self.shared.run(request)?;
        let mut result = page.result;
        let Unusable(keys) = result.extensions.remove().unwrap_or_default();
        if !result.objects.is_empty() || !keys.is_empty() {
            self.empty_pages = 0;
        } else {
            self.empty_pages = self.empty_pages.saturating_add(1);
        }
        self.page = result.objects.into_iter();
        self.unusable = keys.into_iter();
        self.token = page.page_token.filter(|token| !token.is_empty());
        self.is_over = self.token.is_none();
        if self.empty_pages > EMPTY_PAGES {
            let text = format!("the server sent more than {EMPTY_PAGES} pages of a listing without a file");
            return Err(io::Error::other(text).into());
        }
        if self.token.is_some() && self.token == token {
            return Err(io::Error::other("the server sent a page of a listing again").into());
        }
        Ok(())
    }

    /// Counts a file of the page.
    fn count(&mut self) -> Result<()> {
        let is_ordered = self.out_of_order <= OUT_OF_ORDER;
        let most = self.most.unwrap_or(if is_ordered { MOST } else { MOST_OUT_OF_ORDER });
        if self.listed >= most {
            let what = if is_ordered { "files below a URL" } else { "files below a URL, listed out of order" };
            return Err(Error::limit(what, most, "--max-listed"));
        }
        self.listed = self.listed.saturating_add(1);
        Ok(())
    }

    fn file(&mut self, meta: ObjectMeta) -> Result<Listed> {
        if meta.location < self.last {
            self.out_of_order = self.out_of_order.saturating_add(1);
        }
        self.count()?;
        self.last = meta.location.clone();
        let path = PathBuf::from(format!("{}/{}", self.store, meta.location));
        self.known.insert(path.clone(), meta);
        Ok(Listed { path, named: false })
    }

    /// Returns the error for a key.
    fn unusable(&mut self, key: &str) -> Result<Error> {
        self.count()?;
        let text = match key.char_indices().nth(LONGEST) {
            Some(_) => format!("a key of more than {LONGEST} characters"),
            None => "a key that no URL names: no part may be empty, . or .., or have control characters".to_owned(),
        };
        let short: String = key.chars().take(LONGEST).collect();
        let error = Error::from(io::Error::new(io::ErrorKind::InvalidInput, text));
        Ok(error.in_file(&PathBuf::from(format!("{}/{short}", self.store))))
    }

    /// Returns the next file or the error of a key. Other errors end the listing.
    fn advance(&mut self) -> Result<Option<Result<Listed>>> {
        loop {
            if let Some(key) = self.unusable.next() {
                return Ok(Some(Err(self.unusable(&key)?)));
            }
            if let Some(meta) = self.page.next() {
                return self.file(meta).map(|file| Some(Ok(file)));
            }
            if self.is_over {
                return Ok(None);
            }
            self.turn()?;
        }
    }
}

impl Iterator for Listing<'_> {
    type Item = Result<Listed>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.advance() {
            Ok(next) => next,
            Err(error) => {
                self.is_over = true;
                self.page = IntoIter::default();
                self.unusable = IntoIter::default();
                Some(Err(error))
            }
        }
    }
}
