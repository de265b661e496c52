//! Compares what the instructions show with what the compilers report.
//!
//! Every program of the matrix is built with the compiler's own report of vectorised loops, and each source
//! line that holds an innermost loop, or that the compiler calls vectorised, is compared: does the
//! binary's loop run packed arithmetic, and does the compiler claim so? Disagreements are legitimate where
//! the two mean different things; which of the known kinds each one is must be shown by evidence in the code
//! or in the report, never by its name. The table is printed; `--nocapture` shows it.

use loopwright_binary::code::analyze;
use loopwright_binary::facts::{ChainKind, ElementType, FunctionCode, LoopCode};
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_testprograms::{Built, Compiler, Recipe, available, matrix, programs};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Agreement that is required.
const REQUIRED: f64 = 0.95;

/// A compiler's report on one file.
#[derive(Debug, Default)]
struct Claims {
    /// Lines whose loops were vectorised.
    loops: BTreeSet<u32>,
    /// Lines at which straight-line code was vectorised.
    blocks: BTreeSet<u32>,
}

/// Why the two may differ, as the design names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    InOrderReduction,
    Intrinsics,
    BasicBlock,
    Interchange,
    AbsorbedInnerLoop,
    /// The compiler "vectorised" a type that has no packed instructions (x87), element by element.
    NoPackedForm,
    Unexplained,
}

#[derive(Debug)]
struct Line {
    label: String,
    line: u32,
    binary: bool,
    compiler: bool,
    kind: Option<Kind>,
}

/// Flags that make the compiler report what it vectorised.
fn report_flags(compiler: Compiler) -> &'static [&'static str] {
    match compiler {
        Compiler::Gcc | Compiler::Gxx | Compiler::Gfortran => &["-fopt-info-vec-optimized"],
        Compiler::Clang | Compiler::Clangxx => &["-Rpass=loop-vectorize|slp-vectorizer"],
        // rustc does not print the loop vectoriser's remarks, whatever `-Cremark` requests.
        Compiler::Rustc | Compiler::Mpicc => &[],
    }
}

/// Reads `FILE:LINE:COL: optimized: loop vectorized ..` and `FILE:LINE:COL: remark: vectorized loop ..`.
fn claims(output: &str, source: &Path) -> Claims {
    let name = source.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let mut claims = Claims::default();
    for text in output.lines() {
        let Some((place, message)) = text.split_once(": ") else { continue };
        let mut parts = place.rsplitn(3, ':');
        let (_, line, file) = (parts.next(), parts.next(), parts.next());
        let (Some(line), Some(file)) = (line.and_then(|l| l.parse().ok()), file) else { continue };
        if Path::new(file).file_name().and_then(|n| n.to_str()) != Some(name) {
            continue;
        }
        if message.contains("loop vectorized") || message.contains("vectorized loop") {
            claims.loops.insert(line);
        } else if message.contains("basic block part vectorized")
            || message.contains("SLP")
            || message.contains("Vectorized horizontal")
            || message.contains("Stores SLP")
        {
            claims.blocks.insert(line);
        }
    }
    claims
}

/// All functions of a binary that come from its own source.
fn functions(built: &Built) -> Vec<FunctionCode> {
    let image = Image::open(&built.path, &DebugSearch::none()).unwrap();
    let own = built.source.file_name().unwrap();
    (0..image.function_count())
        .filter_map(|k| analyze(&image, k).ok())
        .filter(|f| f.loops.iter().any(|l| in_source(l, own)))
        .collect()
}

fn in_source(l: &LoopCode, own: &std::ffi::OsStr) -> bool {
    l.location.as_ref().is_some_and(|at| Path::new(&at.file).file_name() == Some(own))
}

/// Largest distance in lines from a claim to the first line of the loop's code: where the compiler merged the
/// positions of a vector loop's control, only those of the body remain.
const LOST_LINES: u32 = 3;

/// The comparison of one build; also the number of claims about loops of which no machine loop remains.
fn compare(built: &Built, claims: &Claims) -> (Vec<Line>, usize) {
    let own = built.source.file_name().unwrap();
    let functions = functions(built);
    // Loops of each line. An inlined copy may have lost the line of the statement and begin at its body's: a
    // loop on the line above whose lines hold this one's is the same statement.
    type Loops<'a> = Vec<(&'a FunctionCode, &'a LoopCode)>;
    let mut by_line: BTreeMap<u32, Loops> = BTreeMap::new();
    for f in &functions {
        for l in f.loops.iter().filter(|l| in_source(l, own)) {
            by_line.entry(l.location.as_ref().unwrap().line).or_default().push((f, l));
        }
    }
    for line in by_line.keys().copied().rev().collect::<Vec<_>>() {
        let copy = |(f, l): &(&FunctionCode, &LoopCode)| {
            let sibling = |(g, o): &(&FunctionCode, &LoopCode)| {
                let same = f.function.address == g.function.address && o.parent == l.parent || o.innermost;
                same && o.lines.is_some_and(|(_, b)| line <= b)
            };
            let above = by_line.range(line.saturating_sub(LOST_LINES)..line).rev();
            above.filter(|(_, loops)| loops.iter().any(sibling)).map(|(l, _)| *l).next()
        };
        let statement = by_line[&line].iter().find_map(copy);
        if let Some(statement) = statement
            && !claims.loops.contains(&line)
            && let Some(copies) = by_line.remove(&line)
        {
            by_line.entry(statement).or_default().extend(copies);
        }
    }
    let all_lines: BTreeSet<u32> = by_line.keys().copied().collect();
    // A claim belongs to the loop on its line, else to the first loop shortly below.
    let mut claimed: BTreeMap<u32, u32> = BTreeMap::new();
    let mut gone = 0;
    for &line in &claims.loops {
        if all_lines.contains(&line) {
            claimed.insert(line, line);
        } else if let Some(&below) = by_line.range(line..=line + LOST_LINES).next().map(|(l, _)| l)
            && !claims.loops.contains(&below)
            && all_lines.range(line..below).next().is_none()
        {
            claimed.insert(below, line);
        } else {
            gone += 1;
        }
    }
    let mut lines: BTreeSet<u32> = by_line.keys().copied().collect();
    lines.extend(claimed.keys());
    let judged = lines.into_iter().map(|line| {
        let loops = by_line.get(&line).map_or(&[][..], Vec::as_slice);
        let binary = loops.iter().any(|(_, l)| l.vectorized);
        let compiler = claimed.contains_key(&line);
        let kind = (binary != compiler).then(|| classify(line, compiler, loops, &functions, claims, own));
        Line { label: built.label.clone(), line, binary, compiler, kind }
    });
    let mut judged: Vec<Line> = judged.collect();
    // Exchanged loops differ as a pair, in which of the two was vectorised: that is one difference.
    let exchanged = judged.iter().any(|l| l.kind == Some(Kind::Interchange) && l.compiler);
    judged.retain(|l| !(exchanged && l.kind == Some(Kind::Interchange) && l.binary));
    (judged, gone)
}

/// Names the kind of a disagreement from the evidence in code and report.
fn classify(
    line: u32,
    claimed: bool,
    loops: &[(&FunctionCode, &LoopCode)],
    all: &[FunctionCode],
    claims: &Claims,
    own: &std::ffi::OsStr,
) -> Kind {
    let spans = |l: &LoopCode| in_source(l, own) && l.lines.is_some_and(|(a, b)| a <= line && line <= b);
    // Loops whose lines hold this one, and the loops within them.
    let around = || {
        all.iter().flat_map(move |f| {
            let within = move |l: &&LoopCode| {
                let parent = l.parent.and_then(|p| f.loops.get(p as usize));
                spans(l) || parent.is_some_and(spans)
            };
            f.loops.iter().filter(within)
        })
    };
    if claimed {
        let in_order = |l: &LoopCode| l.chains.iter().any(|c| c.kind == ChainKind::InOrderSum);
        let scalar_type = |l: &LoopCode| l.types.first() == Some(&ElementType::F80);
        // The statement is an outer loop now, and what was outside it runs packed inside.
        let exchanged = |f: &FunctionCode| {
            f.loops.iter().filter(|l| in_source(l, own) && l.vectorized).any(|l| {
                let unclaimed = l.location.as_ref().is_some_and(|at| !claims.loops.contains(&at.line));
                let outer = l.parent.and_then(|p| f.loops.get(p as usize)).and_then(|o| o.location.as_ref());
                unclaimed && outer.is_some_and(|o| o.line == line)
            })
        };
        return if loops.iter().any(|(_, l)| scalar_type(l)) {
            Kind::NoPackedForm
        } else if loops.iter().any(|(_, l)| in_order(l)) {
            Kind::InOrderReduction
        } else if all.iter().any(exchanged) {
            Kind::Interchange
        } else if around().any(in_order) {
            Kind::InOrderReduction
        } else if around().any(|l| l.vectorized) {
            Kind::AbsorbedInnerLoop
        } else {
            Kind::Unexplained
        };
    }
    let vectorized: Vec<_> = loops.iter().filter(|(_, l)| l.vectorized).collect();
    let spans: Vec<(u32, u32)> = vectorized.iter().filter_map(|(_, l)| l.lines).collect();
    // The claim may name the statement, whose line no longer occurs in the code.
    let within = |set: &BTreeSet<u32>| {
        set.iter().any(|n| spans.iter().any(|(a, b)| a.saturating_sub(1) <= *n && n <= b))
    };
    let from_intrinsics = vectorized.iter().any(|(f, l)| {
        let inside = |i: &&loopwright_binary::facts::InstructionLine| i.in_loop == Some(l.index);
        let file =
            |i: &loopwright_binary::facts::InstructionLine| i.file.and_then(|n| f.files.get(n as usize));
        f.instructions.iter().filter(inside).any(|i| file(i).is_some_and(|n| n.ends_with("intrin.h")))
    });
    if from_intrinsics {
        Kind::Intrinsics
    } else if within(&claims.blocks) {
        Kind::BasicBlock
    } else if within(&claims.loops) {
        Kind::AbsorbedInnerLoop
    } else if vectorized.iter().any(|(f, l)| {
        l.parent.is_some_and(|p| {
            let outer = f.loops.get(p as usize).and_then(|o| o.location.as_ref());
            outer.is_some_and(|o| claims.loops.contains(&o.line))
        })
    }) {
        Kind::Interchange
    } else {
        Kind::Unexplained
    }
}

/// The matrix, and every other program with the usual flags.
fn recipes() -> Vec<Recipe> {
    let mut recipes: Vec<Recipe> = matrix();
    for program in programs().into_iter().filter(|p| !p.matrix) {
        for &compiler in &program.compilers {
            let sets = ["O0", "O2", "O3", "O3-v3", "fast-math"];
            recipes.extend(sets.map(|s| Recipe::for_program(program.clone()).compiler(compiler).flag_set(s)));
        }
    }
    let compared = |r: &Recipe| r.chosen_flag_set().lines && r.chosen_flag_set().name != "static";
    recipes
        .into_iter()
        .filter(|r| compared(r) && !report_flags(r.chosen_compiler()).is_empty())
        .map(|r| report_flags(r.chosen_compiler()).iter().fold(r, |r, f| r.flag(*f)))
        .collect()
}

#[test]
fn binary_and_compilers_agree() {
    let (mut lines, mut gone) = (Vec::new(), 0);
    for recipe in recipes() {
        let Some(built) = available(recipe.build()) else { continue };
        let claims = claims(&built.compiler_output, &built.source);
        let (judged, without_loop) = compare(&built, &claims);
        lines.extend(judged);
        gone += without_loop;
    }
    if lines.is_empty() {
        return; // no compiler: `available` said so
    }
    print_table(&lines);
    println!("{gone} more claims are about loops that were unrolled away: nothing is left to compare");
    let agreeing = lines.iter().filter(|l| l.kind.is_none()).count();
    let share = agreeing as f64 / lines.len() as f64;
    let unexplained: Vec<_> = lines.iter().filter(|l| l.kind == Some(Kind::Unexplained)).collect();
    assert!(share >= REQUIRED, "only {:.1} % of {} loops agree", 100.0 * share, lines.len());
    assert!(unexplained.is_empty(), "{} disagreements of no known kind: {unexplained:#?}", unexplained.len());
}

fn print_table(lines: &[Line]) {
    let mut table: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
    let mut kinds: BTreeMap<Kind, usize> = BTreeMap::new();
    for l in lines {
        let short = l.label.split(" -").next().unwrap_or(&l.label).to_string();
        let row = table.entry(short).or_default();
        row.0 += 1;
        row.1 += usize::from(l.binary);
        row.2 += usize::from(l.kind.is_none());
        if let Some(kind) = l.kind {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    println!("{:<44} {:>6} {:>11} {:>8}", "build", "loops", "vectorized", "agree");
    for (label, (loops, vectorized, agree)) in &table {
        println!("{label:<44} {loops:>6} {vectorized:>11} {:>7.1}%", 100.0 * *agree as f64 / *loops as f64);
    }
    for l in lines.iter().filter(|l| l.kind.is_some()) {
        println!(
            "differs: {} line {}: binary {}, compiler {}: {:?}",
            l.label, l.line, l.binary, l.compiler, l.kind
        );
    }
    let agreeing = lines.iter().filter(|l| l.kind.is_none()).count();
    println!(
        "total {} loops, {:.2} % agree; differences: {kinds:?}",
        lines.len(),
        100.0 * agreeing as f64 / lines.len() as f64
    );
}
