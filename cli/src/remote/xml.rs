//! The errors of stores, which are XML, as one line of text.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::keys::add_text;

/// Returns the code and the message of an error of S3, GCS or Azure. Returns any other text as it is.
pub(super) fn readable(text: &str) -> String {
    let mut reader = Reader::from_str(text);
    let mut code = String::new();
    let mut message = String::new();
    let mut open = Vec::new();
    // The text may be cut, so an end without the message is not an error.
    while let Ok(event) = reader.read_event() {
        match &event {
            Event::Start(tag) => open.push(tag.name().as_ref().to_vec()),
            Event::End(_) => {
                open.pop();
            }
            Event::Eof => break,
            event => match open.as_slice() {
                [root, tag] if root == b"Error" && tag == b"Code" => add_text(event, &mut code),
                [root, tag] if root == b"Error" && tag == b"Message" => add_text(event, &mut message),
                _ => {}
            },
        }
    }
    match (code.trim(), message.trim()) {
        ("", "") => text.to_owned(),
        (code, "") => code.to_owned(),
        ("", message) => message.to_owned(),
        // Azure puts the number of the request and the time into further lines.
        (code, message) => format!("{code}: {}", message.lines().next().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn errors_of_stores_are_their_code_and_message() {
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        let key = "<AWSAccessKeyId>A</AWSAccessKeyId><RequestId>R</RequestId>";
        for (body, expected) in [
            (
                "<Error><Code>SlowDown</Code><Message>Please &lt;reduce&gt;.</Message></Error>",
                "SlowDown: Please <reduce>.",
            ),
            ("<Error><Code>AccessDenied</Code><Message></Message></Error>", "AccessDenied"),
            ("<Error><Message>No.</Message></Error>", "No."),
            ("<Error><Message>No.</Message><Code>C</Code>", "C: No."),
            (
                "<Error><Code>C</Code><Message>Server failed.\nRequestId:5\nTime:6</Message></Error>",
                "C: Server failed.",
            ),
            ("<Error><Code>C</Code><Details><Message>inner</Message></Details></Error>", "C"),
            ("<Error><Code>C</Code><Mess", "C"),
        ] {
            assert_eq!(readable(body), expected);
            assert_eq!(readable(&format!("{head}{body}")), expected);
            assert_eq!(readable(&body.replace("</Error>", &format!("{key}</Error>"))), expected);
        }
        for other in ["", "plain text", "<html><body>No</body></html>", "{\"Code\": 5}", "<Error/>", "<Error>", "<a"] {
            assert_eq!(readable(other), other);
        }
    }
}
