//! Recorded numbers of real machines, in the fields of `perf stat -x ';'`, and what must not happen on anything else.
//!
//! Each text names where its numbers were published. What was published in perf's output for people, or with commas between
//! fields, has the same numbers here in the fields that the same version of perf writes them into; nothing else is changed.

use super::ask::{Ask, possible};
use super::reading::{Part, Unit, Written, parse};
use super::tool::{Missing, find_with};
use super::{Perf, RunOptions, Slots, measure, run, slots};
use crate::recording::Outcome;
use proptest::prelude::*;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn slots_of(text: &str) -> Option<Slots> {
    slots::of(&parse(text.as_bytes()).readings)
}

#[track_caller]
fn near(value: impl Into<Option<f64>>, percent: f64) {
    let value = value.into().expect("a value");
    assert!((value * 100.0 - percent).abs() < 0.06, "{value} is not {percent} %");
}

/// Sapphire Rapids, `perf stat sleep 1`: numbers of the commit message of "perf stat: Add Topdown metrics L2 events as default
/// events" (Kan Liang, 2021).
const SAPPHIRE_RAPIDS: &str = "# started on Fri Feb  5 10:00:00 2021

8431908;;slots;592851;100.00;;
1554116;;topdown-retiring;592851;100.00;18.4;retiring
1289585;;topdown-bad-spec;592851;100.00;15.2;bad speculation
2810636;;topdown-fe-bound;592851;100.00;33.2;frontend bound
2810636;;topdown-be-bound;592851;100.00;33.2;backend bound
231464;;topdown-heavy-ops;592851;100.00;2.7;heavy operations
;;;;;15.6;light operations
1223453;;topdown-br-mispredict;592851;100.00;14.5;branch mispredict
;;;;;0.8;machine clears
1884779;;topdown-fetch-lat;592851;100.00;22.3;fetch latency
;;;;;10.9;fetch bandwidth
1454917;;topdown-mem-bound;592851;100.00;17.2;memory bound
;;;;;16.0;Core bound
";

#[test]
fn events_of_two_levels_give_what_perf_computed_of_them() {
    let slots = slots_of(SAPPHIRE_RAPIDS).unwrap();
    near(slots.retiring, 18.4);
    near(slots.bad_speculation, 15.2);
    near(slots.front_end, 33.2);
    near(slots.back_end, 33.2);
    near(slots.memory, 17.2);
    near(slots.core, 16.0);
    near(slots.mispredicts, 14.5);
    assert_eq!((slots.counted, slots.cores), (Some(1.0), None));
}

/// Sapphire Rapids, `perf stat -x, -a sleep 1` of Linux 6.5: "New metricgroup output in perf stat default mode" (Kan Liang,
/// 2023, lore.kernel.org 20230615135315.3662428-1-kan.liang@linux.intel.com). Fields are shifted in lines of groups.
const METRIC_GROUPS: &str = "225851.20;msec;cpu-clock;225850700108;100.00;224.431;CPUs utilized
52288305;;cycles;225850188531;100.00;0.000;GHz
;225849327050;100.00;;;;TopdownL1
;;;;;70.1;%  tma_backend_bound
;;;;;2.7;%  tma_bad_speculation
;;;;;12.5;%  tma_frontend_bound
;;;;;14.6;%  tma_retiring
;225849327050;100.00;;;;TopdownL2
;;;;;2.3;%  tma_branch_mispredicts
;;;;;19.6;%  tma_core_bound
;;;;;4.6;%  tma_fetch_bandwidth
;;;;;7.9;%  tma_fetch_latency
;;;;;2.9;%  tma_heavy_operations
;;;;;11.7;%  tma_light_operations
;;;;;0.5;%  tma_machine_clears
;;;;;50.5;%  tma_memory_bound
";

#[test]
fn metrics_of_groups_are_found_by_their_names() {
    let slots = slots_of(METRIC_GROUPS).unwrap();
    near(slots.back_end, 70.1);
    near(slots.memory, 50.5);
    near(slots.core, 19.6);
    near(slots.retiring, 14.6);
    near(slots.bad_speculation, 2.7);
    near(slots.mispredicts, 2.3);
    near(slots.front_end, 12.5);
}

/// `perf stat -M topdownl1 -x, -I 1000` since Linux 6.15: "perf stat: Display metric threshold value in CSV output" (Ian Rogers,
/// 2025), without the time stamps of `-I`.
const THRESHOLDS: &str = "4677067630;;TOPDOWN.SLOTS;16029302700;100.00;31.1;%  tma_backend_bound;bad
;;;;;51.0;%  tma_frontend_bound;bad
;;;;;7.6;%  tma_bad_speculation;good
;;;;;10.2;%  tma_retiring;good
476781750;;topdown-retiring;16029302700;100.00;;
2389693619;;topdown-fe-bound;16029302700;100.00;;
1431602465;;topdown-be-bound;16029302700;100.00;;
378991388;;topdown-bad-spec;16029302700;100.00;;
4934535;;INT_MISC.CLEARS_COUNT;16029339890;100.00;;
26472844;;cpu/UOPS_DECODED.DEC0,cmask=1/;16029009707;100.00;;
";

#[test]
fn a_verdict_behind_a_metric_and_commas_in_events_are_no_values() {
    let written = parse(THRESHOLDS.as_bytes());
    assert_eq!((written.events, written.unsupported.len()), (7, 0));
    let slots = slots::of(&written.readings).unwrap();
    near(slots.front_end, 51.1);
    near(slots.back_end, 30.6);
    assert_eq!((slots.memory, slots.core), (None, None), "there is one level");
}

/// A hybrid processor, `perf stat -x, ls` of a user (Arnaldo Carvalho de Melo, 2024, lore.kernel.org Zcz3UO5Jq4zAqSfx@x1): the
/// program ran on its small cores alone.
const SMALL_CORES: &str = "0.65;msec;task-clock:u;648266;100.00;0.534;CPUs utilized
775564;;cpu_atom/cycles/u;276334;42.00;1.196;GHz
<not counted>;;cpu_core/cycles/u;0;0.00;;
508381;;cpu_atom/instructions/u;648266;100.00;0.66;insn per cycle
<not counted>;;cpu_core/instructions/u;0;0.00;;
;648266;100.00;;;;TopdownL1 (cpu_atom)
;;;;;87.9;%  tma_bad_speculation
;648266;100.00;;;24.0;%  tma_frontend_bound
;648266;100.00;;;31.5;%  tma_backend_bound
;;;;;31.5;%  tma_backend_bound_aux
;371932;57.00;;;0.0;%  tma_retiring
";

#[test]
fn kinds_of_cores_are_kept_apart_and_contradictions_refused() {
    let written = parse(SMALL_CORES.as_bytes());
    assert!(written.user_only);
    assert_eq!(written.uncounted, ["cycles", "instructions"]);
    assert!(written.readings.iter().all(|r| r.cores.as_deref() == Some("cpu_atom")), "{written:?}");
    let retiring = written.readings.iter().find(|r| r.part == Part::Retiring).unwrap();
    assert_eq!((retiring.counted, retiring.unit), (Some(0.57), Unit::Percent));
    // 87.9 + 24.0 + 31.5 + 0.0: more than all slots.
    assert_eq!(slots::of(&written.readings), None);
}

/// A hybrid processor, system-wide (the message of [`METRIC_GROUPS`], its output for people): nothing ran on the large cores.
const TWO_KINDS: &str = ";16061513607;100.00;;;;TopdownL1 (cpu_core)
;;;;;nan;%  tma_backend_bound
;;;;;0.0;%  tma_bad_speculation
;;;;;nan;%  tma_frontend_bound
;;;;;nan;%  tma_retiring
;10157398501;63.36;;;;TopdownL1 (cpu_atom)
;;;;;13.6;%  tma_bad_speculation
;10178698656;63.54;;;41.1;%  tma_frontend_bound
;10240582902;63.93;;;39.2;%  tma_backend_bound
;10284284920;64.15;;;5.4;%  tma_retiring
";

#[test]
fn of_two_kinds_of_cores_the_one_with_all_parts_counts() {
    let slots = slots_of(TWO_KINDS).unwrap();
    assert_eq!(slots.cores.as_deref(), Some("cpu_atom"));
    near(slots.front_end, 41.1);
    near(slots.counted, 63.4);
}

#[test]
fn of_two_kinds_of_cores_the_one_that_ran_longer_counts() {
    // After the format of perf since 5.16; no recording of these events alone was found.
    let text = "100;;cpu_core/slots/u;9;90.00;;
50;;cpu_core/topdown-retiring/u;9;90.00;;
10;;cpu_core/topdown-bad-spec/u;9;90.00;;
10;;cpu_core/topdown-fe-bound/u;9;90.00;;
30;;cpu_core/topdown-be-bound/u;9;90.00;;
1;;cpu_atom/topdown-retiring/u;1;10.00;;
1;;cpu_atom/topdown-bad-spec/u;1;10.00;;
1;;cpu_atom/topdown-fe-bound/u;1;10.00;;
97;;cpu_atom/topdown-be-bound/u;1;10.00;;
";
    let slots = slots_of(text).unwrap();
    assert_eq!(slots.cores.as_deref(), Some("cpu_core"));
    near(slots.retiring, 50.0);
    near(slots.counted, 90.0);
}

/// Zen 4 (Ryzen 9 7950X), `perf stat -M PipelineL1,PipelineL2 -- ./cryptest.exe b1 10`: D. Bakhvalov, "Performance Analysis and
/// Tuning on Modern CPUs" (github.com/dendibakh/perf-book), "TMA on AMD Platforms". The events are left out there, too.
const ZEN_4: &str = "1;;ex_ret_brn_misp;1;20.08;0.0;%  bad_speculation_mispredicts
;;;;;0.0;%  bad_speculation_pipeline_restarts
;;;;;0.0;%  bad_speculation
1;;de_no_dispatch_per_slot.no_ops_from_frontend;1;20.00;6.1;%  frontend_bound
;;;;;6.1;%  frontend_bound_bandwidth
;;;;;0.1;%  frontend_bound_latency
1;;ex_no_retire.load_not_complete;1;20.00;65.9;%  backend_bound_cpu
;;;;;1.7;%  backend_bound_memory
;;;;;67.5;%  backend_bound
1;;ex_ret_ops;1;20.08;26.3;%  retiring
1;;ex_ret_ucode_ops;1;19.99;20.2;%  retiring_fastpath
;;;;;6.1;%  retiring_microcode
";

#[test]
fn metrics_of_amd_have_both_levels() {
    let slots = slots_of(ZEN_4).unwrap();
    near(slots.back_end, 67.5);
    near(slots.core, 65.9);
    near(slots.memory, 1.7);
    near(slots.retiring, 26.3);
    near(slots.front_end, 6.1);
    near(slots.bad_speculation, 0.0);
    near(slots.counted, 20.0);
}

/// Zen 4, `perf stat -M PipelineL2`, numbers of the published notes of a benchmark of AVX-512 (`Avx512Pi` of PiBench): the first
/// level was not asked for.
const SECOND_LEVEL: &str = "73846352;;ex_ret_brn_misp;4;25.00;0.2;%  bad_speculation_mispredicts
;;;;;0.0;%  bad_speculation_pipeline_restarts
95052506441;;de_src_op_disp.all;4;25.00;;
5036308790;;ex_no_retire.load_not_complete;4;25.00;71.5;%  backend_bound_cpu
;;;;;4.4;%  backend_bound_memory
480522837700;;de_no_dispatch_per_slot.backend_stalls;4;25.00;;
5447384862;;ex_ret_ucode_ops;4;25.00;14.0;%  retiring_fastpath
;;;;;0.9;%  retiring_microcode
57773673933;;de_no_dispatch_per_slot.no_ops_from_frontend;4;25.00;1.6;%  frontend_bound_bandwidth
7987372736;;cpu/de_no_dispatch_per_slot.no_ops_from_frontend,cmask=0x6/;4;25.00;7.6;%  frontend_bound_latency
";

#[test]
fn parts_of_the_first_level_are_sums_of_those_of_the_second() {
    let slots = slots_of(SECOND_LEVEL).unwrap();
    near(slots.back_end, 75.9);
    near(slots.front_end, 9.2);
    near(slots.retiring, 14.9);
    near(slots.bad_speculation, 0.2);
}

#[test]
fn decimal_commas_are_read() {
    // Zen 4 under a locale with decimal commas: numbers of a published log of `perf stat -M PipelineL1,PipelineL2 -I 1000`;
    // the front end's line, which the excerpt lacks, is what remains.
    let text = "21958894;;ex_ret_brn_misp;6;19,97;5,5;%  bad_speculation_mispredicts
;;;;;0,0;%  bad_speculation_pipeline_restarts
20284275971;;de_src_op_disp.all;6;19,97;5,5;%  bad_speculation
18657737631;;ex_ret_ops;6;19,97;63,5;%  retiring
681847357;;ex_no_retire.load_not_complete;6;20,10;4,4;%  backend_bound_cpu
;;;;;7,8;%  backend_bound_memory
3602363546;;de_no_dispatch_per_slot.backend_stalls;6;20,10;12,3;%  backend_bound
1;;de_no_dispatch_per_slot.no_ops_from_frontend;6;20,00;18,7;%  frontend_bound
";
    let slots = slots_of(text).unwrap();
    near(slots.retiring, 63.5);
    near(slots.memory, 7.8);
    near(slots.counted, 20.0);
}

#[test]
fn fractions_and_percentages_are_told_apart_by_their_sum() {
    // perf before Linux 5.19 printed Intel's metrics without a unit.
    let text =
        ";;;;;0.21;Frontend_Bound\n;;;;;0.05;Bad_Speculation\n;;;;;0.44;Backend_Bound\n;;;;;0.30;Retiring\n";
    near(slots_of(text).unwrap().back_end, 44.0);
    let text =
        ";;;;;21.0;frontend bound\n;;;;;5.0;bad speculation\n;;;;;44.0;backend bound\n;;;;;30.0;retiring\n";
    near(slots_of(text).unwrap().back_end, 44.0);
    // Arm's metrics (pmu-events/arch/arm64/sbsa.json) have their unit in words.
    let text = ";;;;;21.0;percent of slots  frontend_bound\n;;;;;5.0;percent of slots  bad_speculation\n;;;;;44.0;percent of \
                slots  backend_bound\n;;;;;30.0;percent of slots  retiring\n";
    near(slots_of(text).unwrap().retiring, 30.0);
}

#[test]
fn what_contradicts_itself_gives_nothing() {
    // github.com/andikleen/pmu-tools, issue 203: perf 4.15 on Cascade Lake.
    let text = ";;;;;151.0;%  retiring\n;;;;;3.9;%  bad_speculation\n;;;;;26.0;%  frontend_bound\n;;;;;0.0;%  backend_bound\n";
    assert_eq!(slots_of(text), None);
    assert_eq!(slots_of(""), None);
    assert_eq!(
        slots_of(
            "0;;topdown-retiring;0;0;;\n0;;topdown-bad-spec;0;0;;\n0;;topdown-fe-bound;0;0;;\n0;;topdown-be-bound;0;0;;"
        ),
        None
    );
}

#[test]
fn events_that_are_not_there_are_named() {
    let text = "<not supported>;;slots:u;0;100.00;;\n<not counted>;;topdown-retiring:u;0;0.00;;\n";
    let written = parse(text.as_bytes());
    assert_eq!(
        (written.unsupported, written.uncounted),
        (vec!["slots".to_owned()], vec!["topdown-retiring".to_owned()])
    );
    assert_eq!((written.readings.len(), written.events), (0, 0));
}

#[test]
fn what_the_kernel_lists_is_asked_for_first() {
    let folder = tempfile::tempdir().unwrap();
    let with = |driver: &str, events: &[&str]| {
        let events_of = folder.path().join(driver).join("events");
        std::fs::create_dir_all(&events_of).unwrap();
        events.iter().for_each(|event| std::fs::write(events_of.join(event), "event=0").unwrap());
    };
    let asks = |number: usize| possible(folder.path()).into_iter().nth(number).unwrap();
    assert_eq!(asks(0), Ask::Metrics("TopdownL1,TopdownL2".to_owned()));
    let first = ["topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound"];
    with("cpu", &first);
    with("cpu", &["slots"]);
    // Ice Lake: the second level is known to perf's metrics only.
    assert_eq!(asks(0), Ask::Metrics("TopdownL1,TopdownL2".to_owned()));
    let one_level = "{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}";
    assert_eq!(asks(2), Ask::Events(one_level.to_owned()));
    std::fs::remove_dir_all(folder.path().join("cpu")).unwrap();
    with("cpu_core", &first);
    with("cpu_core", &["slots", "topdown-mem-bound"]);
    with("cpu_atom", &first);
    let Ask::Events(both) = asks(0) else { panic!("{:?}", asks(0)) };
    assert!(
        both.starts_with("{cpu_core/slots/,cpu_core/topdown-retiring/,")
            && both.contains("cpu_core/topdown-mem-bound/}"),
        "{both}"
    );
    assert!(both.contains(",{cpu_atom/topdown-retiring/,"), "{both}");
}

/// A perf that knows the answer: `answers` are cases of a shell by what it is asked for (`$ask`), and write to `$out`.
fn fake(folder: &Path, answers: &str) -> OsString {
    let script = format!(
        "#!/bin/sh
if [ \"$1\" = --version ]; then echo 'perf version 6.8.12'; exit 0; fi
while [ $# -gt 0 ]; do
  case $1 in
    -o) out=$2; shift;;
    -e|-M) ask=$2; shift;;
    --) break;;
  esac
  shift
done
case $ask in
{answers}
esac
exit 129
"
    );
    let perf = folder.join("perf");
    std::fs::write(&perf, script).unwrap();
    std::fs::set_permissions(&perf, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder.as_os_str().to_owned()
}

const INSTRUCTIONS: &str = "instructions:u) echo '1000;;instructions:u;9;100.00;;' > \"$out\"; exit 0;;";

#[test]
fn what_is_missing_is_said() {
    let (folder, none) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let found = |path: &OsString| find_with(Some(path), none.path());
    assert_eq!(found(&none.path().as_os_str().to_owned()), Err(Missing::NotInstalled));
    let path = fake(
        folder.path(),
        "instructions:u) echo '<not supported>;;instructions:u;0;100.00;;' > \"$out\"; exit 0;;",
    );
    assert_eq!(found(&path), Err(Missing::NoCounters));
    let path = fake(folder.path(), INSTRUCTIONS);
    assert_eq!(found(&path), Err(Missing::NoTopDown { version: "6.8.12".to_owned() }));
    std::fs::write(folder.path().join("perf"), "#!/bin/sh\necho 'perf not found for kernel 6.8'; exit 2\n")
        .unwrap();
    assert_eq!(found(&path), Err(Missing::DoesNotRun { path: folder.path().join("perf") }));
}

#[test]
fn the_first_thing_that_works_is_asked_for() {
    let (folder, none) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let answers = format!(
        "{INSTRUCTIONS}
PipelineL1,PipelineL2) echo '<not supported>;;ex_ret_ops:u;0;100.00;;' > \"$out\"; exit 0;;
PipelineL1) echo '<not counted>;;ex_ret_ops:u;0;0.00;;' > \"$out\"; exit 0;;"
    );
    let path = fake(folder.path(), &answers);
    let perf = find_with(Some(&path), none.path()).unwrap();
    assert_eq!((perf.ask, perf.version.as_str()), (Ask::Metrics("PipelineL1".to_owned()), "6.8.12"));
}

#[test]
fn the_usual_events_are_no_answer() {
    // perf 6.1 in a virtual machine, asked for `-M TopdownL1,TopdownL2`: it exits with 0. With counters the last events can come
    // late, as a short command ends before their turn.
    let usual = "0.70;msec;task-clock;700552;100.00;0.115;CPUs utilized
0;;context-switches;700552;100.00;0.000;/sec
0;;cpu-migrations;700552;100.00;0.000;/sec
50;;page-faults;700552;100.00;71.372;K/sec
<not counted>;;cycles;0;0.00;;
<not counted>;;branch-misses;0;0.00;;
";
    let (folder, none) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let zen_4 = folder.path().join("zen_4");
    std::fs::write(&zen_4, ZEN_4).unwrap();
    std::fs::write(folder.path().join("usual"), usual).unwrap();
    let answers = format!(
        "{INSTRUCTIONS}
PipelineL1,PipelineL2) cat '{}' > \"$out\"; exit 0;;
*) cat '{}' > \"$out\"; exit 0;;",
        zen_4.display(),
        folder.path().join("usual").display()
    );
    let path = fake(folder.path(), &answers);
    let perf = find_with(Some(&path), none.path()).unwrap();
    assert_eq!(perf.ask, Ask::Metrics("PipelineL1,PipelineL2".to_owned()));
}

#[test]
fn a_perf_in_a_relative_or_the_current_folder_is_not_run() {
    // The crate's folder is the current one of its tests: no perf is put there, so that the rule is tested by its folders.
    let none = tempfile::tempdir().unwrap();
    let current = std::env::current_dir().unwrap();
    for path in ["", ".", ":", "./", "src/.."] {
        assert_eq!(find_with(Some(path.as_ref()), none.path()), Err(Missing::NotInstalled), "{path}");
    }
    assert_eq!(find_with(Some(current.as_os_str()), none.path()), Err(Missing::NotInstalled));
}

/// A perf that can count by the clock of the operating system, which needs no counters; none is no failure: containers forbid it.
fn by_the_clock() -> Option<Perf> {
    let path = std::env::var_os("PATH")?;
    let mut found =
        std::env::split_paths(&path).map(|folder| folder.join("perf")).filter(|file| file.is_file());
    let perf =
        Perf { path: found.next()?, version: "any".to_owned(), ask: Ask::Events("task-clock:u".to_owned()) };
    let tried = std::process::Command::new(&perf.path)
        .args(["stat", "-e", "task-clock:u", "true"])
        .stderr(std::process::Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success()).then_some(perf)
}

#[test]
fn the_program_ends_as_without_perf_and_is_counted() {
    let Some(perf) = by_the_clock() else {
        eprintln!("skipped: there is no perf that counts here");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let environment = folder.path().join("environment");
    let script =
        format!("env > '{}'; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; ", environment.display());
    let ended = |end: &str| {
        let command = ["/bin/sh", "-c", &format!("{script}{end}")].map(OsString::from);
        let mut program = None;
        let options = RunOptions::default();
        let started = &mut |path: &Path| program = Some(path.to_owned());
        let (written, ended) = run::run(&perf, &command, &options, started, &mut |_| {}).unwrap();
        assert_eq!(program.as_deref(), Some(Path::new("/bin/sh")));
        assert_eq!((written.events, written.usual), (1, true), "{written:?}");
        ended.outcome
    };
    assert_eq!(ended("exit 7"), Outcome::Exited(7));
    assert_eq!(ended("kill -9 $$"), Outcome::Signalled(9));
    let seen = std::fs::read_to_string(environment).unwrap();
    let path = format!("PATH={}", std::env::var("PATH").unwrap());
    assert!(seen.lines().any(|line| line == path) && !seen.contains("PERF_BUILDID_DIR"), "{seen}");
}

#[test]
fn a_program_that_cannot_be_started_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fake(folder.path(), INSTRUCTIONS);
    let ask = Ask::Metrics("PipelineL1".to_owned());
    let perf = Perf { path: folder.path().join("perf"), version: "6.8".to_owned(), ask };
    let command = [folder.path().join("nothing").into_os_string()];
    assert!(measure(&perf, &command, &RunOptions::default(), &mut |_| {}).is_err());
    let nowhere = Perf { path: folder.path().join("no-perf"), ..perf };
    let command = ["/bin/sh", "-c", "exit 0"].map(OsString::from);
    let refused = measure(&nowhere, &command, &RunOptions::default(), &mut |_| {}).unwrap_err();
    assert!(refused.to_string().contains("--no-counters"), "{refused}");
}

/// Texts that look like perf's, cut and mixed.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let texts = [SAPPHIRE_RAPIDS, METRIC_GROUPS, THRESHOLDS, SMALL_CORES, TWO_KINDS, ZEN_4, SECOND_LEVEL];
    let change = (any::<prop::sample::Index>(), any::<u8>());
    (prop::sample::select(texts.to_vec()), prop::collection::vec(change, 0..40)).prop_map(
        |(text, changes)| {
            let mut bytes = text.as_bytes().to_vec();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            bytes
        },
    )
}

fn holds(written: &Written) {
    assert!(written.readings.iter().all(|reading| reading.value.is_finite()));
    if let Some(slots) = slots::of(&written.readings) {
        let shares = [slots.retiring, slots.bad_speculation, slots.front_end, slots.back_end];
        let parts = [slots.memory, slots.core, slots.mispredicts, slots.other_thread, slots.counted];
        for share in shares.into_iter().chain(parts.into_iter().flatten()) {
            assert!((0.0..=1.0).contains(&share), "{slots:?}");
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        holds(&parse(&bytes));
    }

    #[test]
    fn changed_recordings_are_read_without_a_panic(bytes in mutated()) {
        holds(&parse(&bytes));
    }
}
