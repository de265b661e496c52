//! What a rule is: metadata and a pure check.
//!
//! The six documentation fields are the chapters of the rule's page in `docs/rules.md`; being struct
//! fields, none can be left out.

use crate::facts::Facts;
use crate::recommendation::Recommendation;
use loopwright_analysis::model::{LoopFacts, ModuleSummary};

/// What a rule looks at; it is called once for each.
#[derive(Clone, Copy)]
pub enum Check {
    /// Each hot loop.
    Loop(fn(&Facts, &LoopFacts) -> Option<Recommendation>),
    /// Each hot module.
    Module(fn(&Facts, &ModuleSummary) -> Option<Recommendation>),
    /// The program as a whole.
    Program(fn(&Facts) -> Option<Recommendation>),
}

/// The page of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Doc {
    /// The condition it finds.
    pub detects: &'static str,
    /// Why that condition costs time.
    pub why_it_costs: &'static str,
    /// The facts it reads, and what it asks for when they are missing.
    pub facts_needed: &'static str,
    /// When not to believe it.
    pub when_it_is_wrong: &'static str,
    /// A short example.
    pub example: &'static str,
    /// How to see that the change worked.
    pub how_to_verify: &'static str,
}

/// A rule.
pub struct Rule {
    /// Named for the condition, readable after "allow".
    pub id: &'static str,
    /// One line.
    pub title: &'static str,
    /// The check.
    pub check: Check,
    /// Needs optimised code of a module that its user can rebuild: it advises a change of source or flags.
    pub on_own_optimised_code: bool,
    /// Its change leaves the bytes that the loop moves as they are, so that the bandwidth of memory bounds its gain,
    /// and of a loop that runs at that bandwidth nothing is said.
    pub leaves_traffic: bool,
    /// Ids of recommendations that say the same thing better: where one of them fired for the same
    /// loop, this one is left out.
    pub yields_to: &'static [&'static str],
    /// Documentation.
    pub doc: Doc,
    /// Where the knowledge comes from.
    pub sources: &'static [&'static str],
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rule({})", self.id)
    }
}
