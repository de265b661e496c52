use super::*;
use crate::compare::compare;
use crate::fixtures::{function, module, recording, scalar_loop, vector_loop};
use crate::model::Analysis;
use loopwright_binary::facts::{ElementType, LoopCode, LoopRole, SourceKind, SourceOperation, SourcePlace};
use loopwright_binary::work::Work;
use loopwright_experiment::{Facts, Run};
use loopwright_instrument::facts::{Counts, FunctionCounts, LoopCounts, ModuleCounts};
use std::sync::Arc;

/// A loop's code and what it did: instructions, FLOP and packed FLOP.
type Row = (LoopCode, u64, u64, u64);

fn work(&(_, instructions, flop, packed): &Row) -> Work {
    Work {
        instructions,
        flop: [(ElementType::F64, flop)].into(),
        packed_flop: packed,
        bytes_loaded: 8 * flop,
        ..Work::default()
    }
}

fn counted(path: &str, rows: &[Row]) -> Run<Counts> {
    let loops: Vec<LoopCounts> = rows
        .iter()
        .map(|row| LoopCounts {
            header: row.0.header,
            entries: Some(10),
            iterations: row.2 / 2,
            work: work(row),
            total_work: work(row),
            ..LoopCounts::default()
        })
        .collect();
    let mut total = Work::default();
    rows.iter().for_each(|row| total.add_times(&work(row), 1));
    let counted =
        FunctionCounts { name: "f".into(), complete: true, work: total, loops, ..FunctionCounts::default() };
    let counts = Counts {
        modules: vec![ModuleCounts {
            path: path.into(),
            functions: vec![counted],
            ..ModuleCounts::default()
        }],
        ..Counts::default()
    };
    let code = rows.iter().map(|row| row.0.clone()).collect();
    let mut of_code = function(1, "f", (0x0, 0x1000), code, 1);
    // A scalar loop adds one number in each iteration: its iterations are those of the source.
    for (row, place) in rows.iter().filter(|row| row.0.vector.is_none()).zip(0..) {
        let line = row.0.location.as_ref().map_or(0, |location| location.line + 1);
        of_code.code.places.push(SourcePlace { line, column: 9, ..SourcePlace::default() });
        of_code.code.operations.push(SourceOperation {
            address: row.0.header,
            place,
            kind: SourceKind::Add,
            amount: 1,
            element: 8,
            floating: true,
            always: true,
            in_loop: Some(row.0.index),
            ..SourceOperation::default()
        });
    }
    let code = module(vec![of_code]);
    Run { id: 2, facts: counts, code: vec![code], ..Run::default() }
}

fn analysis(rows: &[Row]) -> Analysis {
    crate::analyse(&Facts { counts: vec![counted("/bin/a", rows)], ..Facts::default() })
}

fn scalar(at: u64, line: u32) -> LoopCode {
    scalar_loop(u32::try_from(at >> 4).unwrap(), (at, at + 8), line)
}

fn findings(before: &Analysis, after: &Analysis) -> Vec<Finding> {
    check(&compare(("base", before), ("now", after)), &Thresholds::default())
}

fn kinds(findings: &[Finding]) -> Vec<(Severity, FindingKind)> {
    findings.iter().map(|finding| (finding.severity, finding.kind)).collect()
}

#[test]
fn twelve_percent_more_instructions_fail() {
    let before = analysis(&[(scalar(0x10, 10), 1_000_000, 200_000, 0)]);
    // The loop moved by four lines and eight bytes.
    let after = analysis(&[(scalar(0x18, 14), 1_120_000, 200_000, 0)]);
    let found = findings(&before, &after);
    assert_eq!(kinds(&found), vec![(Severity::Failure, FindingKind::MoreWork); 2]);
    let of_loop = found.iter().find(|finding| finding.index == Some(0)).unwrap();
    assert_eq!(
        of_loop.text,
        "the loop at a.c:14 (f) executes 12 % more instructions (1,000,000 -> 1,120,000) than in base"
    );
    let whole = found.iter().find(|finding| finding.index.is_none()).unwrap();
    assert!(whole.text.starts_with("the program: 12 % more instructions"), "{}", whole.text);
    assert!(!passes(&found));
    let better = findings(&after, &before);
    assert_eq!(kinds(&better), vec![(Severity::Note, FindingKind::LessWork); 2]);
    assert!(better[0].text.contains("11 % fewer") && passes(&better), "{better:?}");
    let change = of_loop.change.unwrap();
    assert!((change.relative().unwrap() - 0.12).abs() < 1e-12);
}

#[test]
fn nothing_is_said_of_equal_counts_and_of_trifles() {
    let before = analysis(&[(scalar(0x10, 10), 100_000_000, 20, 0), (scalar(0x40, 20), 3_000, 20, 0)]);
    assert_eq!(findings(&before, &before), vec![]);
    // +0.09 %; +900 of 3,000; +1,200, which is 0.001 % of the program.
    let change =
        |first, second| analysis(&[(scalar(0x10, 10), first, 20, 0), (scalar(0x40, 20), second, 20, 0)]);
    assert_eq!(findings(&before, &change(100_090_000, 3_000)), vec![]);
    assert_eq!(findings(&before, &change(100_000_000, 3_900)), vec![]);
    assert_eq!(findings(&before, &change(100_000_000, 4_200)), vec![]);
    // Just above all three: +0.11 %.
    assert_eq!(findings(&before, &change(100_110_000, 3_000)).len(), 2);
    let strict = Thresholds { relative: 0.0, absolute: 0, of_program: 0.0, ..Thresholds::default() };
    let found = check(&compare(("base", &before), ("now", &change(100_000_000, 3_001))), &strict);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn more_floating_point_warns_and_doubled_counts_are_told_as_such() {
    let before = analysis(&[(scalar(0x10, 10), 1_000_000, 200_000, 0)]);
    let after = analysis(&[(scalar(0x10, 10), 1_000_000, 500_000, 0)]);
    let found = findings(&before, &after);
    let of = |what: Counted| {
        let is =
            |finding: &&Finding| finding.index.is_some() && finding.change.is_some_and(|c| c.what == what);
        found.iter().find(is).unwrap()
    };
    assert_eq!(of(Counted::Flop).severity, Severity::Warning);
    assert_eq!(of(Counted::Bytes).severity, Severity::Failure);
    assert_eq!(of(Counted::Iterations).severity, Severity::Warning);
    assert!(of(Counted::Flop).text.contains("2.5 times as many floating-point operations"), "{found:?}");
    assert!(found.windows(2).all(|pair| pair[0].severity >= pair[1].severity));
}

#[test]
fn a_vector_body_that_is_never_entered_is_no_longer_vectorised() {
    let body = |at: u64| {
        let mut code = vector_loop(4);
        (code.header, code.ranges, code.role) = (at, vec![(at, at + 8)], LoopRole::Body);
        code
    };
    let rest = LoopCode { role: LoopRole::Version, index: 1, group: 0, ..scalar_loop(1, (0x40, 0x48), 10) };
    // The same code in both: the version for overlapping arrays runs now.
    let before = analysis(&[(body(0x10), 250_000, 800_000, 800_000), (rest.clone(), 0, 0, 0)]);
    let after = analysis(&[(body(0x10), 2_500, 8_000, 8_000), (rest.clone(), 990_000, 792_000, 0)]);
    let comparison = compare(("base", &before), ("now", &after));
    assert_eq!(comparison.loops.len(), 1);
    assert_eq!(comparison.loops[0].verdict, Verdict::NoLongerVectorized);
    let sums = comparison.loops[0].after_counts.as_ref().unwrap();
    assert_eq!((sums.instructions, sums.flop, sums.packed_share), (992_500, 800_000, Some(0.01)));
    let found = findings(&before, &after);
    let lost = found.iter().find(|f| f.kind == FindingKind::NoLongerVectorized).unwrap();
    assert_eq!(lost.severity, Severity::Failure);
    assert!(lost.text.contains("1 % of its work runs packed in now, 100 % in base"), "{}", lost.text);
    // A quarter in scalar code: still vectorised, and a warning.
    let partly = analysis(&[(body(0x10), 200_000, 600_000, 600_000), (rest, 250_000, 200_000, 0)]);
    let found = findings(&before, &partly);
    let less = found.iter().find(|f| f.kind == FindingKind::LessPacked).unwrap();
    assert!(
        less.severity == Severity::Warning && less.text.contains("75 % of its work packed, 100 % before")
    );
    assert!(!found.iter().any(|f| f.kind == FindingKind::NoLongerVectorized));
}

#[test]
fn a_loop_that_does_not_matter_fails_nothing() {
    let vector = |at: u64, line: u32| {
        let mut code = vector_loop(4);
        (code.header, code.ranges, code.index, code.group) = (at, vec![(at, at + 8)], 4, 4);
        code.location.as_mut().unwrap().line = line;
        code
    };
    let big = || (scalar(0x10, 10), 100_000_000, 0, 0);
    let before = analysis(&[big(), (vector(0x40, 20), 1_000, 200, 200)]);
    let after = analysis(&[big(), (scalar(0x40, 20), 1_900, 200, 0)]);
    let found = findings(&before, &after);
    assert_eq!(kinds(&found), vec![(Severity::Note, FindingKind::NoLongerVectorized)]);
    assert!(passes(&found));
}

#[test]
fn a_trifle_in_one_loop_fails_nothing_and_neither_does_what_the_program_saves_elsewhere() {
    let rows = |first, second| analysis(&[(scalar(0x10, 10), first, 0, 0), (scalar(0x40, 20), second, 0, 0)]);
    let before = rows(100_000_000, 20_000_000);
    // 0.4 % of a loop, 0.07 % of the program: it is said, and passes.
    let found = findings(&before, &rows(100_000_000, 20_080_000));
    let of_loop = found.iter().find(|finding| finding.index.is_some()).unwrap();
    assert_eq!((of_loop.severity, of_loop.kind), (Severity::Warning, FindingKind::MoreWork));
    assert!(
        of_loop.text.contains("within the tolerance of 1 % of the program") && passes(&found),
        "{found:?}"
    );
    // One loop rises by a fifth, while the program executes 45 % less.
    let found = findings(&before, &rows(42_000_000, 24_000_000));
    let of_loop = found.iter().find(|finding| finding.place == "a.c:20").unwrap();
    assert!(of_loop.text.contains("the program as a whole does less by more than that"), "{}", of_loop.text);
    assert!(passes(&found), "{found:?}");
    // What it saves is less than what it costs.
    assert!(!passes(&findings(&before, &rows(98_000_000, 24_000_000))));
    // The limit is the user's.
    let comparison = compare(("base", &before), ("now", &rows(100_000_000, 20_080_000)));
    let strict = Thresholds { tolerance: 0.0, ..Thresholds::default() };
    assert!(!passes(&check(&comparison, &strict)));
    let lax = Thresholds { tolerance: 0.5, ..Thresholds::default() };
    assert!(passes(&check(&compare(("base", &before), ("now", &rows(140_000_000, 20_000_000))), &lax)));
}

#[test]
fn a_loop_that_was_unrolled_away_is_judged_by_its_function() {
    let outer = |instructions| (scalar(0x10, 10), instructions, 0, 0);
    let before = analysis(&[outer(1_000_000), (scalar(0x40, 12), 9_000_000, 0, 0)]);
    // The inner loop is now straight-line code of the outer one, which executes what both did.
    let merged = analysis(&[outer(9_900_000)]);
    let found = findings(&before, &merged);
    assert!(passes(&found), "{found:?}");
    assert!(found.iter().any(|finding| finding.kind == FindingKind::Vanished), "{found:?}");
    // The same with a function that does more than before.
    let worse = analysis(&[outer(10_500_000)]);
    let found = findings(&before, &worse);
    let of_function = found.iter().find(|f| f.index.is_none() && !f.function.is_empty()).unwrap();
    assert_eq!((of_function.severity, of_function.function.as_str()), (Severity::Failure, "f"));
    assert!(
        of_function.text.contains("whose loops were made anew, executes 5.0 % more"),
        "{}",
        of_function.text
    );
    let of_loop = found.iter().find(|finding| finding.index.is_some() && finding.change.is_some()).unwrap();
    assert_eq!(of_loop.severity, Severity::Warning, "the function has failed, not the loop: {of_loop:?}");
}

#[test]
fn waiting_is_not_counted_against_anyone() {
    let at = |path: &str, instructions| {
        let rows = [(scalar(0x10, 10), instructions, 0, 0)];
        crate::analyse(&Facts { counts: vec![counted(path, &rows)], ..Facts::default() })
    };
    let path = "/usr/lib/libgomp.so.1";
    let found = findings(&at(path, 1_000_000), &at(path, 9_000_000));
    assert!(passes(&found) && found[0].text.contains("waits for other threads"), "{found:?}");
    assert!(!passes(&findings(&at("/bin/a", 1_000_000), &at("/bin/a", 9_000_000))));
}

#[test]
fn what_cannot_be_compared_is_said() {
    let with = analysis(&[(scalar(0x10, 10), 1_000_000, 0, 0)]);
    let code = || module(vec![function(1, "f", (0x0, 0x1000), vec![scalar(0x10, 10)], 1)]);
    let surveyed = |count: u32| {
        let survey =
            Run { id: 1, facts: recording(&[(&[0x10], count)]), code: vec![code()], ..Run::default() };
        crate::analyse(&Facts { surveys: vec![survey], ..Facts::default() })
    };
    let found = findings(&with, &surveyed(100));
    assert!(
        found.iter().any(|f| f.kind == FindingKind::NotComparable && f.text.starts_with("now has no counts"))
    );
    assert!(passes(&found), "no time on one side is no slowdown: {found:?}");
    assert_eq!(compare(("base", &with), ("now", &surveyed(100))).loops[0].verdict, Verdict::Same);

    let mut cut = with.clone();
    cut.counts.as_mut().unwrap().interrupted = true;
    cut.program.command = vec!["other".into()];
    let found = findings(&with, &cut);
    assert_eq!(found.iter().filter(|f| f.kind == FindingKind::NotComparable).count(), 2, "{found:?}");

    // Time alone: a slower loop warns, and fails when a limit is asked for.
    let (fast, slow) = (surveyed(1000), surveyed(2000));
    let comparison = compare(("base", &fast), ("now", &slow));
    let default = check(&comparison, &Thresholds::default());
    assert_eq!(kinds(&default), vec![(Severity::Warning, FindingKind::Slower)]);
    assert!(default[0].text.ends_with("is 2.00 times slower"), "{}", default[0].text);
    let limit = |slower| check(&comparison, &Thresholds { slower: Some(slower), ..Thresholds::default() });
    assert!(!passes(&limit(1.1)) && passes(&limit(1.99)));
}

#[test]
fn of_a_module_counted_in_part_nothing_is_made_of_what_one_run_left_out() {
    let with = |second: Option<&str>, in_part: bool| {
        let mut run = counted("/bin/a", &[(scalar(0x10, 10), 1_000_000, 200_000, 0)]);
        let module = &mut run.facts.modules[0];
        module.in_part = in_part;
        if let Some(name) = second {
            let mut other = module.functions[0].clone();
            (other.name, other.address, other.loops) = (name.into(), 0x2000, Vec::new());
            module.functions.push(other);
            let of_code = function(2, name, (0x2000, 0x3000), Vec::new(), 1);
            Arc::make_mut(&mut run.code[0].functions).push(of_code);
        }
        crate::analyse(&Facts { counts: vec![run], ..Facts::default() })
    };
    let whole = findings(&with(None, false), &with(Some("g"), false));
    assert!(!passes(&whole), "{whole:?}");
    let in_part = findings(&with(None, true), &with(Some("g"), true));
    assert_eq!(kinds(&in_part), vec![(Severity::Warning, FindingKind::NotComparable)]);
    assert_eq!(with(None, true).counts.unwrap().modules_in_part, ["a".to_owned()].into());
}
