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
use reqwest::redirect::{Action, Attempt, Policy};

use super::credentials;
use super::overload::Health;
use super::service::{CONNECT, Counts, HEADERS, REDIRECTS, Refusal, Service, Waits};

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
        let health = Arc::new(Health::default());
        let connector = Connector {
            counts: counts.clone(),
            waits: waits.clone(),
            health,
            no_credentials: credentials::missing(self.scheme),
            is_loopback: self.is_http() && is_loopback(&self.store),
        };
        match self.scheme {
            "s3" => self.open_s3(allow_http, connector),
            "gs" => self.open_gcs(allow_http, connector),
            "az" => self.open_azure(allow_http, connector),
            _ => self.open_http(allow_http, connector),
        }
    }

    fn open_s3(&self, allow_http: bool, mut connector: Connector) -> object_store::Result<Store> {
        let mut builder = AmazonS3Builder::from_env().with_url(&self.store).with_retry(retry());
        let keys = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint, AmazonS3ConfigKey::Region];
        let at = keys.map(|key| builder.get_config_value(&key));
        let allowed = builder.get_config_value(&AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp));
        let [of_s3, of_all, _] = &at;
        let endpoint = of_s3.as_ref().or(of_all.as_ref());
        if connector.takes_http("AWS_ENDPOINT_URL", endpoint, allow_http || is_true(allowed.as_ref()))? {
            builder = builder.with_allow_http(true);
        }
        let health = connector.health.clone();
        let store = Arc::new(builder.with_http_connector(connector).build()?);
        Ok(Store { files: store.clone(), pages: Some(store), place: self.place(&at), health })
    }

    fn open_gcs(&self, allow_http: bool, mut connector: Connector) -> object_store::Result<Store> {
        let mut builder = GoogleCloudStorageBuilder::from_env().with_url(&self.store).with_retry(retry());
        let key = GoogleConfigKey::Client(ClientConfigKey::AllowHttp);
        let allowed = builder.get_config_value(&key);
        let endpoint = builder.get_config_value(&GoogleConfigKey::BaseUrl);
        let is_allowed = allow_http || is_true(allowed.as_ref());
        if connector.takes_http("GOOGLE_BASE_URL", endpoint.as_ref(), is_allowed)? {
            builder = builder.with_config(key, "true");
        }
        // The key of an account may name an endpoint, too.
        let keys = [GoogleConfigKey::BaseUrl, GoogleConfigKey::ServiceAccount, GoogleConfigKey::ServiceAccountKey];
        let at = keys.map(|key| builder.get_config_value(&key));
        let health = connector.health.clone();
        let store = Arc::new(builder.with_http_connector(connector).build()?);
        Ok(Store { files: store.clone(), pages: Some(store), place: self.place(&at), health })
    }

    fn open_azure(&self, allow_http: bool, mut connector: Connector) -> object_store::Result<Store> {
        let mut builder = MicrosoftAzureBuilder::from_env().with_url(&self.store).with_retry(retry());
        let allowed = builder.get_config_value(&AzureConfigKey::Client(ClientConfigKey::AllowHttp));
        let endpoint = builder.get_config_value(&AzureConfigKey::Endpoint);
        let is_allowed = allow_http || is_true(allowed.as_ref());
        if connector.takes_http("AZURE_STORAGE_ENDPOINT", endpoint.as_ref(), is_allowed)? {
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
        let health = connector.health.clone();
        let store = Arc::new(builder.with_http_connector(connector).build()?);
        Ok(Store { files: store.clone(), pages: Some(store), place: self.place(&at), health })
    }

    fn open_http(&self, allow_http: bool, connector: Connector) -> object_store::Result<Store> {
        let allow_http = allow_http || connector.is_loopback;
        if self.scheme == "http" && !allow_http {
            return Err(setting("http:// to another machine needs --allow-http".to_owned()));
        }
        let options = ClientOptions::new().with_allow_http(allow_http);
        let health = connector.health.clone();
        let builder = HttpBuilder::new().with_url(&self.store).with_retry(retry());
        let store = builder.with_client_options(options).with_http_connector(connector).build()?;
        Ok(Store { files: Arc::new(store), pages: None, place: self.place(&[]), health })
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
}

/// Returns true if nothing that is sent to this URL leaves this machine.
fn is_loopback(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else { return false };
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Returns the error for a setting that cannot be used. The text is the whole message.
fn setting(text: String) -> object_store::Error {
    object_store::Error::Generic { store: "HTTP", source: Refusal::new(text).into() }
}

/// As the stores read such variables.
fn is_true(value: Option<&String>) -> bool {
    let Some(value) = value else { return false };
    ["1", "true", "on", "yes", "y"].contains(&value.to_ascii_lowercase().as_str())
}

fn retry() -> RetryConfig {
    let backoff =
        BackoffConfig { init_backoff: Duration::from_millis(100), max_backoff: Duration::from_secs(5), base: 2. };
    RetryConfig { backoff, max_retries: RETRIES, retry_timeout: RETRY_TIME }
}

/// A store, and where it is.
#[derive(Clone)]
pub(super) struct Store {
    pub(super) files: Arc<dyn ObjectStore>,
    /// Its listings. HTTP has none.
    pub(super) pages: Option<Arc<dyn PaginatedListStore>>,
    /// Different for stores with different files.
    pub(super) place: String,
    pub(super) health: Arc<Health>,
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
    health: Arc<Health>,
    no_credentials: &'static str,
    /// True if no request may leave this machine, not even to a proxy.
    is_loopback: bool,
}

impl Connector {
    /// Returns true if requests to an endpoint may be sent as plain http://: to this machine always, to others only if
    /// that is allowed.
    fn takes_http(
        &mut self,
        variable: &str,
        endpoint: Option<&String>,
        is_allowed: bool,
    ) -> object_store::Result<bool> {
        let Some(endpoint) = endpoint else { return Ok(is_allowed) };
        self.is_loopback = is_loopback(endpoint);
        let is_http = match endpoint.split_once("://") {
            Some((scheme, _)) => scheme.eq_ignore_ascii_case("http"),
            None => false,
        };
        if !is_http || is_allowed {
            return Ok(is_allowed);
        }
        if !self.is_loopback {
            return Err(setting(format!("{variable} is http:// to another machine, which needs --allow-http")));
        }
        Ok(true)
    }
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // It fails if there is a provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = reqwest::Client::builder()
            .redirect(Policy::custom(redirected))
            .connect_timeout(CONNECT)
            .http1_only()
            .http1_max_headers(HEADERS)
            .user_agent(concat!("meshpeek/", env!("CARGO_PKG_VERSION")))
            .https_only(!is_set(options, ClientConfigKey::AllowHttp))
            .tls_danger_accept_invalid_certs(is_set(options, ClientConfigKey::AllowInvalidCertificates));
        if self.is_loopback {
            client = client.no_proxy();
        } else if let Some(proxy) = options.get_config_value(&ClientConfigKey::ProxyUrl) {
            client = client.proxy(reqwest::Proxy::all(proxy).map_err(generic)?);
        }
        let client = client.build().map_err(generic)?;
        Ok(HttpClient::new(Service {
            client,
            counts: self.counts.clone(),
            waits: self.waits.clone(),
            health: self.health.clone(),
            no_credentials: self.no_credentials,
        }))
    }
}

/// Follows a redirect if it stays on the host.
fn redirected(attempt: Attempt<'_>) -> Action {
    let is_same = match attempt.previous().first() {
        Some(first) => first.origin() == attempt.url().origin(),
        None => false,
    };
    if is_same && attempt.previous().len() <= REDIRECTS { attempt.follow() } else { attempt.stop() }
}

fn is_set(options: &ClientOptions, key: ClientConfigKey) -> bool {
    options.get_config_value(&key).as_deref() == Some("true")
}

fn generic(error: reqwest::Error) -> object_store::Error {
    object_store::Error::Generic { store: "HTTP", source: error.into() }
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
            assert_eq!(is_loopback(&Url::parse(text).unwrap().store), expected, "{text}");
        }
    }

    /// What a URL is by its parts: the scheme, the host or bucket, and the rest.
    #[test]
    fn every_scheme_host_and_path_is_judged() {
        let schemes = [
            ("s3", Some("s3")),
            ("s3a", Some("s3")),
            ("S3A", Some("s3")),
            ("gs", Some("gs")),
            ("az", Some("az")),
            ("azure", Some("az")),
            ("abfs", Some("az")),
            ("https", Some("https")),
            ("http", Some("http")),
            ("HttP", Some("http")),
            ("ftp", None),
            ("file", None),
            ("s3 ", None),
            ("abfss", None),
            ("", None),
        ];
        let hosts = [("h", true), ("h:81", true), ("", false), ("u@h", false), ("u:p@h", false)];
        // A path, and what is its key in a bucket and over HTTP. `None` is an error.
        let paths = [
            ("", Some(""), None),
            ("/", Some(""), None),
            ("/a", Some("a"), Some("a")),
            ("/a/", Some("a"), None),
            ("/a/b", Some("a/b"), Some("a/b")),
            ("/a%20b", Some("a%20b"), Some("a b")),
            ("/a b", Some("a b"), Some("a b")),
            ("/a?b", Some("a?b"), None),
            ("/a#b", Some("a#b"), None),
            ("/a//b", None, None),
            ("/a/../b", None, None),
            ("/./b", None, None),
        ];
        for (scheme, known) in schemes {
            for (host, is_host) in hosts {
                for (path, in_bucket, over_http) in paths {
                    let text = format!("{scheme}://{host}{path}");
                    let is_http = known.is_some_and(|known| known.starts_with("http"));
                    let key = if is_http { over_http } else { in_bucket };
                    let found = Url::parse(&text);
                    let (Some(known), true, Some(key)) = (known, is_host, key) else {
                        assert!(found.is_err(), "{text}: {found:?}");
                        continue;
                    };
                    let found = found.unwrap_or_else(|wrong| panic!("{text}: {wrong}"));
                    assert_eq!((found.store, found.key.as_ref()), (format!("{known}://{host}"), key), "{text}");
                    let is_folder = path.is_empty() || path.ends_with('/');
                    assert_eq!((found.is_folder, found.scheme), (is_folder, known), "{text}");
                }
            }
        }
        for text in ["", "h/x", "http:/h/x", "http:h"] {
            assert!(Url::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_address_of_this_machine_is_known() {
        for (host, expected) in [
            ("127.0.0.0", true),
            ("127.0.0.1", true),
            ("127.255.255.255", true),
            ("126.255.255.255", false),
            ("128.0.0.0", false),
            ("0.0.0.0", false),
            // Another way to write 127.0.0.1.
            ("2130706433", true),
            ("0x7f.1", true),
            ("[::1]", true),
            ("[0:0:0:0:0:0:0:1]", true),
            ("[::2]", false),
            ("[::]", false),
            ("[::ffff:127.0.0.1]", false),
            ("localhost", true),
            ("LOCALHOST", true),
            ("localhost.example", false),
            ("my-localhost", false),
            ("127.0.0.1.example", false),
            ("h", false),
        ] {
            for (scheme, port) in [("http", ""), ("http", ":81"), ("https", ":81")] {
                let url = Url::parse(&format!("{scheme}://{host}{port}/x")).unwrap();
                assert_eq!(is_loopback(&url.store), expected, "{scheme} {host}{port}");
            }
        }
    }

    /// To this machine always, to others only with permission; https:// needs none.
    #[test]
    fn endpoints_are_taken_as_plain_http_where_it_is_allowed_or_stays_on_this_machine() {
        for (endpoint, is_http, is_here) in [
            (None, false, false),
            (Some("https://h"), false, false),
            (Some("https://127.0.0.1:9"), false, true),
            (Some("HTTPS://localhost"), false, true),
            (Some("http://h"), true, false),
            (Some("HTTP://h:9/x"), true, false),
            (Some("http://localhost:9"), true, true),
            (Some("Http://[::1]"), true, true),
            (Some("http://127.0.0.1.example"), true, false),
            (Some("h"), false, false),
            (Some(""), false, false),
        ] {
            for is_allowed in [false, true] {
                let mut connector = Connector {
                    counts: Arc::default(),
                    waits: Arc::default(),
                    health: Arc::default(),
                    no_credentials: "",
                    is_loopback: false,
                };
                let text = endpoint.map(str::to_owned);
                let found = connector.takes_http("VARIABLE", text.as_ref(), is_allowed);
                let name = format!("{endpoint:?} {is_allowed}");
                match found {
                    Ok(takes) => assert_eq!(takes, is_allowed || is_http && is_here, "{name}"),
                    Err(error) => {
                        assert!(is_http && !is_here && !is_allowed, "{name}");
                        let said = crate::remote::fetch::error(error).to_string();
                        assert_eq!(said, "VARIABLE is http:// to another machine, which needs --allow-http");
                        continue;
                    }
                }
                assert!(is_allowed || !is_http || is_here, "{name}");
                assert_eq!(connector.is_loopback, is_here, "{name}");
            }
        }
    }

    #[test]
    fn settings_are_true_in_the_words_of_stores_in_any_case() {
        for word in ["1", "true", "on", "yes", "y"] {
            assert!(is_true(Some(&word.to_owned())) && is_true(Some(&word.to_uppercase())), "{word}");
        }
        for word in ["", "0", "false", "off", "no", "n", "t", "2", " true"] {
            assert!(!is_true(Some(&word.to_owned())), "{word}");
        }
        assert!(!is_true(None));
    }

    #[test]
    fn stores_that_any_setting_tells_apart_have_different_places() {
        let settings = [None, Some("a"), Some("b")];
        let mut places = Vec::new();
        for store in ["s3://b", "s3://c", "gs://b"] {
            for first in settings {
                for second in settings {
                    let url = Url::parse(store).unwrap();
                    let at = [first, second].map(|text| text.map(str::to_owned));
                    places.push(url.place(&at));
                }
            }
        }
        let count = places.len();
        places.sort();
        places.dedup();
        assert_eq!((places.len(), count), (27, 27));
    }
}
