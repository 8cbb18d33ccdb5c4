//! What a value of a text means, and how the binary form stores it.

use crate::formats::rap::codes::ValueType;

/// The meaning of a value.
pub(super) enum Literal {
    Text(Vec<u8>),
    Float(f32),
    Int(i32),
    Long(i64),
    Expression(Vec<u8>),
}

impl Literal {
    /// Returns its type.
    pub(super) fn kind(&self) -> ValueType {
        ValueType(match self {
            Self::Text(_) => 0,
            Self::Float(_) => 1,
            Self::Int(_) => 2,
            Self::Expression(_) => 4,
            Self::Long(_) => 6,
        })
    }

    /// Returns it as stored.
    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) | Self::Expression(text) => {
                let mut bytes = Vec::new();
                put_text(text, &mut bytes);
                bytes
            }
            Self::Float(number) => number.to_le_bytes().to_vec(),
            Self::Int(number) => number.to_le_bytes().to_vec(),
            Self::Long(number) => number.to_le_bytes().to_vec(),
        }
    }
}

/// Returns the number or expression that a value without quotes is, if it is one.
pub(super) fn plain(text: &[u8]) -> Option<Literal> {
    if let Some(expression) = text.strip_prefix(b"__EVAL(") {
        let inner = expression.strip_suffix(b")")?;
        return Some(Literal::Expression(inner.to_vec()));
    }
    if let Some(number) = whole(text) {
        return Some(match i32::try_from(number) {
            Ok(number) => Literal::Int(number),
            Err(_) => Literal::Long(number),
        });
    }
    // Words that Rust reads as numbers, such as `inf`, are texts.
    let first = text.iter().find(|byte| !matches!(byte, b'-' | b'+'))?;
    if !first.is_ascii_digit() && *first != b'.' {
        return None;
    }
    let number = std::str::from_utf8(text).ok()?.parse().ok()?;
    Some(Literal::Float(number))
}

/// Returns the whole number that a text is, in decimal or as `0x` and hexadecimal digits.
pub(super) fn whole(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        // A sign may not follow.
        return if digits.starts_with(['+', '-']) { None } else { i64::from_str_radix(digits, 16).ok() };
    }
    text.parse().ok()
}

/// Puts a text and the NUL after it.
pub(super) fn put_text(text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(text);
    out.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length of the digits that a text begins with.
    fn digits(text: &str) -> usize {
        text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len()
    }

    /// Returns true for digits with at most one dot, and perhaps an exponent, after at most one sign.
    fn is_float(text: &str) -> bool {
        let text = text.strip_prefix(['+', '-']).unwrap_or(text);
        let before = digits(text);
        let mut rest = &text[before..];
        let mut after = 0;
        if let Some(fraction) = rest.strip_prefix('.') {
            after = digits(fraction);
            rest = &fraction[after..];
        }
        if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            rest = if exponent.is_empty() { "missing" } else { &exponent[digits(exponent)..] };
        }
        before + after > 0 && rest.is_empty()
    }

    /// Returns the type of a text of a few letters.
    fn expected(text: &str) -> Option<u8> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let hexadecimal = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or_default();
        let is_decimal = !unsigned.is_empty() && digits(unsigned) == unsigned.len();
        let is_hexadecimal = !hexadecimal.is_empty() && hexadecimal.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_decimal || is_hexadecimal {
            return Some(2);
        }
        if is_float(text) { Some(1) } else { None }
    }

    #[test]
    fn every_short_text_is_a_number_or_none() {
        let mut texts = vec![String::new()];
        let mut first = 0;
        while texts.len() < 20_000 {
            let text = texts[first].clone();
            texts.extend("+-.0x1eEfX".chars().map(|letter| format!("{text}{letter}")));
            first += 1;
        }
        for text in
            texts.iter().map(String::as_str).chain(["inf", "nan", "-inf", "NaN", "+infinity", " 1", "1 ", "1_0"])
        {
            assert_eq!(plain(text.as_bytes()).map(|literal| literal.kind().0), expected(text), "{text:?}");
        }
    }

    #[test]
    fn whole_numbers_have_the_smallest_type_that_holds_them() {
        let (least, most) = (i128::from(i32::MIN), i128::from(i32::MAX));
        let (longest, largest) = (i128::from(i64::MIN), i128::from(i64::MAX));
        for around in [0, least, most, longest, largest] {
            for number in around - 2..=around + 2 {
                // What no type of a number holds is a number with a fraction.
                let kind = match number {
                    _ if (least..=most).contains(&number) => 2,
                    _ if (longest..=largest).contains(&number) => 6,
                    _ => 1,
                };
                let literal = plain(number.to_string().as_bytes()).unwrap();
                assert_eq!(literal.kind().0, kind, "{number}");
                let bytes = match kind {
                    1 => (number as f32).to_le_bytes().to_vec(),
                    2 => (number as i32).to_le_bytes().to_vec(),
                    _ => (number as i64).to_le_bytes().to_vec(),
                };
                assert_eq!(literal.bytes(), bytes, "{number}");
                if number >= 0 {
                    let literal = plain(format!("0x{number:X}").as_bytes());
                    let kind = if kind == 1 { None } else { Some(kind) };
                    assert_eq!(literal.map(|literal| literal.kind().0), kind, "{number:#x}");
                }
            }
        }
    }

    #[test]
    fn an_expression_is_all_between_the_first_and_the_last_parenthesis() {
        for (text, expected) in [
            ("__EVAL(1+2)", Some("1+2")),
            ("__EVAL()", Some("")),
            ("__EVAL((a)(b))", Some("(a)(b)")),
            ("__EVAL(1", None),
            ("__EVAL(1) ", None),
            ("__eval(1)", None),
            ("__EVAL (1)", None),
            ("EVAL(1)", None),
        ] {
            let inner = match plain(text.as_bytes()) {
                Some(literal @ Literal::Expression(_)) => Some(literal.bytes()),
                _ => None,
            };
            assert_eq!(inner, expected.map(|text| [text.as_bytes(), b"\0"].concat()), "{text}");
        }
    }
}
