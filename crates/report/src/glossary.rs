//! What the words of tables and pages mean: columns, traits, rules of advice. Reasons have their own table
//! ([`loopwright_remarks::reasons`]).

use crate::explanation::joined;
use crate::prose::{heading, paragraph};
use crate::style::{Ink, TerminalStyle};
use crate::vocabulary::{contract_name, trait_sentence};
use loopwright_advise::rules;
use loopwright_binary::facts::Trait;

/// A column or term and its meaning: what it is, in which unit, and how it is got.
const TERMS: [(&str, &str); 41] = [
    (
        "Self %",
        "Share of the program's CPU time in the code itself, without inner loops (which have rows of their own) and \
      without called functions. Sampled.",
    ),
    ("Self ms", "The same in milliseconds of CPU time."),
    ("Self s", "The same in seconds of CPU time."),
    (
        "Total %",
        "Share of the CPU time in the code, its inner loops and everything that it calls. Sampled, from call stacks.",
    ),
    (
        "Type",
        "The widest vectors that the loop's arithmetic uses, their width in bits, and the number of elements in one \
      vector (AVX2 256b x4); `scalar` with the element type otherwise. Read from the instructions.",
    ),
    (
        "Eff. %",
        "Vector efficiency: the share of the vector's elements that the instructions compute with. 100 % means that \
      all of the arithmetic is packed.",
    ),
    (
        "Trips",
        "Trip count: median number of source iterations for each time that the loop is entered. Counted.",
    ),
    ("Iterations", "Iterations over all entries. Counted."),
    ("Entries", "How often the loop was entered from outside. Counted."),
    (
        "Source it.",
        "Source iterations: those of the loop as it is written, however often the compiler unrolled it.",
    ),
    (
        "Headroom",
        "How many times as fast the loop would run at the ceiling that limits it, and which ceiling that is. \
      Measured ceilings, counted work, sampled time.",
    ),
    ("Achieved", "Rate at which the loop works: FLOP or bytes that it executes over its time."),
    (
        "Ceiling",
        "The most that this machine can do of the loop's mix of work: measured peak arithmetic or bandwidth.",
    ),
    (
        "FLOP",
        "Floating-point operations: an addition is one, a fused multiply-add two, each for every element of a vector.",
    ),
    (
        "FLOP/B",
        "Arithmetic intensity: floating-point operations for each byte loaded or stored by the instructions.",
    ),
    ("Instr.", "Executed machine instructions."),
    (
        "Int. ops",
        "Integer operations on data, each for every element of a vector; address arithmetic is left out.",
    ),
    ("Why not", "The first reason why the loop is scalar: `loopwright explain REASON`."),
    (
        "Why not, traits",
        "The first reason why the loop is scalar, then the properties of its code that cost time: \
      `loopwright explain NAME` for each.",
    ),
    ("Traits", "Properties of the loop's code that cost time: `loopwright explain TRAIT`."),
    (
        "Place",
        "Source file and line of the loop's first statement. An inlined loop has the place in the inlined function.",
    ),
    ("Imb. %", "Load imbalance: 1 - mean / maximum of the threads' time."),
    (
        "Pattern",
        "How an operand moves through memory from one iteration to the next: unit stride, constant stride, random. \
      Traced.",
    ),
    ("Step", "Bytes by which an operand's address moves from one iteration to the next. Traced."),
    ("Footprint", "Distinct bytes that an operand touches while it is traced, in whole cache lines."),
    (
        "Working set",
        "Bytes that must stay in a cache so that what is used again is still there. Simulated from traces.",
    ),
    ("Misses", "Accesses that a simulated cache does not hold."),
    ("Used %", "Share of the bytes of the touched cache lines that the loop uses. Traced."),
    ("Line splits %", "Accesses that cross the border of two cache lines, which cost two accesses. Traced."),
    ("Distance", "Iterations between a write and the access that depends on it. Traced."),
    ("Gain", "How many times as fast the program (or the loop) would be: a range from careful to hopeful."),
    (
        "Confidence",
        "How sure a recommendation is: high where counts or traces show its cause, low where it is a guess from \
      the code.",
    ),
    ("peel", "Iterations before the vector body that run until the data is aligned."),
    ("remainder", "Iterations after the vector body that do not fill a vector."),
    ("version", "A second copy of a loop that runs when a test at run time fails: arrays may overlap, say."),
    ("body", "The main copy of a loop: it runs most of the iterations."),
    ("ridge point", "The arithmetic intensity above which arithmetic limits a loop, and bandwidth below it."),
    (
        "sampled",
        "Estimated from interrupts at regular CPU time: exact to about one over the square root of the samples.",
    ),
    ("counted", "Exact: every execution is counted by code that is added to a copy of the program's code."),
    ("traced", "Seen in bursts of recorded memory accesses: what did not occur there may occur elsewhere."),
    ("modelled", "Computed from other facts by a model of the processor."),
];

/// All traits, in the order of the contract.
const TRAITS: [Trait; 25] = [
    Trait::Gather,
    Trait::Scatter,
    Trait::Masked,
    Trait::Blend,
    Trait::Shuffle,
    Trait::Insert,
    Trait::Extract,
    Trait::Conversion,
    Trait::FloatWidthConversion,
    Trait::Divide,
    Trait::IntegerDivide,
    Trait::SquareRoot,
    Trait::Fma,
    Trait::NonTemporalStore,
    Trait::Compress,
    Trait::Expand,
    Trait::Spill,
    Trait::Call,
    Trait::IndirectCall,
    Trait::Atomic,
    Trait::StringOp,
    Trait::EarlyExit,
    Trait::Reciprocal,
    Trait::Crypto,
    Trait::Prefetch,
];

/// What can be asked for beside the reasons, in groups.
pub fn glossary() -> [(&'static str, Vec<String>); 3] {
    [
        ("Traits", TRAITS.iter().map(contract_name).collect()),
        ("Columns and terms", TERMS.iter().map(|(name, _)| (*name).to_owned()).collect()),
        ("Rules of advice", rules::ALL.iter().map(|rule| rule.id.to_owned()).collect()),
    ]
}

/// The meaning of a trait, a column, a term or a rule; `None` where no table has the name.
pub fn meaning(name: &str, style: &TerminalStyle) -> Option<String> {
    let title = |name: &str, what: &str| {
        format!("{}  {}\n\n", style.paint(Ink::Title, name), style.paint(Ink::Strong, what))
    };
    let text =
        |name: &str, what: &str, text: &str| Some(title(name, what) + &paragraph(style, 0, Ink::Plain, text));
    let same = |known: &str| plain(known) == plain(name);
    if let Some(rule) = rules::ALL.iter().find(|rule| rule.id == name) {
        let doc = &rule.doc;
        let mut out = title(rule.id, rule.title);
        for (part, body) in [
            ("Detects", doc.detects),
            ("Why it costs", doc.why_it_costs),
            ("Facts needed", doc.facts_needed),
            ("When it is wrong", doc.when_it_is_wrong),
            ("Example", doc.example),
            ("How to verify", doc.how_to_verify),
        ] {
            out.push_str(&heading(style, part));
            out.push_str(&paragraph(style, 0, Ink::Plain, &joined(body)));
        }
        return Some(out);
    }
    if let Some(which) = TRAITS.iter().find(|which| same(&contract_name(which))) {
        let sentence = format!("A loop with this trait {}.", trait_sentence(*which));
        return text(&contract_name(which), "trait", &sentence);
    }
    TERMS
        .iter()
        .find(|(known, _)| same(known))
        .and_then(|(known, meaning)| text(known, "column or term", meaning))
}

/// Without what people leave out when they type a heading.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn every_name_has_a_meaning() {
        for style in fixture::styles() {
            for (_, names) in glossary() {
                for name in names {
                    let text = fixture::without_colour(&meaning(&name, &style).expect(&name));
                    assert!(text.starts_with(&name) && text.lines().count() > 2, "{text}");
                }
            }
        }
        let style = fixture::styles().remove(0);
        assert!(meaning("no such word", &style).is_none());
        assert_eq!(meaning("eff", &style), meaning("Eff. %", &style));
    }
}
