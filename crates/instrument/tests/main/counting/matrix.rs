//! Programs x compilers x optimisation levels x linkages: results are unchanged and counts are the closed forms.

use crate::counting::builds::{Ready, makes_sense};
use crate::counting::engine::{counted, plainly, try_counted};
use crate::counting::expected::base_name;
use crate::counting::judge::{Verdict, judge, own_modules};
use loopwright_testprograms::{Finish, Program, counting_programs};
use std::collections::BTreeMap;

const LEVELS: &[&str] = &["O0", "O1", "O2", "O3", "O3-native"];
const LINKAGES: &[&str] = &["static", "static-pie", "no-pie", "no-plt"];

/// Runs one build plainly and counted, and judges its facts. Every failure is a line of the verdict, so that
/// one build hides no other.
fn compare(ready: &Ready) -> Verdict {
    let label = &ready.built.label;
    let mut verdict = Verdict::default();
    let plain = plainly(&ready.built.path, &ready.arguments);
    let (run, counts) = match try_counted(&ready.built.path, &ready.arguments, &ready.modules()) {
        Ok(counted) => counted,
        Err(reason) => {
            verdict.wrong.push(format!("{label}: {reason}"));
            return verdict;
        }
    };
    if plain.outcome != run.outcome {
        verdict.wrong.push(format!("{label}: plainly {}, counted {}", plain.outcome, run.outcome));
        return verdict;
    }
    if counts.interrupted {
        verdict.wrong.push(format!("{label}: interrupted"));
    }
    let mut expected = ready.expected();
    expected.read(&run.facts);
    verdict.add(judge(ready, &expected, &counts));
    verdict
}

fn check(choose: impl Fn(&Program) -> bool, sets: &[&str]) {
    let mut all = Verdict::default();
    let mut builds = 0;
    for program in counting_programs().iter().filter(|p| choose(p)) {
        for &compiler in &program.compilers {
            for set in sets.iter().filter(|set| makes_sense(program, compiler, set)) {
                let Some(ready) = Ready::build(program, compiler, set) else { continue };
                all.add(compare(&ready));
                builds += 1;
            }
        }
    }
    report(&all, builds);
}

/// Prints the tally; fails on any wrong fact, and when more than a few facts are about code that was not instrumented.
fn report(all: &Verdict, builds: usize) {
    println!("{builds} builds: {} facts hold, {} about code left alone", all.right, all.left_alone.len());
    for line in &all.left_alone {
        println!("left alone: {line}");
    }
    assert!(all.wrong.is_empty(), "{} facts do not hold:\n{}", all.wrong.len(), all.wrong.join("\n"));
    assert!(builds == 0 || all.right > 0, "nothing was compared");
    assert!(20 * all.left_alone.len() <= all.right, "{} facts about code left alone", all.left_alone.len());
}

fn is_one_of(names: &'static [&'static str]) -> impl Fn(&Program) -> bool {
    move |program| names.contains(&program.name.as_str())
}

#[test]
fn numeric_kernels() {
    check(is_one_of(&["stream", "nests", "types"]), LEVELS);
}

#[test]
fn fortran_and_rust() {
    check(is_one_of(&["stencils", "ranges"]), LEVELS);
}

#[test]
fn control_flow_and_real_code() {
    check(is_one_of(&["flow", "squeeze"]), LEVELS);
}

#[test]
fn exceptions_long_jumps_and_signal_handlers() {
    check(is_one_of(&["jumps", "unwinding", "handlers"]), LEVELS);
}

#[test]
fn threads_and_processes() {
    check(is_one_of(&["pthreads", "stdthreads", "openmp", "children"]), LEVELS);
}

#[test]
fn shared_libraries_opened_and_linked() {
    check(is_one_of(&["opener", "linked"]), LEVELS);
}

#[test]
fn every_linkage() {
    check(|_| true, LINKAGES);
}

/// Functions of a stripped program are known by address only, and their cold parts are separate functions:
/// block by block the counts equal those with symbols.
#[test]
fn stripped_programs_count_the_same() {
    let mut compared = 0;
    for program in counting_programs().iter().filter(|p| is_one_of(&["nests", "flow", "unwinding"])(p)) {
        for &compiler in &program.compilers {
            let Some(full) = Ready::build(program, compiler, "O2") else { continue };
            let Some(bare) = Ready::finished(program, compiler, "O2", Finish::Stripped) else { continue };
            let plain = plainly(&bare.built.path, &bare.arguments);
            let (_, full_counts) = counted(&full.built.path, &full.arguments, &[]);
            let (run, bare_counts) = counted(&bare.built.path, &bare.arguments, &[]);
            assert_eq!(plain.outcome, run.outcome, "{}", bare.built.label);
            let modules = own_modules(&bare, &bare_counts);
            let without: BTreeMap<u64, u64> = modules
                .iter()
                .flat_map(|m| &m.functions)
                .flat_map(|f| f.blocks.iter().map(|b| (b.start, b.executions)))
                .collect();
            let expected = full.expected();
            let known = |name: &str| expected.functions.contains_key(base_name(name));
            for module in own_modules(&full, &full_counts) {
                for function in module.functions.iter().filter(|f| known(&f.name)) {
                    for block in &function.blocks {
                        let found = without.get(&block.start).copied();
                        let label = &bare.built.label;
                        let place = format!("{label}: {} block {:#x}", function.name, block.start);
                        assert_eq!(found, Some(block.executions), "{place}");
                        compared += 1;
                    }
                }
            }
        }
    }
    println!("{compared} blocks");
    assert!(compared > 50, "only {compared} blocks were compared");
}
