//! What the words of tables and pages mean: columns, traits, rules of advice. Reasons have their own table
//! ([`loopwright_remarks::reasons`]).

use crate::explanation::joined;
use crate::names::width;
use crate::prose::{heading, labelled, paragraph};
use crate::style::{Ink, TerminalStyle};
use crate::vocabulary::{contract_name, trait_sentence};
use loopwright_advise::changes::rule_of;
use loopwright_advise::rules;
use loopwright_binary::facts::Trait;

/// A column or term and its meaning: what it is, in which unit, and how it is got.
const TERMS: &[(&str, &str)] = &[
    (
        "Self %",
        "Share of the program's CPU time in the code itself, without inner loops (which have rows of their own) and \
      without called functions. Sampled.",
    ),
    ("Self", "The same in seconds or milliseconds of CPU time."),
    (
        "Total %",
        "Share of the CPU time in the code, its inner loops and everything that it calls. Sampled, from call stacks.",
    ),
    ("Total", "The same in seconds or milliseconds of CPU time."),
    ("Loop", "The number of the loop, by which other commands name it."),
    (
        "Function",
        "The function in which the loop is written, also where it was inlined into another one; in tables of functions the one \
      that holds the code.",
    ),
    ("Module", "The executable or library that the code is in; empty where it is the program itself."),
    (
        "Type",
        "The widest vectors that the loop's arithmetic uses, their width in bits, and the number of elements in one \
      vector (AVX2 256b x4); `scalar` with the element type otherwise. Read from the instructions.",
    ),
    (
        "Eff. %",
        "Vector efficiency: the gain of the vectors over their length. 100 % means that a vector of four elements is \
      four times as fast as scalar code. Modelled.",
    ),
    (
        "Trips",
        "Trip count: mean number of iterations for each time that the loop is entered; of the loop as it is written, and of \
      its pieces those of the machine's loop. Counted, or a constant of the code.",
    ),
    (
        "Median trips",
        "Median number of the machine loop's iterations for each time that it is entered. Counted.",
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
    ("Runs/it.", "Executions of a branch per machine iteration of the loop. Traced."),
    ("Taken %", "Share of a branch's executions that jump. Traced."),
    (
        "Missed %",
        "Share of a branch's executions that a simulated predictor gets wrong: about the part of the rarer outcome where the data \
      decides by chance, almost none where they follow a pattern. Modelled, from traced outcomes.",
    ),
    (
        "Cycles/it.",
        "Cycles per machine iteration that a branch's mispredictions cost, each at the figure of this machine's core: other work \
      may hide a part. Estimated.",
    ),
    ("Distance", "Iterations between a write and the access that depends on it. Traced."),
    (
        "Gain",
        "Of a recommendation: how many times as fast the program (or the loop) would be, a range from careful to hopeful. \
      Of a loop: how many times as fast its vectors are as scalar code would be (modelled).",
    ),
    ("Recommendation", "What to change, the change with the largest predicted gain of the program first."),
    ("Advice", "How many recommendations there are for the loop: `loopwright show loop N`."),
    ("Data", "Types of the elements that the loop's arithmetic computes with. Read from the instructions."),
    (
        "Instruction set",
        "The newest instruction set that the loop's vectors need. Read from the instructions.",
    ),
    (
        "Vector",
        "Width of the loop's vectors in bits, and the number of elements in one. Read from the instructions.",
    ),
    (
        "Unroll",
        "How many iterations, beyond those of one vector, the compiler put into one machine iteration. Read from the instructions.",
    ),
    (
        "Strides %",
        "Shares of the accesses that move by one element or stay (unit or uniform) / by a constant distance / by a variable \
      one. Traced.",
    ),
    ("Depend.", "Whether dependences between iterations allow vectors, in what was traced."),
    (
        "Bound by",
        "What takes the loop's time, with the share of an iteration that it takes by itself; shares overlap. Ports and front end are \
      measured by injected operations, latencies modelled: `loopwright show bottlenecks`.",
    ),
    ("Calls", "Of a loop: what it calls. Of a function: how often it was called (counted)."),
    ("Compiler says", "What each compiler's report claims of the loop."),
    ("Compiler", "The compiler that made the module, as its debug information names it."),
    ("Symbols", "Whether the module has the names of its functions."),
    ("Lines", "Whether the module has line tables: places in the source (compile with -g)."),
    ("Build id", "A number that the linker gave the module: equal modules have equal ones."),
    ("Rank", "The number of the MPI process."),
    ("Process", "The number of the process (pid)."),
    ("Thread", "The number of the thread (tid)."),
    ("Threads", "How many threads ran the loop. Sampled."),
    ("Name", "The name that the program gave the thread."),
    ("CPU", "CPU time of the thread, in seconds or milliseconds."),
    ("Kernel", "The part of its CPU time that the thread was in the kernel."),
    ("Ready", "Time in which the thread could have run, but others had the CPUs."),
    ("Blocked", "Time in which the thread waited for something."),
    ("Mostly in", "Where the thread waited longest."),
    ("Hottest loops", "The loops with most of the thread's time."),
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

/// The meaning of a trait, a column, a term, a rule or a change that a rule recommends; `glossary` is every term; `None` where no table has the name.
pub fn meaning(name: &str, style: &TerminalStyle) -> Option<String> {
    let title = |name: &str, what: &str| {
        format!("{}  {}\n\n", style.paint(Ink::Title, name), style.paint(Ink::Strong, what))
    };
    let text =
        |name: &str, what: &str, text: &str| Some(title(name, what) + &paragraph(style, 0, Ink::Plain, text));
    let asked = name.rsplit_once(' ').filter(|(_, unit)| UNITS.contains(unit)).map_or(name, |(term, _)| term);
    let same = |known: &str| plain(known) == plain(asked);
    if plain(name) == "glossary" {
        return Some(all_terms(style));
    }
    if let Some(rule) = rule_of(name) {
        let mut out = title(rule.id, rule.doc.title);
        if rule.id != name {
            out = title(name, &format!("recommended by {}", rule.id)) + &out;
        }
        for (part, body) in rule.doc.chapters() {
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

/// Every column and term with its meaning.
fn all_terms(style: &TerminalStyle) -> String {
    let widest = TERMS.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
    TERMS.iter().map(|(name, meaning)| labelled(style, 0, name, widest, Ink::Plain, meaning)).collect()
}

/// What a heading means, whatever unit it ends in.
#[cfg(test)]
pub(crate) fn help(heading: &str) -> Option<&'static str> {
    let known = |name: &str| TERMS.iter().find(|(term, _)| *term == name).map(|(_, meaning)| *meaning);
    known(heading).or_else(|| known(heading.rsplit_once(' ').filter(|(_, unit)| UNITS.contains(unit))?.0))
}

/// Units that headings of times end in.
const UNITS: [&str; 2] = ["s", "ms"];

/// Without what people leave out when they type a heading.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::headings;
    use crate::fixture;
    use crate::quantity::TimeUnit;

    #[test]
    fn every_heading_of_a_listed_table_has_a_meaning() {
        let (style, analysis) = (fixture::styles().remove(0), fixture::analysis());
        let unit = TimeUnit::Seconds;
        let all = [
            headings(&crate::loops::fields(unit, &style)),
            headings(&crate::hotspots::function_fields(unit)),
            headings(&crate::hotspots::module_fields(unit)),
            headings(&crate::threads::thread_fields(&analysis, unit, 1.0, &style)),
        ];
        // A bar has no heading, a share of what is beside it only a sign.
        let named = all.concat().into_iter().filter(|heading| !["", "%"].contains(&heading.as_str()));
        let missing: Vec<String> = named.filter(|heading| help(heading).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

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
        assert_eq!(meaning("Self ms", &style), meaning("self", &style));
    }
}
