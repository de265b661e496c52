use super::*;
use loopwright_experiment::Run;
use loopwright_sample::top_down::{Ask, Part, Reading, TopDown, Unit};

/// Sapphire Rapids, `perf stat sleep 1`: the shares that perf printed for the commit message of "perf stat: Add Topdown metrics L2
/// events as default events" (Kan Liang, 2021).
fn sapphire_rapids() -> Slots {
    Slots {
        retiring: 0.184,
        bad_speculation: 0.152,
        front_end: 0.332,
        back_end: 0.332,
        memory: Some(0.172),
        core: Some(0.160),
        mispredicts: Some(0.145),
        ..Slots::default()
    }
}

/// Zen 4, SHA-256 (D. Bakhvalov, github.com/dendibakh/perf-book, "TMA on AMD Platforms").
fn zen_4() -> Slots {
    Slots {
        retiring: 0.263,
        bad_speculation: 0.0,
        front_end: 0.061,
        back_end: 0.675,
        memory: Some(0.017),
        core: Some(0.659),
        ..Slots::default()
    }
}

/// Granite Rapids, a loop of well predicted branches that is nearly as fast as the core can be (a published study of the history
/// that predictors keep).
fn granite_rapids() -> Slots {
    Slots {
        retiring: 0.719,
        bad_speculation: 0.012,
        front_end: 0.012,
        back_end: 0.258,
        memory: Some(0.082),
        core: Some(0.176),
        ..Slots::default()
    }
}

fn names(slots: &Slots) -> Vec<SlotPart> {
    binds(slots).iter().map(|bound| bound.part).collect()
}

fn compared(slots: &Slots, causes: &[(CauseKind, f64)]) -> TopDownComparison {
    compare(&binds(slots), causes).unwrap()
}

#[test]
fn parts_at_their_thresholds_are_where_to_look() {
    assert_eq!(names(&sapphire_rapids()), [SlotPart::FrontEnd, SlotPart::Core, SlotPart::BadSpeculation]);
    assert_eq!(names(&zen_4()), [SlotPart::Core]);
    assert_eq!(names(&granite_rapids()), [SlotPart::Retiring, SlotPart::Core]);
    let one_level = Slots { memory: None, core: None, ..zen_4() };
    assert_eq!(names(&one_level), [SlotPart::BackEnd]);
    // The halves of a back end that loses little are not looked at.
    let small = Slots { back_end: 0.18, memory: Some(0.05), core: Some(0.13), ..granite_rapids() };
    assert_eq!(names(&small), [SlotPart::Retiring]);
}

#[test]
fn what_the_counters_confirm_agrees() {
    let chain = compared(&zen_4(), &[(CauseKind::ChainLatency, 0.7), (CauseKind::BandwidthMemory, 0.1)]);
    assert_eq!(chain.agreement, Agreement::Agrees);
    assert!(
        (chain.measured_share - 0.8).abs() < 1e-9 && (chain.confirmed_share - 0.875).abs() < 1e-9,
        "{chain:?}"
    );
    let expected: Vec<_> = chain.expected.iter().map(|part| part.part).collect();
    assert_eq!(expected, [SlotPart::Core, SlotPart::Memory]);
    let one_level = Slots { memory: None, core: None, ..zen_4() };
    for kind in [CauseKind::ChainLatency, CauseKind::BandwidthL3, CauseKind::LoadPorts] {
        assert_eq!(compared(&one_level, &[(kind, 0.9)]).agreement, Agreement::Agrees, "{kind:?}");
    }
}

#[test]
fn a_loop_that_fills_the_core_retires() {
    for kind in [CauseKind::FrontEnd, CauseKind::IntegerPorts, CauseKind::FloatPorts, CauseKind::LoadPorts] {
        let answer = compared(&granite_rapids(), &[(kind, 0.95)]);
        assert_eq!(answer.agreement, Agreement::Agrees, "{kind:?}: {answer:?}");
    }
}

#[test]
fn what_they_do_not_confirm_differs() {
    let memory = compared(&zen_4(), &[(CauseKind::MemoryLatency, 0.9)]);
    assert_eq!((memory.agreement, memory.confirmed_share), (Agreement::Differs, 0.0));
    let missed = compared(&granite_rapids(), &[(CauseKind::BranchMisses, 0.9)]);
    assert_eq!(missed.agreement, Agreement::Differs);
}

#[test]
fn a_large_loss_without_a_cause_differs() {
    let slots = Slots {
        retiring: 0.1,
        front_end: 0.2,
        back_end: 0.65,
        memory: Some(0.6),
        core: Some(0.05),
        ..zen_4()
    };
    let answer = compared(&slots, &[(CauseKind::FrontEnd, 0.8)]);
    assert_eq!((answer.agreement, answer.unexplained), (Agreement::Differs, Some(SlotPart::Memory)));
    // It can be in the time that was not measured.
    let answer = compared(&slots, &[(CauseKind::FrontEnd, 0.35), (CauseKind::FrontEnd, 0.18)]);
    assert_eq!((answer.agreement, answer.unexplained), (Agreement::Differs, Some(SlotPart::Memory)));
    let less = Slots { memory: Some(0.4), core: Some(0.05), back_end: 0.45, retiring: 0.3, ..slots };
    assert_eq!(compared(&less, &[(CauseKind::FrontEnd, 0.53)]).agreement, Agreement::Agrees);
}

#[test]
fn counts_of_the_whole_program_are_not_compared_with_little_of_it() {
    assert_eq!(compared(&zen_4(), &[(CauseKind::ChainLatency, 0.3)]).agreement, Agreement::TooLittle);
    assert_eq!(compare(&binds(&zen_4()), &[]), None);
}

fn run(build_id: Option<&str>, retiring: f64) -> Run<TopDown> {
    let parts = [
        (Part::Retiring, retiring),
        (Part::BadSpeculation, 5.0),
        (Part::FrontEnd, 10.0),
        (Part::BackEnd, 85.0 - retiring),
    ];
    let reading =
        |(part, value)| Reading { part, value, unit: Unit::Percent, counted: Some(1.0), cores: None };
    let facts = TopDown {
        executable: "/bin/a".into(),
        build_id: build_id.map(str::to_owned),
        perf_version: "6.8".into(),
        asked: Ask::Metrics("PipelineL1".into()),
        readings: parts.into_iter().map(reading).collect(),
        user_only: true,
    };
    Run { facts, ..Run::default() }
}

#[test]
fn the_newest_run_of_the_build_is_shown() {
    use loopwright_sample::recording::{Module, ModuleKind, Recording};
    let module = Module { path: "/bin/a".into(), kind: ModuleKind::File, build_id: Some("01".into()) };
    let survey = Run { facts: Recording { modules: vec![module], ..Recording::default() }, ..Run::default() };
    let runs = vec![run(Some("01"), 20.0), run(Some("01"), 30.0), run(Some("02"), 40.0)];
    let mut all = Facts { surveys: vec![survey], top_down: runs, ..Facts::default() };
    for (id, run) in (2..).zip(&mut all.top_down) {
        run.id = id;
    }
    let shown = crate::analyse(&all).top_down.unwrap();
    assert!((shown.retiring - 0.3).abs() < 1e-9, "{shown:?}");
    assert_eq!((shown.counted_share, shown.asked.as_str(), shown.comparison), (None, "PipelineL1", None));
    all.top_down.truncate(0);
    assert_eq!(crate::analyse(&all).top_down, None);
}
