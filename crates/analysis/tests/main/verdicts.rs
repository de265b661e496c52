//! Verdicts on parallel execution held to the truth: loops of every shape, whose sources say whether their iterations may
//! run in any order, built by every compiler at four levels and traced whole.
//!
//! The programs say what is true, see `testprograms/verdicts/README.md`. The test prints a table, and fails when a
//! loop is called safe that is not, and when more than 3 % of the safe ones are called unsafe. One test in a process of
//! its own: the engine reaps the children of its process.
//!
//! `LOOPWRIGHT_VERDICTS_ONLY=TEXT` takes only recipes with this text in their label, and prints why each wrong loop is
//! judged as it is.

mod table;
pub(crate) mod traced;

use loopwright_testprograms::{Recipe, available_here, verdict_programs};
use table::{Outcome, Table};

/// Compilation levels. None depends on the machine.
const LEVELS: [&str; 4] = ["O0", "O2", "O3", "O3-v3"];

/// Share of the safe loops that may be called unsafe.
const MOST_FALSE_UNSAFE: f64 = 0.03;

/// Share of all loops whose verdict may be `unknown`: a verdict that never decides is of no use.
const MOST_UNKNOWN: f64 = 0.10;

#[test]
fn verdicts_are_true() {
    let only = std::env::var("LOOPWRIGHT_VERDICTS_ONLY").unwrap_or_default();
    let mut table = Table::new(LEVELS.iter().map(|&level| level.to_owned()).collect());
    for program in verdict_programs() {
        for &compiler in &program.compilers {
            for level in LEVELS {
                let recipe = Recipe::for_program(program.clone()).compiler(compiler).flag_set(level);
                if !recipe.label().contains(&only) {
                    continue;
                }
                let Some(built) = available_here(&recipe) else { continue };
                let analysis = traced::analysed(&built);
                table.add(&program, compiler.command(), level, &analysis);
            }
        }
    }
    println!("{}", table.text(!only.is_empty()));
    if table.is_empty() {
        return;
    }
    let count = |outcome: Outcome| table.count(outcome);
    assert_eq!(count(Outcome::FalseSafe), 0, "loops that are called safe and are not");
    let safe = table.truly_safe();
    let wrong = count(Outcome::FalseUnsafe) as f64 / safe.max(1) as f64;
    assert!(wrong <= MOST_FALSE_UNSAFE, "{:.1} % of {safe} safe loops are called unsafe", 100.0 * wrong);
    let unknown = count(Outcome::Unknown) as f64 / table.judged().max(1) as f64;
    assert!(unknown <= MOST_UNKNOWN, "{:.1} % of the verdicts are unknown", 100.0 * unknown);
    assert!(!only.is_empty() || table.loops() >= 150, "only {} loops", table.loops());
}
