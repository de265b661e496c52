//! The lookups.

use super::*;
use crate::fixtures::{module, program, scalar_loop, vector_loop, with_loops};

#[test]
fn cold_and_barely_sampled_loops_are_left_alone() {
    let hot =
        |change: fn(&mut LoopFacts)| Facts::new(&with_loops(vec![scalar_loop(change)])).hot_loops().count();
    assert_eq!(hot(|_| ()), 1);
    assert_eq!(hot(|l| l.group_share = 0.01), 0);
    assert_eq!(hot(|l| l.samples = 3), 0);
}

#[test]
fn the_body_speaks_for_its_group_even_when_the_remainder_is_hotter() {
    let analysis = with_loops(vec![
        scalar_loop(|l| (l.id, l.role, l.self_seconds) = (2, LoopRole::Remainder, 6.0)),
        vector_loop(|l| (l.role, l.self_seconds) = (LoopRole::Body, 1.0)),
        scalar_loop(|l| (l.id, l.group, l.role) = (3, 7, LoopRole::Version)),
    ]);
    let facts = Facts::new(&analysis);
    let speaking: Vec<u32> =
        analysis.loops.iter().filter(|l| facts.speaks_for_group(l)).map(|l| l.id).collect();
    assert_eq!(speaking, [1, 3]);
}

#[test]
fn library_code_without_lines_is_not_rebuilt() {
    let analysis = with_loops(vec![]);
    let facts = Facts::new(&analysis);
    assert!(facts.rebuildable(&scalar_loop(|l| l.file = None)), "the program itself");
    assert!(
        facts.rebuildable(&scalar_loop(|l| l.main_module = false)),
        "a library of the user's, with lines"
    );
    assert!(!facts.rebuildable(&scalar_loop(|l| (l.main_module, l.file) = (false, None))));
}

#[test]
fn a_system_library_is_not_rebuilt_even_with_its_debug_package() {
    let mut analysis = program();
    analysis.modules.push(module("/usr/lib/x86_64-linux-gnu/libc.so.6", 0.3, false));
    let in_libc = scalar_loop(|l| (l.module, l.main_module) = ("libc.so.6".into(), false));
    assert!(in_libc.file.is_some() && !Facts::new(&analysis).rebuildable(&in_libc));
}

#[test]
fn commands_can_be_pasted_into_a_shell() {
    let mut analysis = program();
    analysis.program.command = vec!["python3".into(), "-c".into(), "print('x y')".into(), "".into()];
    let line = Facts::new(&analysis).collect("map", &scalar_loop(|_| ()));
    assert_eq!(line, r#"loopwright map --loops 1 -- python3 -c "print('x y')" ''"#);
    analysis.program.command = vec!["./a prog".into(), "$HOME `id`".into(), "it's".into()];
    let line = Facts::new(&analysis).collect("map", &scalar_loop(|_| ()));
    let words = shlex::split(&line).unwrap();
    assert_eq!(words[words.len() - 3..], analysis.program.command);
}

#[test]
fn an_interpreter_is_not_rebuilt() {
    let mut analysis = program();
    analysis.modules = vec![module("/usr/bin/python3.11", 1.0, true)];
    let facts = Facts::new(&analysis);
    assert!(!facts.rebuildable(&scalar_loop(|l| (l.module, l.file) = ("python3.11".into(), None))));
}

#[test]
fn the_module_speaks_for_a_loop_only_when_it_was_built_alike() {
    let mut analysis = program();
    let nameless = scalar_loop(|l| l.producer = None);
    assert!(Facts::new(&analysis).producer(&nameless).is_some());
    analysis.modules[0].producers.push("Debian clang version 14.0.6".into());
    assert!(Facts::new(&analysis).producer(&nameless).is_none());
}

#[test]
fn languages_by_producer_and_by_extension() {
    let analysis = with_loops(vec![]);
    let facts = Facts::new(&analysis);
    let fortran =
        scalar_loop(|l| (l.producer, l.file) = (Some("unknown".into()), Some("/x/solver.F90".into())));
    assert_eq!(facts.language(&fortran), Some(Language::Fortran));
    assert_eq!(facts.language(&scalar_loop(|_| ())), Some(Language::C));
}
