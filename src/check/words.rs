//! The severity of a problem, and numbers in messages.

use crate::base::code::{Class, Code};
use crate::summary::Severity;

/// Returns the severity of a problem with this code.
pub(super) fn severity(code: Code) -> Severity {
    if code.class() == Class::Damaged { Severity::Error } else { Severity::Warning }
}

/// Formats a number with thousands separators.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len().saturating_mul(2));
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && digits.len().saturating_sub(index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
