//! Bounds on what it costs to resolve references.

use std::sync::OnceLock;

use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::budget::Counter;

/// The work and memory that remain for resolving all references.
#[derive(Debug)]
pub(super) struct Cost {
    /// Bytes of paths that are built and looked up.
    compared: Counter,
    /// Bytes of addresses that links give.
    named: Counter,
    /// The first error.
    failed: OnceLock<Error>,
}

impl Cost {
    /// The amounts for files of this size.
    pub(super) fn new(files: u64, bytes: u64, limits: &Limits) -> Self {
        /// Each file counts as this much larger than it is, and so do all together.
        const SMALL: u64 = 1 << 20;
        let bytes = files.saturating_add(1).saturating_mul(SMALL).saturating_add(bytes);
        let compared = bytes.saturating_mul(limits.work.into());
        let named = bytes.saturating_mul(limits.output.into()).saturating_add(SMALL);
        Self {
            compared: Counter::new(compared, "bytes of paths looked up for references", Code::WorkLimit),
            named: Counter::new(named, "bytes of addresses that references mean", Code::OutputLimit),
            failed: OnceLock::new(),
        }
    }

    /// Charges for looking up a path of this length.
    pub(super) fn compare(&self, bytes: usize) -> Result<()> {
        /// What looking up the shortest path costs.
        const LOOKUP: u64 = 128;
        self.compared.take((bytes as u64).saturating_add(LOOKUP))
    }

    /// Charges for bytes of macros that were examined while they were expanded.
    pub(super) fn expand(&self, bytes: u64) -> Result<()> {
        /// What a byte costs, compared to one of a path.
        const COST: u64 = 8;
        self.compared.take(bytes.saturating_mul(COST))
    }

    /// Charges for an address. Returns false if too little is left, which [`check`](Self::check) then reports.
    pub(super) fn name(&self, bytes: usize) -> bool {
        let Err(error) = self.named.take(bytes as u64) else { return true };
        self.failed.get_or_init(|| error);
        false
    }

    /// Returns the error if an address was not given.
    pub(super) fn check(&self) -> Result<()> {
        match self.failed.get() {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::ErrorKind;

    #[test]
    fn lookups_and_addresses_cost_their_bytes_up_to_the_limits() {
        for (files, bytes) in [(0, 0), (1, 0), (3, 5_000_000), (u64::MAX, 1), (1, u64::MAX)] {
            for factor in [0, 1, 48] {
                let limits = Limits::default().with_work(factor).with_output(factor);
                let cost = Cost::new(files, bytes, &limits);
                let mebibytes = (u128::from(files) + 1) << 20;
                let allowed = |base: u128| u64::try_from(base * u128::from(factor)).unwrap_or(u64::MAX);
                let compared = allowed((mebibytes + u128::from(bytes)).min(u64::MAX.into()));
                let named = compared.saturating_add(1 << 20);

                let mut left = compared;
                for length in [0, 1, 60_000, usize::MAX >> 2] {
                    let price = length as u64 + 128;
                    assert_eq!(cost.compare(length).is_ok(), price <= left, "{files} {bytes} {factor} {length}");
                    left = left.saturating_sub(price);
                }
                let mut left = named;
                let mut has_failed = false;
                for length in [0, 1, 60_000, 1 << 20, usize::MAX >> 2, 1] {
                    let is_left = length as u64 <= left;
                    left = if is_left { left - length as u64 } else { 0 };
                    has_failed |= !is_left;
                    assert_eq!(cost.name(length), is_left, "{files} {bytes} {factor} {length}");
                    assert_eq!(cost.check().is_err(), has_failed, "{files} {bytes} {factor} {length}");
                }
            }
        }
    }

    #[test]
    fn each_limit_is_named() {
        let limits = Limits::default().with_work(0).with_output(0);
        let cost = Cost::new(1, 1, &limits);
        let error = cost.compare(1).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { limit: 0, .. }), "{error}");
        assert_eq!(error.code(), Code::WorkLimit);
        assert!(error.to_string().contains("bytes of paths looked up for references"), "{error}");
        assert!(!cost.name((1 << 20) + 1));
        let error = cost.check().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { limit: 0x10_0000, .. }), "{error}");
        assert_eq!(error.code(), Code::OutputLimit);
        assert!(error.to_string().contains("bytes of addresses that references mean"), "{error}");
    }

    #[test]
    fn a_byte_of_an_expanded_macro_costs_eight_of_a_path() {
        for bytes in [0, 1, 1 << 16, (1 << 17) - 1, 1 << 17, (1 << 17) + 1, u64::MAX] {
            let limits = Limits::default().with_work(1);
            let cost = Cost::new(0, 0, &limits);
            assert_eq!(cost.expand(bytes).is_ok(), bytes <= 1 << 17, "{bytes}");
            // What is left is for paths.
            let cost = Cost::new(0, 0, &limits);
            cost.expand((1 << 17) - 1_000).unwrap();
            assert_eq!(cost.compare(8_000 - 128).is_ok(), cost.compare(0).is_err());
        }
    }
}
