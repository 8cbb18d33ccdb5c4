//! The order of the bodies of classes.

use super::{Class, Config, Step};
use crate::base::code::Code;
use crate::base::error::{Context as _, Error, Result};
use crate::base::text::ByteStr;
use crate::budget::{Budget, Held};
use crate::summary::Problems;

/// Where the bodies of inner classes are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// After the body of the class that contains them, which ends where the last of them ends: depth first.
    Nested,
    /// Anywhere after the body of the class that contains them, and each class ends with its own body, or says nothing of
    /// its end. Some writers lay classes out breadth first.
    Flat,
}

/// The location of a class's body, and what is needed to read it again.
#[derive(Clone, Copy)]
pub(super) struct Body<'a> {
    pub(super) index: u32,
    offset: u32,
    end: u32,
    has_end: bool,
    name: ByteStr<'a>,
}

impl<'a> Body<'a> {
    /// Returns the body of a class. Addresses have 32 bits, so no offset is cut.
    fn of(step: &Step<'a>) -> Self {
        let Step { index, class, .. } = step;
        Self {
            index: to_address(*index as u64),
            offset: to_address(class.offset()),
            end: to_address(class.body_end()),
            has_end: class.end.is_some(),
            name: class.name,
        }
    }

    /// Reads the class again.
    pub(super) fn read(&self, config: &Config<'a>) -> Result<Class<'a>> {
        Class::read(config.at(self.offset.into()), self.name, self.has_end)
    }
}

/// Converts an index or an offset to 32 bits. One that does not fit becomes the largest.
fn to_address(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// All bodies in the order of the file, and the hold on the budget for their memory.
pub(super) struct Bodies<'a> {
    pub(super) list: Vec<Body<'a>>,
    _held: Held,
}

impl<'a> Config<'a> {
    /// Returns the layout, by where the root class says that it ends. Reads the root class and the next one.
    pub(super) fn layout(&self) -> Layout {
        let mut steps = self.classes();
        let Some(Ok(root)) = steps.next() else { return Layout::Nested };
        let Some(end) = root.class.end else { return Layout::Flat };
        // A root class alone ends with its body in either layout.
        let is_alone = steps.next().is_none();
        if is_alone || u64::from(end) != root.class.body_end() { Layout::Nested } else { Layout::Flat }
    }

    /// Returns the bodies of all classes that can be read, in the order of the file. Their memory is held from the budget.
    ///
    /// # Errors
    /// Returns an error if the budget does not have that memory.
    pub(super) fn bodies(&self, budget: &Budget) -> Result<Bodies<'a>> {
        let count = self.classes().filter(Result::is_ok).count();
        let held = budget.hold((count as u64).saturating_mul(size_of::<Body<'_>>() as u64))?;
        let mut list = Vec::with_capacity(count);
        for step in self.classes().flatten() {
            list.push(Body::of(&step));
        }
        list.sort_unstable_by_key(|body| body.offset);
        Ok(Bodies { list, _held: held })
    }
}

/// Checks that bodies follow each other without a gap, and that each class ends where it says.
pub(super) struct Order {
    layout: Layout,
    /// True if a class could not be read. From then on, nothing is reported.
    pub(super) is_broken: bool,
    /// The offset after the last body.
    pub(super) reached: u64,
    /// In the nested layout: the last class and the classes that contain it.
    around: Vec<Claim>,
}

/// The end that a class claims.
struct Claim {
    index: usize,
    /// `None` if it claims none.
    end: Option<u64>,
    /// The offset of the claim.
    offset: u64,
}

impl Order {
    /// Starts the check of a file of this layout, before the root class.
    pub(super) fn of(layout: Layout) -> Self {
        Self { layout, is_broken: false, reached: super::config::ROOT, around: Vec::new() }
    }

    /// Checks the next class of the walk. In the flat layout, the order of bodies is checked at the end.
    pub(super) fn add(&mut self, step: &Step<'_>, problems: &mut Problems) {
        let class = &step.class;
        let end = class.body_end();
        // The claim is the last four bytes of the body.
        let claim = Claim { index: step.index, end: class.end.map(u64::from), offset: end.saturating_sub(4) };
        match self.layout {
            Layout::Nested => {
                self.leave(step.depth, problems);
                self.follow(step.index, class.offset(), end, problems);
                self.around.push(claim);
            }
            Layout::Flat => self.check_end(&claim, end, problems),
        }
    }

    /// Checks what is known after the last class: the ends of the classes that contain it; in the flat layout, the
    /// order of all bodies.
    pub(super) fn finish(&mut self, config: &Config<'_>, problems: &mut Problems) {
        self.leave(0, problems);
        if self.layout == Layout::Nested || self.is_broken {
            return;
        }
        let budget = problems.budget().clone();
        let Some(bodies) = problems.ok(config.bodies(&budget)) else {
            self.is_broken = true;
            return;
        };
        for body in &bodies.list {
            self.follow(body.index as usize, body.offset.into(), body.end.into(), problems);
        }
    }

    /// Checks that a body is right after the one before.
    fn follow(&mut self, index: usize, start: u64, end: u64, problems: &mut Problems) {
        if !self.is_broken && start != self.reached {
            let message = format!("the body is not at {:#x}, right after the one before", self.reached);
            let error = Error::malformed(message).at(start).within_item("classes", index);
            problems.warning(&error.coded(Code::Order));
        }
        self.reached = end;
    }

    /// Ends the innermost classes, until `depth` are left, and checks that they end where the last body does.
    fn leave(&mut self, depth: usize, problems: &mut Problems) {
        while self.around.len() > depth
            && let Some(claim) = self.around.pop()
        {
            self.check_end(&claim, self.reached, problems);
        }
    }

    /// Checks that a class ends where it says.
    fn check_end(&self, claim: &Claim, end: u64, problems: &mut Problems) {
        let Some(claimed) = claim.end else { return };
        if self.is_broken || claimed == end {
            return;
        }
        let message = format!("{claimed:#x} is not {end:#x}, where the class ends");
        let error = Error::malformed(message).at(claim.offset).within("end").within_item("classes", claim.index);
        problems.warning(&error.coded(Code::Order));
    }
}
