//! Clients of object stores and of HTTP servers, with one policy for redirects.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::client::{ClientConfigKey, HttpClient, HttpConnector};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::list::PaginatedListStore;
use object_store::path::Path as Key;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};
use reqwest::redirect::Policy;

use super::service::{CONNECT, Counts, HEADERS, REDIRECTS, Service, Waits};

/// How often a request is repeated, and until how long after the first one.
const RETRIES: usize = 4;
const RETRY_TIME: Duration = Duration::from_secs(10);

/// A URL: the store, and the name of the file in it.
#[derive(Clone, Debug)]
pub(super) struct Url {
    scheme: &'static str,
    /// The scheme and host of HTTP, or the scheme and bucket.
    pub(super) store: String,
    pub(super) key: Key,
    /// True if it names everything below it.
    pub(super) is_folder: bool,
}

impl Url {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").ok_or("not a URL")?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "s3" | "s3a" => "s3",
            "gs" => "gs",
            "az" | "azure" | "abfs" => "az",
            "https" => "https",
            "http" => "http",
            _ => return Err(format!("{scheme}: a scheme that is not read")),
        };
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        if host.is_empty() {
            return Err("a URL without a host or bucket".to_owned());
        }
        if host.contains('@') {
            return Err("a URL with a user name; credentials come from variables of the environment".to_owned());
        }
        let is_http = scheme.starts_with("http");
        if is_http && path.contains(['?', '#']) {
            return Err("a URL with a query or fragment, which is not sent".to_owned());
        }
        // The names in a bucket are written as they are, those of HTTP with escapes.
        let key = if is_http { Key::from_url_path(path) } else { Key::parse(path.trim_end_matches('/')) };
        let key = key.map_err(|error| error.to_string())?;
        let is_folder = path.is_empty() || path.ends_with('/');
        if is_http && is_folder {
            return Err("a folder, which cannot be listed over HTTP".to_owned());
        }
        Ok(Self { scheme, store: format!("{scheme}://{host}"), key, is_folder })
    }

    pub(super) fn is_http(&self) -> bool {
        self.scheme.starts_with("http")
    }

    /// Opens its store. Credentials and endpoints come from the variables that each store usually has.
    pub(super) fn open(
        &self,
        allow_http: bool,
        counts: &Arc<Counts>,
        waits: &Arc<Waits>,
    ) -> object_store::Result<Store> {
        let backoff =
            BackoffConfig { init_backoff: Duration::from_millis(100), max_backoff: Duration::from_secs(5), base: 2. };
        let retry = RetryConfig { backoff, max_retries: RETRIES, retry_timeout: RETRY_TIME };
        let is_loopback = self.is_http() && self.is_loopback();
        let connector = Connector { counts: counts.clone(), waits: waits.clone(), is_loopback };
        // Without the flag, the variable of the store decides, such as `AWS_ALLOW_HTTP`.
        match self.scheme {
            "s3" => {
                let mut builder = AmazonS3Builder::from_env().with_url(&self.store).with_retry(retry);
                if allow_http {
                    builder = builder.with_allow_http(true);
                }
                let keys = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint, AmazonS3ConfigKey::Region];
                let at = keys.map(|key| builder.get_config_value(&key));
                let store = Arc::new(builder.with_http_connector(connector).build()?);
                Ok(Store { files: store.clone(), pages: Some(store), place: self.place(&at) })
            }
            "gs" => {
                let mut builder = GoogleCloudStorageBuilder::from_env().with_url(&self.store).with_retry(retry);
                if allow_http {
                    builder = builder.with_config(GoogleConfigKey::Client(ClientConfigKey::AllowHttp), "true");
                }
                // The key of an account may name an endpoint, too.
                let keys =
                    [GoogleConfigKey::BaseUrl, GoogleConfigKey::ServiceAccount, GoogleConfigKey::ServiceAccountKey];
                let at = keys.map(|key| builder.get_config_value(&key));
                let store = Arc::new(builder.with_http_connector(connector).build()?);
                Ok(Store { files: store.clone(), pages: Some(store), place: self.place(&at) })
            }
            "az" => {
                let mut builder = MicrosoftAzureBuilder::from_env().with_url(&self.store).with_retry(retry);
                if allow_http {
                    builder = builder.with_allow_http(true);
                }
                let keys = [
                    AzureConfigKey::AccountName,
                    AzureConfigKey::Endpoint,
                    AzureConfigKey::UseFabricEndpoint,
                    AzureConfigKey::UseEmulator,
                ];
                let mut at = keys.map(|key| builder.get_config_value(&key)).to_vec();
                // That of the emulator.
                at.push(std::env::var("AZURITE_BLOB_STORAGE_URL").ok());
                let store = Arc::new(builder.with_http_connector(connector).build()?);
                Ok(Store { files: store.clone(), pages: Some(store), place: self.place(&at) })
            }
            _ => {
                let allow_http = allow_http || is_loopback;
                if self.scheme == "http" && !allow_http {
                    let source = "http:// to another machine needs --allow-http".into();
                    return Err(object_store::Error::Generic { store: "HTTP", source });
                }
                let options = ClientOptions::new().with_allow_http(allow_http);
                let builder = HttpBuilder::new().with_url(&self.store).with_retry(retry);
                let store = builder.with_client_options(options).with_http_connector(connector).build()?;
                Ok(Store { files: Arc::new(store), pages: None, place: self.place(&[]) })
            }
        }
    }

    /// Returns the URL of its store with the settings that say where the store is: a bucket of the same name may be
    /// elsewhere, too.
    fn place(&self, at: &[Option<String>]) -> String {
        let mut place = self.store.clone();
        for part in at {
            place.push('\n');
            place.push_str(part.as_deref().unwrap_or_default());
        }
        place
    }

    /// Returns true if nothing leaves this machine.
    fn is_loopback(&self) -> bool {
        let url = reqwest::Url::parse(&self.store);
        url.is_ok_and(|url| match url.host() {
            Some(url::Host::Domain(name)) => name == "localhost",
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        })
    }
}

/// A store, and where it is.
#[derive(Clone)]
pub(super) struct Store {
    pub(super) files: Arc<dyn ObjectStore>,
    /// Its listings. HTTP has none.
    pub(super) pages: Option<Arc<dyn PaginatedListStore>>,
    /// Different for stores with different files.
    pub(super) place: String,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files.fmt(f)
    }
}

/// Makes clients that stay on one host.
#[derive(Debug)]
struct Connector {
    counts: Arc<Counts>,
    waits: Arc<Waits>,
    /// True if no request may leave this machine, not even to a proxy.
    is_loopback: bool,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let is_set = |key| options.get_config_value(&key).is_some_and(|value| value == "true");
        // It fails if there is a provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let policy = Policy::custom(|attempt| {
            let is_same = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
            if is_same && attempt.previous().len() <= REDIRECTS { attempt.follow() } else { attempt.stop() }
        });
        let mut client = reqwest::Client::builder()
            .redirect(policy)
            .connect_timeout(CONNECT)
            .http1_only()
            .http1_max_headers(HEADERS)
            .user_agent(concat!("meshpeek/", env!("CARGO_PKG_VERSION")))
            .https_only(!is_set(ClientConfigKey::AllowHttp))
            .tls_danger_accept_invalid_certs(is_set(ClientConfigKey::AllowInvalidCertificates));
        let generic = |error: reqwest::Error| object_store::Error::Generic { store: "HTTP", source: error.into() };
        if self.is_loopback {
            client = client.no_proxy();
        } else if let Some(proxy) = options.get_config_value(&ClientConfigKey::ProxyUrl) {
            client = client.proxy(reqwest::Proxy::all(proxy).map_err(generic)?);
        }
        let client = client.build().map_err(generic)?;
        Ok(HttpClient::new(Service { client, counts: self.counts.clone(), waits: self.waits.clone() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_a_store_and_a_file() {
        let url = Url::parse("s3://mods/arma 3/a#1.pbo").unwrap();
        assert_eq!((url.store.as_str(), url.key.as_ref(), url.is_folder), ("s3://mods", "arma 3/a#1.pbo", false));
        let url = Url::parse("HTTPS://host:8443/a%20b/c.pbo").unwrap();
        assert_eq!((url.store.as_str(), url.key.as_ref()), ("https://host:8443", "a b/c.pbo"));
        assert!(Url::parse("gs://mods").unwrap().is_folder && Url::parse("az://mods/a/").unwrap().is_folder);
        for text in ["s3://", "ftp://h/x", "http://h/", "https://u:p@h/x", "https://h/x?sig=1", "s3://b/a//b"] {
            assert!(Url::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_loopback_needs_no_permission_for_plain_http() {
        for (text, expected) in [
            ("http://127.0.0.1:9/x", true),
            ("http://[::1]/x", true),
            ("http://localhost/x", true),
            ("http://h/x", false),
        ] {
            assert_eq!(Url::parse(text).unwrap().is_loopback(), expected, "{text}");
        }
    }
}
