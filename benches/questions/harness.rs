//! Questions with several contenders, and the harness that asks them.

/// One way to answer a question.
pub struct Contender<'w> {
    pub name: &'static str,
    /// Returns a checksum, the same for all that answer.
    work: Box<dyn FnMut() -> u64 + 'w>,
    pub answers: bool,
    pub at_most: Option<f64>,
    pub items: Option<u64>,
    pub threads: bool,
}

impl Contender<'_> {
    /// Does the work once. Returns its checksum.
    pub fn run(&mut self) -> u64 {
        (self.work)()
    }

    /// Sets the target for the ratio of the first contender's time to this one's.
    pub fn at_most(self, ratio: f64) -> Self {
        Self { at_most: Some(ratio), ..self }
    }

    /// Sets the number of equal items in the work, so that the time of one can be printed.
    pub fn items(self, items: u64) -> Self {
        Self { items: Some(items), ..self }
    }

    /// Marks work by several threads at once, whose times would add up.
    pub fn in_threads(self) -> Self {
        Self { threads: true, ..self }
    }
}

/// A contender that answers the question.
pub fn contender<'w>(name: &'static str, work: impl FnMut() -> u64 + 'w) -> Contender<'w> {
    Contender { name, work: Box::new(work), answers: true, at_most: None, items: None, threads: false }
}

/// Work that does not answer the question, but shows the machine's cost of something similar.
pub fn measure<'w>(name: &'static str, work: impl FnMut() -> u64 + 'w) -> Contender<'w> {
    Contender { answers: false, ..contender(name, work) }
}

/// Asks questions and records the contenders' results.
pub trait Examiner {
    /// Returns true if this question is to be asked.
    fn asks(&mut self, text: &str) -> bool;

    /// Lets the contenders answer it.
    fn examine(&mut self, text: &str, contenders: Vec<Contender<'_>>);
}

/// A question to ask.
pub struct Question<'t> {
    text: &'t str,
    examiner: &'t mut dyn Examiner,
}

impl dyn Examiner + '_ {
    /// Asks a question if it is selected. Only then is its input created.
    pub fn question(&mut self, text: &str, put: impl FnOnce(Question<'_>)) {
        if self.asks(text) {
            put(Question { text, examiner: self });
        }
    }
}

impl Question<'_> {
    /// Lets these contenders answer it. The others are compared with the first.
    pub fn compare(self, contenders: Vec<Contender<'_>>) {
        self.examiner.examine(self.text, contenders);
    }
}
