//! Branches of known outcomes: traced whole, executions and jumps are exact whatever compiler built them, and the simulated
//! predictor misses those that chance decides and no others.
//!
//! `testprograms/branches.c` marks their lines and prints how often each runs and holds.

use crate::verdicts::traced;
use loopwright_analysis::model::{Analysis, BranchFacts};
use loopwright_testprograms::{Program, Recipe, available_here};
use std::process::Command;

/// Compilation levels. None depends on the machine.
const LEVELS: [&str; 4] = ["O0", "O1", "O2", "O3"];

/// A `BRANCH` mark: name, line, and the percentages of misses between which the rate is.
fn marks(program: &Program) -> Vec<(String, u32, f64, f64)> {
    let text = std::fs::read_to_string(&program.source).unwrap();
    let mark = |(line, text): (u32, &str)| {
        let keys = text.split_once("// BRANCH ")?.1;
        let key = |name: &str| keys.split_whitespace().find_map(|word| word.strip_prefix(name));
        let (low, high) = key("misses=")?.split_once("..")?;
        Some((key("name=")?.to_owned(), line, low.parse().unwrap(), high.parse().unwrap()))
    };
    (1..).zip(text.lines()).filter_map(mark).collect()
}

/// What the program says of a branch: executions, and how often its condition holds.
fn printed(output: &str, name: &str) -> (u64, u64) {
    let line = output.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let (executed, holds) = line.and_then(|line| line.split_once(' ')).expect(name);
    (executed.parse().unwrap(), holds.parse().unwrap())
}

/// The machine's branches of a line in each loop that has some: executions, jumps, misses.
fn of_line(analysis: &Analysis, line: u32) -> Vec<(u64, u64, f64)> {
    let of_loop = |branches: &[BranchFacts]| {
        let at: Vec<&BranchFacts> = branches.iter().filter(|branch| branch.line == Some(line)).collect();
        let sum = |number: &dyn Fn(&BranchFacts) -> f64| at.iter().map(|branch| number(branch)).sum::<f64>();
        let taken = sum(&|branch| branch.taken_share * branch.executed as f64);
        let missed = sum(&|branch| branch.miss_rate.unwrap() * branch.predicted as f64);
        (!at.is_empty())
            .then(|| (at.iter().map(|branch| branch.executed).sum(), taken.round() as u64, missed))
    };
    analysis.loops.iter().filter_map(|each| of_loop(&each.branches)).collect()
}

#[test]
fn executions_and_jumps_are_exact_and_misses_are_those_of_chance() {
    let program = Program::named("branches");
    let marks = marks(&program);
    assert_eq!(marks.len(), 8);
    let mut wrong = Vec::new();
    let mut compared = 0;
    for &compiler in &program.compilers {
        for level in LEVELS {
            let recipe = Recipe::for_program(program.clone()).compiler(compiler).flag_set(level);
            let Some(built) = available_here(&recipe) else { continue };
            let alone = Command::new(&built.path).output().unwrap();
            let output = String::from_utf8(alone.stdout).unwrap();
            let analysis = traced::analysed(&built);
            for (name, line, low, high) in &marks {
                let (executed, holds) = printed(&output, name);
                let found = of_line(&analysis, *line);
                // Which of the two ways jumps is the compiler's choice.
                let exact =
                    |&(n, taken, _): &(u64, u64, f64)| n == executed && [holds, n - holds].contains(&taken);
                let bounds = (low / 100.0 * executed as f64, high / 100.0 * executed as f64);
                let within = |&(_, _, missed): &(u64, u64, f64)| (bounds.0..=bounds.1).contains(&missed);
                if found.is_empty() || !found.iter().all(exact) || !found.iter().all(within) {
                    wrong.push(format!(
                        "{} {name} in line {line}: {executed} executions, {holds} of them hold; found {found:?}",
                        recipe.label()
                    ));
                }
                compared += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared == 0 || compared >= marks.len() * LEVELS.len(), "only {compared} were compared");
}
