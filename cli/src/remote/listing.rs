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
use super::known::Known;
use crate::limits::reached;

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
        let most = match self.most {
            Some(most) => most,
            None if is_ordered => MOST,
            None => MOST_OUT_OF_ORDER,
        };
        if self.listed >= most {
            let what = if is_ordered { "files below a URL" } else { "files below a URL, listed out of order" };
            return Err(reached(what, most, "--max-listed").into());
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
        Ok(Listed::new(path, false))
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
                return Ok(Some(Ok(self.file(meta)?)));
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

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::Mutex;
    use std::time::SystemTime;

    use object_store::list::PaginatedListResult;
    use object_store::{Extensions, ListResult};
    use tokio::sync::Semaphore;

    use super::*;

    /// A page: its files, its unusable keys, and the token of the next one.
    #[derive(Clone, Default)]
    struct Page {
        files: Vec<String>,
        unusable: Vec<String>,
        next: Option<&'static str>,
    }

    /// A store with these pages, and then the last one without end.
    struct Pages {
        pages: Vec<Page>,
        /// The tokens that were sent.
        asked: Arc<Mutex<Vec<Option<String>>>>,
    }

    type Answer<'f> = Pin<Box<dyn Future<Output = object_store::Result<PaginatedListResult>> + Send + 'f>>;

    impl PaginatedListStore for Pages {
        fn list_paginated<'s, 'p, 'f>(&'s self, _: Option<&'p str>, options: PaginatedListOptions) -> Answer<'f>
        where
            's: 'f,
            'p: 'f,
            Self: 'f,
        {
            let mut asked = self.asked.lock().unwrap();
            let Page { files, unusable, next } = &self.pages[asked.len().min(self.pages.len() - 1)];
            asked.push(options.page_token);
            let meta = |key: &String| ObjectMeta {
                location: Key::from(key.as_str()),
                last_modified: SystemTime::UNIX_EPOCH.into(),
                size: 1,
                e_tag: None,
                version: None,
            };
            let mut extensions = Extensions::new();
            extensions.insert(Unusable(unusable.clone()));
            let result =
                ListResult { common_prefixes: Vec::new(), objects: files.iter().map(meta).collect(), extensions };
            let page_token = next.map(str::to_owned);
            Box::pin(async { Ok(PaginatedListResult { result, page_token }) })
        }
    }

    /// The files and errors of a listing of these pages, and the tokens that were sent.
    fn list(pages: Vec<Page>, most: Option<u64>) -> (u64, Vec<String>, Vec<Option<String>>) {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let shared = Shared {
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap(),
            counts: Arc::default(),
            in_flight: Semaphore::new(1),
            most_in_flight: 1,
            cache: None,
            scan: None,
        };
        let known = Known::default();
        let pages = Arc::new(Pages { pages, asked: asked.clone() });
        let mut listing = Listing::new(&known, Arc::new(shared), pages);
        listing.store = "s3://b".to_owned();
        listing.most = most;
        let mut files = 0;
        let mut errors = Vec::new();
        for found in &mut listing {
            match found {
                Ok(Listed { named, .. }) => files += u64::from(!named),
                Err(error) => errors.push(error.to_string()),
            }
        }
        // It stays at its end.
        assert!(listing.next().is_none());
        let asked = asked.lock().unwrap().clone();
        (files, errors, asked)
    }

    fn names(count: u64) -> Vec<String> {
        (0..count).map(|number| format!("{number:07}")).collect()
    }

    #[test]
    fn pages_are_requested_with_the_token_of_the_one_before() {
        let page = |files: u64, next| Page { files: names(files), next, ..Page::default() };
        let token = |token: &str| Some(token.to_owned());
        let (files, errors, asked) = list(vec![page(2, Some("a")), page(3, Some("b")), page(4, None)], None);
        assert_eq!((files, errors.len(), asked), (9, 0, vec![None, token("a"), token("b")]));
        // An empty token is none.
        assert_eq!(list(vec![page(2, Some(""))], None), (2, Vec::new(), vec![None]));
        // A token that comes again would not end.
        let (files, errors, asked) = list(vec![page(2, Some("a")), page(3, Some("a")), page(4, None)], None);
        assert_eq!((files, asked), (2, vec![None, token("a")]));
        assert_eq!(errors, ["the server sent a page of a listing again"]);
        // One that came earlier is taken: the files are counted.
        let (files, errors, _) =
            list(vec![page(1, Some("a")), page(1, Some("b")), page(1, Some("a")), page(1, None)], None);
        assert_eq!((files, errors.len()), (4, 0));
    }

    #[test]
    fn pages_without_a_file_end_after_a_hundred_in_a_row() {
        let empty =
            |count: usize| (0..count).map(|number| Page { next: Some(["a", "b"][number % 2]), ..Page::default() });
        let last = |files: u64, unusable: u64| Page { files: names(files), unusable: names(unusable), next: None };
        let more = |files: u64, unusable: u64| Page { next: Some("c"), ..last(files, unusable) };
        let said = "the server sent more than 100 pages of a listing without a file";
        for (count, is_enough) in [(0, true), (99, true), (100, true), (101, false), (200, false)] {
            for (files, unusable) in [(1, 0), (0, 1), (1, 1)] {
                let (found, errors, _) = list(empty(count).chain([last(files, unusable)]).collect(), None);
                let said_again = errors.iter().filter(|error| error.contains(said)).count();
                assert_eq!((found, said_again), if is_enough { (files, 0) } else { (0, 1) }, "{count}");
                assert_eq!(errors.len() as u64, if is_enough { unusable } else { 1 }, "{count}: {errors:?}");
                // A page with a file, or a key, between them.
                let pages = empty(count).chain([more(files, unusable)]).chain(empty(100)).chain([last(1, 0)]);
                let (found, _, _) = list(pages.collect(), None);
                assert_eq!(found, if is_enough { files + 1 } else { 0 }, "{count}");
            }
        }
    }

    #[test]
    fn files_and_keys_are_listed_up_to_the_limit() {
        for (files, unusable) in [(5, 0), (0, 5), (3, 2)] {
            let page = || vec![Page { files: names(files), unusable: vec!["a//b".to_owned(); unusable], next: None }];
            for most in [0, 1, 4, 5, 6] {
                let (found, errors, _) = list(page(), Some(most));
                let listed = most.min(5);
                let is_limit = errors.last().is_some_and(|error| {
                    error.contains(&format!("more than {most} files below a URL")) && error.contains("--max-listed")
                });
                assert_eq!(is_limit, most < 5, "{most}: {errors:?}");
                assert_eq!(found + errors.len() as u64, listed + u64::from(is_limit), "{most}: {errors:?}");
            }
        }
    }

    #[test]
    fn files_that_are_often_out_of_order_are_fewer() {
        // Each `0` is before the file that comes before it; equal ones are in order.
        for (disorders, is_cut) in [(0, false), (15, false), (16, false), (17, true), (40, true)] {
            let mut files = Vec::new();
            for number in 0..=disorders {
                files.extend([format!("0{number:02}"), "9".to_owned(), "9".to_owned()]);
            }
            files.extend(names(20_001 - files.len() as u64).iter().map(|name| format!("A{name}")));
            let pages = vec![Page { files, ..Page::default() }];
            let (found, errors, _) = list(pages.clone(), None);
            assert_eq!((found, errors.len()), if is_cut { (20_000, 1) } else { (20_001, 0) }, "{disorders}");
            assert!(errors.iter().all(|error| error.contains("20000 files below a URL, listed out of order")));
            // The user's own limit counts in any order.
            let (found, errors, _) = list(pages, Some(20_001));
            assert_eq!((found, errors.len()), (20_001, 0), "{disorders}");
        }
    }

    #[test]
    fn each_unusable_key_says_why() {
        for (key, said) in [
            ("x".repeat(1025), "a key of more than 1024 characters"),
            ("é".repeat(1025), "a key of more than 1024 characters"),
            ("/".repeat(1024), "a key that no URL names: no part may be empty, . or .., or have control characters"),
            ("a//b".to_owned(), "a key that no URL names: no part may be empty, . or .., or have control characters"),
        ] {
            let page = Page { unusable: vec![key.clone()], ..Page::default() };
            let (files, errors, _) = list(vec![page], None);
            let short: String = key.chars().take(1024).collect();
            assert_eq!((files, errors.as_slice()), (0, &[format!("s3://b/{short}: {said}")][..]));
        }
    }
}
