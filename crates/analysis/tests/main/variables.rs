//! Operands that are named by the variables that contain them: traced, stored, loaded after the program is gone.
//!
//! One test in a process of its own: the engine reaps the children of its process.

use loopwright_analysis::model::{AccessFacts, StridePattern};
use loopwright_binary::code::analyze;
use loopwright_binary::image::{DebugSearch, Image, Images};
use loopwright_experiment::Experiment;
use loopwright_experiment::Facts;
use loopwright_experiment::describe::describe_traced;
use loopwright_instrument::{LoopChoice, Quiet, TraceOptions, trace};
use loopwright_patterns::facts::AccessKind;
use loopwright_sample::recording::Target;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "static double a[1000], b[1000], c[1000];
__attribute__((noinline)) void triad(double s) {
    for (int i = 0; i < 1000; i++)
        a[i] = b[i] + s * c[i];
}
__attribute__((noinline)) double hidden(void) {
    double sum = 0;
#define NEXT c[i]
    for (int i = 0; i < 1000; i++)
        sum += NEXT;
    return sum;
}
static double m[40][50];
__attribute__((noinline)) double rows(double (*m)[50], int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 50; j++)
            s += m[i][j];
    return s;
}
int main(void) {
    for (int i = 0; i < 1000; i++) b[i] = c[i] = i;
    triad(2);
    return hidden() + a[999] + rows(m, 40) < 0;
}
";

/// The accesses of all loops of the two functions.
fn accesses(folder: &Path, flags: &[&str]) -> Option<Vec<AccessFacts>> {
    let (source, program) = (folder.join("static.c"), folder.join("static"));
    std::fs::write(&source, SOURCE).unwrap();
    let built = Command::new("gcc").args(flags).arg("-g").arg(&source).arg("-o").arg(&program).status();
    let Ok(status) = built else {
        assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "gcc is not installed");
        eprintln!("skipped: gcc is not installed");
        return None;
    };
    assert!(status.success());
    let program = program.canonicalize().unwrap();
    let image = Image::open(&program, &DebugSearch::none()).unwrap();
    let mut loops = Vec::new();
    for (index, function) in image.functions().iter().enumerate() {
        if ["triad", "hidden", "rows"].contains(&function.name.as_str()) {
            for l in analyze(&image, index).unwrap().loops {
                loops.push(LoopChoice {
                    module: program.clone(),
                    function: function.address,
                    header: l.header,
                });
            }
        }
    }
    assert!(loops.len() >= 2);
    let options = TraceOptions { loops, exhaustive: true, ..TraceOptions::default() };
    let patterns = trace(&[program.as_os_str().into()], &options, &mut Quiet).unwrap();
    assert_eq!(patterns.exit_status, 0);
    assert!(patterns.modules[0].bias.is_some());
    let mut experiment = Experiment::create_or_open(&folder.join("x.lw")).unwrap();
    let target = Target { command: vec![program.display().to_string()], ..Target::default() };
    let run = experiment.add(&patterns, Some(&target), None).unwrap();
    for module in describe_traced(&patterns, &[], &Images::new(DebugSearch::none()), &|_, _| ()) {
        let names: Vec<&str> = module.facts.variables.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(
            names.iter().collect::<BTreeSet<_>>(),
            BTreeSet::from([&"a", &"b", &"c", &"m"]),
            "no others"
        );
        let functions = &module.functions;
        experiment.add_code(run, module.position, &module.identity, &module.facts, functions).unwrap();
    }
    experiment.add_source(run, source.to_str().unwrap(), SOURCE).unwrap();
    std::fs::remove_file(&program).unwrap();
    let facts = Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
    let analysis = loopwright_analysis::analyse(&facts);
    Some(analysis.loops.into_iter().flat_map(|l| l.access).collect())
}

#[test]
fn operands_have_the_names_of_their_variables() {
    for flags in [["-O2", "-fPIE"], ["-O2", "-no-pie"], ["-O3", "-mavx2"]] {
        let folder = tempfile::tempdir().unwrap();
        let Some(accesses) = accesses(folder.path(), &flags) else { return };
        let named: BTreeSet<(bool, Option<u32>, &str)> = accesses
            .iter()
            .filter(|access| access.line.is_none_or(|line| line == 4 || line == 10))
            .map(|access| {
                (access.kind == AccessKind::Store, access.line, access.operand.as_deref().unwrap_or("?"))
            })
            .collect();
        // What is in line 10 is a macro without arguments.
        let expected = [(true, "a[i]"), (false, "b[i]"), (false, "c[i]")];
        for (store, name) in expected {
            assert!(named.contains(&(store, Some(4), name)), "{flags:?}: {named:?}");
        }
        assert!(named.iter().all(|access| access.2 != "?"), "{flags:?}: {named:?}");
        assert!(named.iter().any(|access| access.1 == Some(10)), "{flags:?}: {named:?}");
        // GCC unrolls the loop over j, by two or whole, and gives the copies different columns.
        let inner = |access: &&AccessFacts| access.line == Some(18) && access.source_factor > 1;
        let rows: Vec<&AccessFacts> = accesses.iter().filter(inner).collect();
        assert!(!rows.is_empty());
        for access in rows {
            let executions = access.executions * u64::from(access.operand_bytes / 8);
            assert_eq!(
                (access.operand.as_deref(), access.stride_bytes, access.pattern, executions),
                (Some("m[i][j]"), Some(8), StridePattern::Unit, 2000),
                "{flags:?}"
            );
        }
    }
}
