//! The options of a comparison.

/// Options of a comparison.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Floating-point numbers within this distance count as equal.
    pub tolerance: f64,
}

impl Options {
    /// Sets the [tolerance](Self::tolerance).
    #[must_use]
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    pub(super) fn is_near(&self, a: f32, b: f32) -> bool {
        if a == b || a.to_bits() == b.to_bits() {
            return true;
        }
        let distance = (f64::from(a) - f64::from(b)).abs();
        self.tolerance > 0.0 && (distance <= self.tolerance || a.is_nan() && b.is_nan())
    }

    /// Like `is_near`, but NaN always counts as equal to NaN.
    pub(super) fn is_near_or_nan(&self, a: f32, b: f32) -> bool {
        self.is_near(a, b) || a.is_nan() && b.is_nan()
    }
}
