//! Builds programs and runs them: a test program with a changed result, or with results that differ between
//! flag sets that must agree, would make every test that uses it worthless.

use super::*;
use std::collections::BTreeMap;

fn output_of(built: &Built) -> String {
    let output = Command::new(&built.path).output().unwrap();
    assert!(output.status.success(), "{}: {}", built.label, output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// `name value` lines.
fn checksums(text: &str) -> BTreeMap<String, f64> {
    text.lines()
        .filter_map(|line| {
            let (name, value) = line.split_once(' ')?;
            Some((name.to_owned(), value.trim().parse().ok()?))
        })
        .collect()
}

#[test]
fn a_second_build_is_the_cached_one_and_other_flags_are_another() {
    let recipe = Recipe::of("quick").compiler(Compiler::Gcc);
    let Some(first) = available(recipe.build()) else { return };
    let stamp = std::fs::metadata(&first.path).unwrap().modified().unwrap();
    let second = recipe.build().unwrap();
    assert_eq!(first.path, second.path);
    assert_eq!(stamp, std::fs::metadata(&second.path).unwrap().modified().unwrap());
    let other = recipe.clone().flag("-DANOTHER=1").build().unwrap();
    assert_ne!(first.path, other.path);
}

#[test]
fn a_report_asked_for_is_kept_with_the_executable() {
    let recipe = Recipe::of("kernels").compiler(Compiler::Gcc).flag_set("O3").flag("-fopt-info-vec-all");
    let Some(built) = available(recipe.build()) else { return };
    let triad = built.loop_named("triad");
    let wanted = format!(":{}:", triad.line);
    assert!(
        built.compiler_output.lines().any(|l| l.contains(&wanted) && l.contains("loop vectorized")),
        "gcc says nothing of line {}",
        triad.line
    );
}

#[test]
fn finishes_do_what_they_say() {
    let base = Recipe::of("quick").compiler(Compiler::Gcc);
    let Some(plain) = available(base.build()) else { return };
    let sections = |built: &Built| {
        let output = Command::new("objdump").arg("-h").arg(&built.path).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(sections(&plain).contains(".debug_line"));
    let stripped = base.clone().finish(Finish::Stripped).build().unwrap();
    assert!(!sections(&stripped).contains(".debug_line"));
    let separate = base.clone().finish(Finish::SeparateDebug).build().unwrap();
    assert!(sections(&separate).contains(".gnu_debuglink"));
    assert!(separate.folder.join("quick.debug").exists());
    let compressed = base.finish(Finish::CompressedDebug).build().unwrap();
    assert!(sections(&compressed).contains(".debug_line"));
    assert_eq!(output_of(&plain), output_of(&stripped));
}

#[test]
fn kernels_compute_the_same_under_every_compiler_and_flag_set() {
    let mut reference: BTreeMap<String, (String, BTreeMap<String, f64>)> = BTreeMap::new();
    let mut compared = 0;
    for recipe in matrix() {
        let Some(built) = available_here(&recipe) else { continue };
        let sums = checksums(&output_of(&built));
        assert!(sums.len() >= 5, "{}: only {} checksums", built.label, sums.len());
        let (first, expected) = reference
            .entry(recipe.program().name.clone())
            .or_insert_with(|| (built.label.clone(), sums.clone()));
        assert_eq!(
            expected.keys().collect::<Vec<_>>(),
            sums.keys().collect::<Vec<_>>(),
            "{} and {first} print different kernels",
            built.label
        );
        for (name, value) in &sums {
            let want = expected[name];
            // Fast mathematics and contraction to FMA may change the last bits, nothing more.
            assert!(
                (value - want).abs() <= 1e-5 * want.abs().max(1.0),
                "{}: {name} is {value}, {first} has {want}",
                built.label
            );
        }
        compared += 1;
    }
    println!("{compared} builds agree");
    assert!(compared > 0);
}

#[test]
fn an_absent_compiler_is_a_reason_to_skip() {
    if std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_some_and(|v| v == "1") {
        let result =
            std::panic::catch_unwind(|| available::<()>(Err(BuildError::Absent("no compiler".into()))));
        assert!(result.is_err(), "LOOPWRIGHT_REQUIRE_ALL=1 must turn a skip into a failure");
    } else {
        assert!(available::<()>(Err(BuildError::Absent("no compiler".into()))).is_none());
    }
}

#[test]
fn counting_programs_say_the_same_under_every_compiler_and_level() {
    // `plugin` is a library and `linked` needs it: the counting tests build them.
    let alone = |p: &crate::Program| p.name != "plugin" && p.name != "linked";
    for program in crate::counting_programs().into_iter().filter(alone) {
        let mut first: Option<(String, String)> = None;
        for &compiler in &program.compilers {
            for set in ["O0", "O2"] {
                let recipe = Recipe::for_program(program.clone()).compiler(compiler).flag_set(set);
                let Some(built) = available(recipe.build()) else { continue };
                let output = Command::new(&built.path).arg("expect").output().unwrap();
                assert!(output.status.success(), "{}", built.label);
                let text = String::from_utf8(output.stdout).unwrap();
                let only_here = |line: &&str| !line.contains("half_triad");
                let text = text.lines().filter(only_here).collect::<Vec<_>>().join("\n");
                assert!(text.lines().count() >= 2, "{}: expects nothing: {text}", built.label);
                let (label, expected) = first.get_or_insert_with(|| (built.label.clone(), text.clone()));
                assert_eq!(*expected, text, "{} against {label}", built.label);
            }
        }
    }
}
