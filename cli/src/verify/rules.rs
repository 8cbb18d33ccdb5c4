//! Which warnings are left out.

use meshpeek::summary::{Code, Problem, Severity};

/// A code, or a class that stands for its codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule(&'static str);

impl Rule {
    /// Reads a code or class.
    fn of(text: &str) -> Option<Self> {
        for code in Code::ALL {
            for name in [code.name(), code.class()] {
                if name == text {
                    return Some(Self(name));
                }
            }
        }
        None
    }

    /// Reads a code or class of warnings that may be left out.
    pub(super) fn allowed(text: &str) -> Result<Self, String> {
        let Some(rule) = Self::of(text) else {
            return Err("no such code; `meshpeek explain` lists all".to_owned());
        };
        match rule.0.split_once('.').map_or(rule.0, |(class, _)| class) {
            "suspicious" | "lint" => Ok(rule),
            _ => Err("only `suspicious`, `lint` and the codes below them can be allowed".to_owned()),
        }
    }

    pub(super) fn fits(self, problem: &Problem) -> bool {
        problem.severity == Severity::Warning && (self.0 == problem.code.name() || self.0 == problem.code.class())
    }
}
