//! Questions with several contenders, and who puts them.

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
    /// Does the work once; its checksum.
    pub fn run(&mut self) -> u64 {
        (self.work)()
    }

    /// Sets the ratio of the first contender's time to this one's that it is to keep to.
    pub fn at_most(self, ratio: f64) -> Self {
        Self { at_most: Some(ratio), ..self }
    }

    /// Tells how many equal things the work is done for, so that the time of one can be told.
    pub fn items(self, items: u64) -> Self {
        Self { items: Some(items), ..self }
    }

    /// Tells that several threads work at once, whose times would add up.
    pub fn in_threads(self) -> Self {
        Self { threads: true, ..self }
    }
}

/// A contender that answers the question.
pub fn contender<'w>(name: &'static str, work: impl FnMut() -> u64 + 'w) -> Contender<'w> {
    Contender { name, work: Box::new(work), answers: true, at_most: None, items: None, threads: false }
}

/// Work that does not answer the question, but shows what the machine takes for something like it.
pub fn measure<'w>(name: &'static str, work: impl FnMut() -> u64 + 'w) -> Contender<'w> {
    Contender { answers: false, ..contender(name, work) }
}

/// Whoever puts questions and takes down what the contenders do.
pub trait Examiner {
    /// Whether this question is to be put.
    fn asks(&mut self, text: &str) -> bool;

    /// Has the contenders answer it.
    fn examine(&mut self, text: &str, contenders: Vec<Contender<'_>>);
}

/// A question that is put.
pub struct Question<'t> {
    text: &'t str,
    examiner: &'t mut dyn Examiner,
}

impl dyn Examiner + '_ {
    /// Puts a question if it is asked: only then is what it is asked of made.
    pub fn question(&mut self, text: &str, put: impl FnOnce(Question<'_>)) {
        if self.asks(text) {
            put(Question { text, examiner: self });
        }
    }
}

impl Question<'_> {
    /// Has these contenders answer it; the first is the one that the others are set beside.
    pub fn compare(self, contenders: Vec<Contender<'_>>) {
        self.examiner.examine(self.text, contenders);
    }
}
