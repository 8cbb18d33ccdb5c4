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

#[cfg(test)]
mod tests {
    use object_store::client::HttpRequestBody;

    use super::*;

    #[test]
    fn requests_for_credentials_are_those_to_the_cloud_of_the_machine_without_a_signature() {
        for (path, is_known) in [
            ("/latest/api/token", true),
            ("/latest/meta-data/iam/security-credentials", true),
            ("/latest/meta-data/iam/security-credentials/role", true),
            ("/computeMetadata/v1/instance/service-accounts/default/token?audience=x", true),
            ("/metadata/identity/oauth2/token?api-version=1", true),
            ("/latest/meta-data/iam", false),
            ("/latest", false),
            ("/computeMetadata/v1", false),
            ("/metadata/instance", false),
            ("/bucket/latest/api/token", false),
            ("/x?y=/latest/api/token", false),
            ("/", false),
        ] {
            for is_signed in [false, true] {
                let mut request = HttpRequest::new(HttpRequestBody::empty());
                *request.uri_mut() = format!("http://h{path}").parse().unwrap();
                request.headers_mut().insert("x-other", "value".parse().unwrap());
                if is_signed {
                    request.headers_mut().insert("authorization", "key".parse().unwrap());
                }
                assert_eq!(is_request(&request), is_known && !is_signed, "{path} {is_signed}");
            }
        }
    }

    /// The message of each store names its own variables, and is found again in the text of an error.
    #[test]
    fn each_store_says_which_variables_it_reads() {
        let stores = [
            ("s3", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SKIP_SIGNATURE=true"]),
            ("gs", ["GOOGLE_APPLICATION_CREDENTIALS", "file of a key", "GOOGLE_SKIP_SIGNATURE=true"]),
            ("az", ["AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY", "AZURE_SKIP_SIGNATURE=true"]),
        ];
        for (scheme, words) in stores {
            for (other, _) in stores {
                let has_all = words.iter().all(|word| missing(other).contains(word));
                assert_eq!(has_all, scheme == other, "{scheme} {other}");
            }
        }
        for scheme in ["s3", "gs", "az", "http", "https"] {
            let said = missing(scheme);
            for before in ["", "Generic S3 error: 403 Forbidden: "] {
                assert_eq!(message_in(&format!("{before}{said}")), Some(said), "{scheme}");
            }
        }
        for text in ["", "credentials", "no credential", "No credentials"] {
            assert_eq!(message_in(text), None, "{text}");
        }
    }
}
