//! The acceptance matrix of access patterns: programs whose loops have known strides, executions and dependences,
//! built by every compiler at every level, traced whole, stored, loaded and lifted to loops as written.
//!
//! The programs state what must be found, see `testprograms/patterns/README.md`. One test in a process of its own:
//! the engine reaps the children of its process.

mod expected;
mod judge;
mod traced;

use expected::Expected;
use loopwright_testprograms::{Program, Recipe, available_here, pattern_programs};

/// Compilation levels. None depends on the machine: what `-march=native` makes of a loop differs between processors.
const LEVELS: [&str; 6] = ["O0", "O1", "O2", "O3", "O3-v3", "O3-v4-512"];

/// Loops of which something is not exact yet, as `PROGRAM COMPILER LEVEL` and name, with what it is. Distances that are
/// not exact are shorter than the true ones, so that no verdict allows too much.
const OPEN: &[(&str, &[&str], &str)] = &[
    (
        "accesses clang O3-v3",
        &["gather", "recurrence3", "recurrence5", "recurrence6", "recurrence7", "recurrence8"],
        "the gathering loads have the line of the loop; of unrolled copies some loads are left, the first without its line",
    ),
    (
        "accesses clang O3-v4-512",
        &["field", "recurrence3", "recurrence5", "recurrence6", "recurrence7"],
        "bytes between fields are loaded, too; else as at O3-v3",
    ),
    ("accesses gcc O3", &["triangle"], "the loop around is entered at two places: no verdict"),
    ("accesses gcc O3-v3", &["field"], "bytes between fields are loaded, too"),
    ("accesses gcc O3-v4-512", &["field"], "bytes between fields are loaded, too"),
    (
        "accesses_fortran gfortran O2",
        &["rows", "relax"],
        "vectorised over the loop around; a loaded value is kept for the next iteration, and that it was loaded through another \
         pointer before the first one, which the loop around moves alike, is not seen: it counts as loop-carried",
    ),
    ("accesses_fortran gfortran O3", &["rows"], "as at O2"),
    ("accesses_fortran gfortran O3-v3", &["rows"], "as at O2"),
    ("accesses_fortran gfortran O3-v4-512", &["rows", "relax_j"], "as at O2, and a spilled sum"),
    ("laplacian gcc O3", &["unblocked"], "the sum is spilled"),
    ("laplacian gcc O3-v3", &["unblocked"], "the sum is spilled"),
    ("laplacian gcc O3-v4-512", &["unblocked"], "the sum is spilled"),
];

fn is_open(label: &str, name: &str) -> bool {
    OPEN.iter().any(|(at, names, _)| *at == label && names.contains(&name))
}

#[test]
fn strides_executions_and_dependences_are_exact() {
    let only = std::env::var("LOOPWRIGHT_PATTERNS_ONLY").unwrap_or_default();
    let mut wrong: Vec<String> = Vec::new();
    let mut cases = 0;
    for program in pattern_programs() {
        let expected = Expected::read(&program);
        for recipe in recipes(&program).filter(|recipe| recipe.label().contains(&only)) {
            let Some(built) = available_here(&recipe) else { continue };
            let analysis = traced::analysed(&built, &expected);
            let label = recipe.label();
            let level = recipe.chosen_flag_set().name;
            for (name, complaints) in judge::judge(&analysis, &expected, level) {
                if is_open(&label, &name) {
                    println!("open: {label}: {name}: {complaints:?}");
                    continue;
                }
                cases += 1;
                wrong.extend(complaints.into_iter().map(|complaint| format!("{label}: {name}: {complaint}")));
            }
        }
    }
    println!("{cases} loops as written were compared");
    assert!(wrong.is_empty(), "{} of {cases} loops:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases >= 40 || !only.is_empty() || cases == 0, "only {cases} cases");
}

fn recipes(program: &Program) -> impl Iterator<Item = Recipe> {
    let program = program.clone();
    program.compilers.clone().into_iter().flat_map(move |compiler| {
        let program = program.clone();
        LEVELS
            .iter()
            .map(move |level| Recipe::for_program(program.clone()).compiler(compiler).flag_set(level))
    })
}
