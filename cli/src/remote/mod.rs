//! Files that are named by URLs, in object stores and over HTTP.

#[cfg(feature = "remote")]
mod cache;
#[cfg(feature = "remote")]
mod client;
#[cfg(feature = "remote")]
mod credentials;
#[cfg(feature = "remote")]
mod fetch;
#[cfg(feature = "remote")]
mod keys;
#[cfg(feature = "remote")]
mod known;
#[cfg(feature = "remote")]
mod listing;
#[cfg(feature = "remote")]
mod one;
#[cfg(feature = "remote")]
mod overload;
#[cfg(feature = "remote")]
mod service;
#[cfg(feature = "remote")]
mod stores;
mod url;
#[cfg(feature = "remote")]
mod xml;

#[cfg(feature = "remote")]
pub(crate) use self::one::{file, member};
#[cfg(feature = "remote")]
pub(crate) use self::stores::{Remote, RemoteArgs};
pub(crate) use self::url::{is_url, openable};
