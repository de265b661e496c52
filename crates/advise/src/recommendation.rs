//! What a rule says when it fires.
//!
//! Plain values, serialised as the JSON contract prints them: absent facts are absent keys, a gain is a
//! pair `[low, high]` of speed-up factors (2.0 = twice as fast). Rendering belongs to the report.

use crate::evidence::{self, Evidence, Expected, Fact};
use crate::places::{self, Place};
use crate::tried::Tried;
use loopwright_analysis::model::{LoopFacts, Provenance};
use loopwright_costs::{Gain, clean_share};
use schemars::JsonSchema;
use serde::Serialize;

/// How sure a recommendation is that its change helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// A hint: the facts fit, but so do harmless explanations; look before acting.
    Low,
    /// The cause is likely; the size of the gain is not known well.
    Medium,
    /// The cause is seen in the code or said by a compiler.
    High,
}

impl Confidence {
    /// One step less sure.
    #[must_use]
    pub fn lowered(self) -> Self {
        match self {
            Self::High => Self::Medium,
            Self::Medium | Self::Low => Self::Low,
        }
    }
}

/// A piece of code before and after the change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// The code at present.
    pub before: String,
    /// The code after the change.
    pub after: String,
}

/// Options for one compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Flags {
    /// Compiler: `gcc`, `clang`, `gfortran`, `ifx`, ...
    pub compiler: String,
    /// The options, as typed.
    pub flags: String,
}

/// An environment variable to set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Setting {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
    /// What it does, and its price.
    pub meaning: String,
}

/// How to make the change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct How {
    /// The change in words, one paragraph.
    #[serde(rename = "how")]
    pub text: String,
    /// In C.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<Change>,
    /// In Fortran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fortran: Option<Change>,
    /// The directive that the words put before the loop, where a check of its dependences allows it.
    #[serde(skip)]
    pub directive: Option<String>,
    /// Compiler options.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flags>,
    /// Environment settings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<Setting>,
}

impl How {
    /// The change in words.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// With C before and after.
    #[must_use]
    pub fn c(mut self, before: &str, after: &str) -> Self {
        self.c = Some(Change { before: before.to_owned(), after: after.to_owned() });
        self
    }

    /// With Fortran before and after.
    #[must_use]
    pub fn fortran(mut self, before: &str, after: &str) -> Self {
        self.fortran = Some(Change { before: before.to_owned(), after: after.to_owned() });
        self
    }

    /// With the directive that the words put before the loop.
    #[must_use]
    pub fn directive(mut self, directive: &str) -> Self {
        self.directive = Some(directive.to_owned());
        self
    }

    /// With options for one compiler.
    #[must_use]
    pub fn flags(mut self, compiler: &str, flags: &str) -> Self {
        self.flags.push(Flags { compiler: compiler.to_owned(), flags: flags.to_owned() });
        self
    }

    /// With `{name}` replaced by a value in the words and the code.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        let (name, value) = (format!("{{{name}}}"), value.to_string());
        let mut found = false;
        let mut fill = |text: &mut String| {
            found |= text.contains(&name);
            *text = text.replace(&name, &value);
        };
        fill(&mut self.text);
        for change in [&mut self.c, &mut self.fortran].into_iter().flatten() {
            fill(&mut change.before);
            fill(&mut change.after);
        }
        self.flags.iter_mut().for_each(|f| fill(&mut f.flags));
        debug_assert!(found, "no {name} in {self:?}");
        self
    }

    /// With an environment variable.
    #[must_use]
    pub fn environment(mut self, name: &str, value: &str, meaning: &str) -> Self {
        self.environment.push(Setting {
            name: name.to_owned(),
            value: value.to_owned(),
            meaning: meaning.to_owned(),
        });
        self
    }
}

/// One recommendation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Recommendation {
    /// What to do: the id that cases and `compare` refer to.
    pub id: String,
    /// The rule that says so ([rules.md](rules.md)); equal to `id` but for the rules that choose among several
    /// remedies.
    pub rule: String,
    /// One line for a table.
    pub title: String,
    /// The loop, when it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_id: Option<u32>,
    /// The loop's group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// The function that holds the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Function in whose source the loop is written, where it was inlined into `function`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_in: Option<String>,
    /// `file:line`, an address, or a module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The share of the time that is concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Its predicted speed-up; absent where waiting is what could be saved.
    #[serde(flatten, serialize_with = "places::of_loop")]
    #[schemars(with = "places::OfLoop")]
    pub loop_gain: Option<Gain>,
    /// The program's predicted speed-up.
    #[serde(flatten, serialize_with = "places::of_program")]
    #[schemars(with = "places::OfProgram")]
    pub program_gain: Option<Gain>,
    /// The same for this change alone, by the model; absent where `program_gain` is that.
    #[serde(flatten, serialize_with = "places::of_model")]
    #[schemars(with = "places::OfModel")]
    pub modelled_gain: Option<Gain>,
    /// How sure.
    pub confidence: Confidence,
    /// What a trial of it measured (`loopwright try`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried: Option<Tried>,
    /// The facts, each with how it was obtained.
    #[serde(flatten, serialize_with = "evidence::write")]
    #[schemars(with = "evidence::Written")]
    pub evidence: Vec<Evidence>,
    /// The command that would provide missing facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The worked example in the casebook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Where the knowledge comes from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// How to do it; its parts are keys of the recommendation.
    #[serde(flatten)]
    pub how: How,
    /// The loops that it is about, where there are several.
    #[serde(flatten, serialize_with = "places::write")]
    #[schemars(with = "places::Written")]
    pub places: Vec<Place>,
    /// Ids of other changes that its text offers for the same place: which one fits depends on what no fact shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The program is likely to gain less than two runs of it differ by: not shown unless all is asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub minor: bool,
}

impl Recommendation {
    /// The function that a reader of the source looks for.
    pub fn name(&self) -> Option<&str> {
        self.written_in.as_deref().or(self.function.as_deref())
    }

    /// Ids of the changes that it consists of (its own, or those of a package) and that it offers.
    pub fn changes(&self) -> Vec<&str> {
        let changes = places::changes(&self.places);
        let own = if changes.is_empty() { vec![self.id.as_str()] } else { changes };
        own.into_iter().chain(self.also.iter().map(String::as_str)).collect()
    }

    /// With what shortening a part of the elapsed time would gain; no code is faster for it.
    #[must_use]
    pub fn of_elapsed(mut self, share: f64, gain: Gain) -> Self {
        self.share = Some(share);
        self.program_gain = Some(gain.of_program(share));
        self
    }

    /// With a predicted gain of `share` of the program.
    #[must_use]
    pub fn gain(mut self, share: f64, gain: impl Into<Gain>) -> Self {
        let (share, gain) = (clean_share(share), gain.into());
        self.share = Some(share);
        self.loop_gain = Some(gain);
        self.program_gain = Some(gain.of_program(share));
        self
    }

    /// With a gain of the program from this share of its time, of which the change saves the least to the most part; the evidence
    /// says so.
    #[must_use]
    pub fn saving(self, share: f64, (least, most): (f64, f64)) -> Self {
        self.because(Provenance::Modelled, Expected::Saved { least, most })
            .gain(share, Gain::removing_between(least, most))
    }

    /// With a gain from nothing, where it has one: whether the change is legal or pays is open.
    #[must_use]
    pub fn from_nothing(self) -> Self {
        match self.share.zip(self.loop_gain) {
            Some((share, gain)) => self.gain(share, gain.at_most()),
            None => self,
        }
    }

    /// About a loop: its number, its function and its place.
    #[must_use]
    pub fn of_loop(mut self, of: &LoopFacts) -> Self {
        self.loop_id = Some(of.id);
        self.group = Some(of.group);
        self.function = Some(of.function.clone());
        self.written_in.clone_from(&of.written_in);
        self.place = Some(of.place());
        self
    }

    /// With a piece of evidence and how it was obtained.
    #[must_use]
    pub fn because(mut self, provenance: Provenance, fact: impl Into<Fact>) -> Self {
        self.evidence.push(Evidence::new(provenance, fact));
        self
    }

    /// With a confidence; samples too few for it lower it again when the rule set is run.
    #[must_use]
    pub fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    /// With the way to do it.
    #[must_use]
    pub fn how(mut self, how: How) -> Self {
        self.how = how;
        self
    }

    /// With the command that would show more.
    #[must_use]
    pub fn next(mut self, command: impl Into<String>) -> Self {
        self.next = Some(command.into());
        self
    }

    /// With another id and title than the rule's.
    #[must_use]
    pub fn named(mut self, id: &str, title: impl Into<String>) -> Self {
        self.id = id.to_owned();
        self.title = title.into();
        self
    }

    /// With another title than the rule's.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }
}

#[cfg(test)]
impl Recommendation {
    /// The evidence in words.
    pub(crate) fn said(&self) -> Vec<String> {
        self.evidence.iter().map(Evidence::to_string).collect()
    }
}
