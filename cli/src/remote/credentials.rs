//! What to say if a machine has no credentials for a store.

use object_store::client::HttpRequest;

/// Where services of clouds give credentials to their own machines. A client asks there if no variable has any.
const PATHS: [&str; 4] =
    ["/latest/api/token", "/latest/meta-data/iam/security-credentials", "/computeMetadata/v1/", "/metadata/identity/"];
/// The beginning of the messages.
const MISSING: &str = "no credentials";

/// Returns true for a request to the machine's cloud for credentials.
pub(super) fn is_request(request: &HttpRequest) -> bool {
    let path = request.uri().path();
    // A bucket may have these names, so a request with a signature is one to a store.
    !request.headers().contains_key("authorization") && PATHS.iter().any(|known| path.starts_with(known))
}

/// Returns the message that an answer to such a request became, from the text of an error with it.
pub(super) fn message_in(text: &str) -> Option<&str> {
    text.get(text.find(MISSING)?..)
}

/// Returns the message for a store of this scheme.
pub(super) fn missing(scheme: &str) -> &'static str {
    match scheme {
        "s3" => {
            "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, \
             or AWS_SKIP_SIGNATURE=true for a public bucket"
        }
        "gs" => {
            "no credentials: set GOOGLE_APPLICATION_CREDENTIALS to the file of a key, \
             or GOOGLE_SKIP_SIGNATURE=true for a public bucket"
        }
        "az" => {
            "no credentials: set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, \
             or AZURE_SKIP_SIGNATURE=true for a public container"
        }
        _ => MISSING,
    }
}
