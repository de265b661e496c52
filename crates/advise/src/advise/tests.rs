//! Order, repetition, composition; and random programs against the promises of every recommendation.

use super::*;
use crate::fixtures::{
    self, assert_sound, call, ceilings, chain, module, scalar_loop, stride, vector_loop, with_loops,
};
use crate::recommendation::Confidence;
use loopwright_analysis::model::{ByThread, ElapsedFacts, Imbalance, LoopFacts, Provenance, WhyNot};
use loopwright_binary::facts::{ChainKind, ElementType, Idiom, LoopRole, Trait};
use proptest::prelude::*;

mod traces;

#[test]
fn the_most_valuable_comes_first() {
    let small = scalar_loop(|l| {
        (l.id, l.group) = (2, 2);
        (l.self_share, l.group_share) = (0.1, 0.1);
    });
    let all = advise(&with_loops(vec![small, scalar_loop(|_| ())]));
    assert!(all.len() >= 2);
    assert_eq!(all[0].loop_id, Some(1));
    let gains: Vec<f64> = all.iter().map(|r| r.program_gain.map_or(0.0, Gain::likely)).collect();
    assert!(gains.is_sorted_by(|a, b| a >= b), "{gains:?}");
}

#[test]
fn a_hint_is_not_the_first_while_something_surer_is_worth_making() {
    let advice = |id: &str, confidence, high: f64| {
        let mut new = advise(&with_loops(vec![scalar_loop(|_| ())])).remove(0).gain(1.0, Gain::up_to(high));
        (new.id, new.confidence) = (id.to_owned(), confidence);
        new
    };
    let order = |mut all: Vec<Recommendation>| -> Vec<String> {
        all.sort_by(by_value);
        lead_with_the_surest_gain(&mut all);
        all.into_iter().map(|r| r.id).collect()
    };
    let threads = || advice("threads", Confidence::Low, 30.0);
    let sure = |high| advice("sure", Confidence::High, high);
    let other = || advice("other", Confidence::Low, 10.0);
    assert_eq!(order(vec![threads(), other(), sure(1.3)]), ["sure", "threads", "other"]);
    assert_eq!(order(vec![threads(), sure(1.01)]), ["threads", "sure"], "not worth making");
    assert_eq!(order(vec![other(), threads()]), ["threads", "other"]);
}

#[test]
fn a_surer_rule_replaces_the_general_one() {
    let sum = scalar_loop(|l| l.chains = vec![chain(ChainKind::InOrderSum, "xmm1", 4)]);
    let ids: Vec<String> = advise(&with_loops(vec![sum])).into_iter().map(|r| r.id).collect();
    assert!(ids.contains(&"reorder-fp-sum".to_owned()));
    assert!(!ids.contains(&"unexplained-scalar-loop".to_owned()), "{ids:?}");
}

#[test]
fn few_samples_lower_the_confidence() {
    let sum = |samples| {
        scalar_loop(move |l| (l.chains, l.samples) = (vec![chain(ChainKind::InOrderSum, "xmm1", 4)], samples))
    };
    let of = |samples| {
        advise(&with_loops(vec![sum(samples)])).into_iter().find(|r| r.id == "reorder-fp-sum").unwrap()
    };
    assert_eq!(of(1000).confidence, Confidence::High);
    assert_eq!(of(10).confidence, Confidence::Medium);
}

#[test]
fn one_loop_counts_once_in_the_combined_gain() {
    let sum = scalar_loop(|l| {
        l.chains = vec![chain(ChainKind::InOrderSum, "xmm1", 4)];
        (l.instruction_mix.divide, l.operands.invariant_divisors) = (1, 1);
    });
    let all = advise(&with_loops(vec![sum]));
    assert!(all.iter().filter(|r| r.loop_gain.is_some()).count() >= 2, "several things are said of it");
    let together = combined(&all).unwrap();
    assert_eq!(together.parts, 1);
    let best = all.iter().filter_map(|r| Some(r.loop_gain?.of_program(r.share?).high())).fold(1.0, f64::max);
    assert!((together.program_gain.high() - best).abs() < 1e-9);
    assert_eq!(combined(&[]), None);
}

#[test]
fn the_contract_of_the_json() {
    let all =
        advise(&with_loops(vec![scalar_loop(|l| l.chains = vec![chain(ChainKind::InOrderSum, "xmm1", 4)])]));
    let first = all.iter().find(|r| r.id == "reorder-fp-sum").unwrap();
    let json = serde_json::to_value(first).unwrap();
    let gain = json["loop_gain"].as_array().unwrap();
    assert!(gain.len() == 2 && gain.iter().all(serde_json::Value::is_f64));
    assert_eq!(json["confidence"], "high");
    assert!(json["evidence"].is_array() && json["how"].is_string());
    assert_eq!(json["case"], "lbm-solver");
    assert!(json.get("environment").is_none(), "absent facts are absent keys");
}

#[test]
fn an_empty_program_gets_no_advice() {
    assert_eq!(advise(&Analysis { modules: vec![], ..fixtures::program() }), vec![]);
}

fn any_loop() -> impl Strategy<Value = LoopFacts> {
    let traits = prop::sample::subsequence(
        vec![
            Trait::Gather,
            Trait::Scatter,
            Trait::Shuffle,
            Trait::Insert,
            Trait::Conversion,
            Trait::FloatWidthConversion,
            Trait::Divide,
            Trait::IntegerDivide,
            Trait::SquareRoot,
            Trait::Spill,
            Trait::Atomic,
            Trait::IndirectCall,
            Trait::EarlyExit,
            Trait::Masked,
            Trait::StringOp,
        ],
        0..6,
    );
    let kinds = prop::collection::vec(
        (
            prop::sample::select(vec![
                ChainKind::InOrderSum,
                ChainKind::VectorReduction,
                ChainKind::PointerChase,
                ChainKind::Recurrence,
                ChainKind::Induction,
            ]),
            0u32..40,
        ),
        0..4,
    );
    let strides = prop::collection::vec(
        (-300i64..300, prop::sample::select(vec![0u32, 1, 4, 8, 16, 32, 64]), any::<bool>()),
        0..6,
    );
    let mix = prop::array::uniform8(0u32..30);
    let role = prop::sample::select(vec![
        LoopRole::Whole,
        LoopRole::Body,
        LoopRole::Peel,
        LoopRole::Remainder,
        LoopRole::Version,
    ]);
    let reasons = prop::collection::vec(
        prop::sample::select(vec!["cost-model", "opaque-call", "nonsense", "fp-reduction-order"]),
        0..2,
    );
    let shape = (
        any::<bool>(),
        any::<bool>(),
        prop::option::of(0u64..200),
        prop::option::of(any::<bool>()),
        0u32..60,
        role,
    );
    (traits, kinds, strides, mix, reasons, shape, 0.0..=1.0f64, 1u32..6).prop_map(
        |(
            traits,
            kinds,
            strides,
            mix,
            reasons,
            (packed, innermost, trips, idiom, instructions, role),
            share,
            id,
        )| {
            let build = |l: &mut LoopFacts| {
                (l.id, l.group, l.role, l.innermost, l.constant_trips) = (id, id % 3, role, innermost, trips);
                (l.self_share, l.group_share, l.total_share, l.self_seconds) =
                    (share, share, share, share * 10.0);
                l.traits = traits;
                l.chains = kinds.into_iter().map(|(kind, latency)| chain(kind, "xmm0", latency)).collect();
                l.strides =
                    strides.into_iter().map(|(bytes, size, store)| stride(bytes, size, store)).collect();
                let m = &mut l.instruction_mix;
                [
                    m.fp_scalar,
                    m.fp_vector,
                    m.load,
                    m.store,
                    m.shuffle,
                    m.divide,
                    m.square_root,
                    m.conversion,
                ] = mix;
                l.instructions = instructions;
                l.idiom = idiom.map(|set| if set { Idiom::Memset } else { Idiom::Memcpy });
                l.parent = Some(99);
                l.calls = if instructions % 3 == 0 { vec![call(Some("exp")), call(None)] } else { vec![] };
                l.types = if instructions % 2 == 0 {
                    vec![ElementType::F32, ElementType::F64]
                } else {
                    vec![ElementType::F80]
                };
                l.why_not = reasons
                    .into_iter()
                    .map(|reason| WhyNot {
                        reason: reason.into(),
                        compiler: Some("gcc".into()),
                        message: "m".into(),
                        file: None,
                        line: None,
                        provenance: Provenance::Compiler,
                    })
                    .collect();
            };
            if packed { vector_loop(build) } else { scalar_loop(build) }
        },
    )
}

/// A machine that others use makes a program wait for a CPU: that time is the program's own work, stretched.
#[test]
fn what_others_take_of_the_cpus_is_no_idle_time() {
    let of = |running: f64, ready: f64, blocked: f64| {
        let mut analysis = with_loops(vec![scalar_loop(|l| l.self_seconds = 9.0)]);
        analysis.program.elapsed = Some(ElapsedFacts {
            running_seconds: running,
            ready_seconds: ready,
            blocked_seconds: blocked,
            ..ElapsedFacts::default()
        });
        let found = advise(&analysis).into_iter().find(|r| r.loop_id.is_some()).expect("advice on the loop");
        found.share.unwrap()
    };
    let whole = of(10.0, 0.0, 0.0);
    assert_eq!(of(10.0, 90.0, 0.0), whole);
    assert!((of(10.0, 0.0, 10.0) - whole / 2.0).abs() < 1e-9);
    assert!((of(10.0, 80.0, 10.0) - whole / 2.0).abs() < 1e-9);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn whatever_the_facts_every_recommendation_is_sound(
        loops in prop::collection::vec(any_loop(), 0..5),
        vector_bits in prop::sample::select(vec![0u32, 64, 128, 256, 512]),
        with_machine in any::<bool>(), with_ceilings in any::<bool>(), library in any::<bool>(),
        faults in 0u64..10_000_000, system in 0.0..20.0f64,
    ) {
        let mut analysis = with_loops(loops);
        if library { analysis.modules.push(module("/usr/lib/libblas.so.3", 0.3, false)); }
        (analysis.program.minor_faults, analysis.program.system_seconds) = (faults, system);
        let m = analysis.machine.as_mut().unwrap();
        m.vector_bits = vector_bits;
        m.ceilings = with_ceilings.then(ceilings);
        if !with_machine { analysis.machine = None; }
        let all = advise(&analysis);
        for r in &all { assert_sound(r); }
        let again = advise(&analysis);
        prop_assert_eq!(&all, &again, "the same facts give the same advice");
        if let Some(together) = combined(&all) {
            prop_assert!(together.program_gain.low() >= loopwright_costs::estimates::SMALLEST_GAIN);
        }
        let mut keys: Vec<_> = all.iter().map(|r| (r.id.clone(), r.group, r.place.clone().filter(|_| r.group.is_none()))).collect();
        let before = keys.len();
        keys.sort();
        keys.dedup();
        prop_assert_eq!(keys.len(), before, "nothing is said twice");
    }

    #[test]
    fn whatever_the_counts_every_recommendation_is_sound(
        loops in prop::collection::vec((any_loop(), any_counts()), 1..5),
        resident in prop::sample::select(vec![0u64, 1 << 20, 1 << 30, u64::MAX]), threads in 0u32..9,
        calls in prop::option::of(any::<u64>()), with_ceilings in any::<bool>(), elapsed in 0.0..20.0f64,
    ) {
        let counted = loops.into_iter().map(|(mut l, counts)| { counts.give_to(&mut l); l });
        let mut analysis = with_loops(counted.collect());
        (analysis.program.peak_resident_bytes, analysis.program.threads) = (resident, threads);
        analysis.program.elapsed_seconds = elapsed;
        if let Some(machine) = &mut analysis.machine { machine.ceilings = with_ceilings.then(ceilings); }
        for name in ["exp", "kernel", "kernel._omp_fn.0"] {
            let mut of = fixtures::function(name, "app", 0.3);
            (of.calls, of.complete) = (calls, Some(true));
            of.work = analysis.loops[0].work.clone();
            analysis.functions.push(of);
        }
        let all = advise(&analysis);
        for r in &all {
            assert_sound(r);
            let text = r.said().join(" ");
            prop_assert!(!text.contains("NaN") && !text.contains("inf "), "{}: {text}", r.id);
        }
        prop_assert_eq!(&all, &advise(&analysis));
    }
}

/// Counts that need not fit the loop they are given to: another build, another input, lost blocks.
#[derive(Clone, Debug)]
struct Counts {
    entries: u64,
    each: u64,
    scale: [u64; 3],
    shares: (f64, f64),
    level: &'static str,
    headroom: f64,
    partly: bool,
    imbalance: (f64, f64),
}

impl Counts {
    fn give_to(&self, l: &mut LoopFacts) {
        fixtures::count(l, self.entries, self.each);
        fixtures::bound_by(l, self.level, self.headroom);
        if let Some(work) = &mut l.work {
            work.flop = work.flop.saturating_mul(self.scale[0]);
            work.bytes_stored = work.bytes_stored.saturating_mul(self.scale[1]);
            work.instructions = work.instructions.saturating_mul(self.scale[2]);
            (work.fma_share, work.packed_share) = (Some(self.shares.0), Some(self.shares.1));
        }
        if let Some(trips) = &mut l.trip_count {
            trips.source_share = Some(self.shares.0);
            if self.partly {
                (trips.entries, trips.source_mean, trips.group_complete) = (None, None, false);
            }
        }
        let (max, mean) = self.imbalance;
        let time = Imbalance { threads: 4, max, mean, excess: max - mean, share: self.shares.1 };
        l.by_thread = Some(ByThread { time_imbalance: Some(time), ..ByThread::default() });
    }
}

fn any_counts() -> impl Strategy<Value = Counts> {
    let size = || prop::sample::select(vec![0u64, 1, 7, 1000, 10_000_000, 1 << 30]);
    let scale = prop::array::uniform3(prop::sample::select(vec![0u64, 1, 1, 2, 1000]));
    let level = prop::sample::select(vec!["DRAM", "L3", "L1", "AVX2 f64"]);
    let imbalance = (0.0..9.0f64, 0.0..9.0f64).prop_map(|(a, b)| (a.max(b), a.min(b)));
    (size(), size(), scale, (0.0..=1.0f64, 0.0..=1.0f64), level, 0.1..9.0f64, any::<bool>(), imbalance)
        .prop_map(|(entries, each, scale, shares, level, headroom, partly, imbalance)| Counts {
            entries,
            each,
            scale,
            shares,
            level,
            headroom,
            partly,
            imbalance,
        })
}
