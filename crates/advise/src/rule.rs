//! What a rule is: metadata, a page of prose and a pure check.

use crate::facts::Facts;
pub use crate::page::Doc;
use crate::recommendation::Recommendation;
use loopwright_analysis::model::{LoopFacts, ModuleSummary};

/// What a rule looks at; it is called once for each.
#[derive(Clone, Copy)]
pub enum Check {
    /// Each hot loop; of the pieces that a compiler made of one source loop, the one that represents them.
    Loop(fn(&Facts, &LoopFacts) -> Option<Recommendation>),
    /// Each hot module.
    Module(fn(&Facts, &ModuleSummary) -> Option<Recommendation>),
    /// The program as a whole.
    Program(fn(&Facts) -> Option<Recommendation>),
    /// What all other rules recommend: a package of it.
    Advice(fn(&Facts, &[Recommendation]) -> Option<Recommendation>),
}

/// A rule of advice: when it fires, and its page of the handbook.
pub struct Rule {
    /// Named for the condition, readable after "allow".
    pub id: &'static str,
    /// The function that decides whether the rule fires.
    pub check: Check,
    /// Needs optimised code of a module that its user can rebuild: it advises a change of source or flags.
    pub on_own_optimised_code: bool,
    /// Its change leaves the bytes that the loop moves as they are, so that the bandwidth of memory bounds its gain,
    /// and of a loop that runs at that bandwidth nothing is said.
    pub leaves_traffic: bool,
    /// Ids of recommendations that say the same thing better: where one of them fired for the same
    /// loop, this one is left out.
    pub yields_to: &'static [&'static str],
    /// Title, documentation, ways to change and sources: the page `rules/ID.md`, a chapter of `docs/rules.md`.
    pub doc: Doc,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rule({})", self.id)
    }
}
