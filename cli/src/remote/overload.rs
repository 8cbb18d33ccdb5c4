//! Repeats requests that a store refuses because it gets too many at once.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a store may refuse everything before requests are no longer repeated. One request is repeated for as long.
const LONGEST: Duration = Duration::from_secs(20);
/// The wait before the first repetition. Each further one is twice as long, up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Returns true for the statuses of a store that asks for fewer requests, such as 503 Slow Down.
pub(super) fn is_overload(status: u16) -> bool {
    matches!(status, 429 | 503)
}

/// When a store last answered, and since when it has refused everything.
#[derive(Debug, Default)]
pub(super) struct Health(Mutex<Times>);

#[derive(Clone, Copy, Debug, Default)]
struct Times {
    answered: Option<Instant>,
    /// The first refusal after the last answer.
    refused: Option<Instant>,
}

impl Health {
    /// Notes that the store answered, now.
    pub(super) fn answer(&self) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *times = Times { answered: Some(Instant::now()), refused: None };
    }

    /// Notes a refusal at this time. Returns the time of the first one in a row.
    fn refuse(&self, now: Instant) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).refused.get_or_insert(now)
    }

    /// Returns true if the store answered after this time.
    pub(super) fn has_answered_since(&self, time: Instant) -> bool {
        let times = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.answered.is_some_and(|answered| answered > time)
    }
}

/// The repetitions of one request.
pub(super) struct Repetitions {
    begun: Instant,
    wait: Duration,
}

impl Repetitions {
    pub(super) fn new(now: Instant) -> Self {
        Self { begun: now, wait: FIRST_WAIT }
    }

    /// Returns how long to wait before the request is repeated, which was refused now. Returns `None` if the store has
    /// refused this request, or all requests, for too long.
    pub(super) fn next(&mut self, now: Instant, health: &Health) -> Option<Duration> {
        let refused = health.refuse(now).min(self.begun);
        let left = LONGEST.checked_sub(now.saturating_duration_since(refused))?;
        if left.is_zero() {
            return None;
        }
        let wait = self.wait.min(left);
        self.wait = self.wait.saturating_mul(2).min(LONGEST_WAIT);
        Some(wait)
    }
}

/// Returns the message for a request that was refused for too long.
pub(super) fn message(status: &str) -> String {
    format!("the server answered {status} for {} s", LONGEST.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_repeated_for_20_seconds() {
        let health = Health::default();
        let begun = Instant::now();
        let mut repetitions = Repetitions::new(begun);
        let mut now = begun;
        let mut waits = Vec::new();
        while let Some(wait) = repetitions.next(now, &health) {
            waits.push(wait.as_millis());
            now += wait;
        }
        assert_eq!(waits[..7], [100, 200, 400, 800, 1_600, 2_000, 2_000]);
        assert_eq!(waits.iter().sum::<u128>(), 20_000);
        // Another request is not repeated, until the store answers.
        assert_eq!(Repetitions::new(now).next(now, &health), None);
        health.answer();
        assert_eq!(Repetitions::new(now).next(now, &health), Some(FIRST_WAIT));
    }

    #[test]
    fn answers_between_refusals_do_not_prolong_one_request() {
        let health = Health::default();
        let mut now = Instant::now();
        let begun = now;
        let mut repetitions = Repetitions::new(now);
        while let Some(wait) = repetitions.next(now, &health) {
            health.answer();
            now += wait;
        }
        assert_eq!(now.duration_since(begun), LONGEST);
    }

    #[test]
    fn answers_are_compared_with_the_time_of_a_failure() {
        let health = Health::default();
        let before = Instant::now();
        assert!(!health.has_answered_since(before));
        std::thread::sleep(Duration::from_millis(2));
        health.answer();
        assert!(health.has_answered_since(before));
        assert!(!health.has_answered_since(Instant::now() + Duration::from_millis(1)));
        for (status, expected) in [(200, false), (404, false), (429, true), (500, false), (502, false), (503, true)] {
            assert_eq!(is_overload(status), expected, "{status}");
        }
    }
}
