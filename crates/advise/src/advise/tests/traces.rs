//! Random traces, which need not fit the loop that they are given to, against the promises of every recommendation.

use super::{any_counts, any_loop};
use crate::advise;
use crate::fixtures::{self, assert_sound, carried, carrier, traced};
use loopwright_analysis::model::{
    AccessFacts, Aliasing, CarriedScalar, GatherFacts, LoopFacts, OuterStride, ParallelVerdict, SharingFacts,
    StridePattern, VectorVerdict,
};
use loopwright_costs::estimates::LARGEST_GAIN;
use loopwright_patterns::facts::{AccessKind, DependenceKind};
use proptest::prelude::*;

/// Shares as traces give them, and as a foreign recording might.
fn share() -> impl Strategy<Value = f64> {
    prop_oneof![8 => 0.0..=1.0f64, 1 => prop::sample::select(vec![-1.0, 7.0])]
}

fn size() -> impl Strategy<Value = u64> {
    prop::sample::select(vec![0u64, 1, 100, 5000, 1 << 20, 1 << 26, 1 << 40, u64::MAX])
}

fn any_access() -> impl Strategy<Value = AccessFacts> {
    let pattern = prop::sample::select(vec![
        StridePattern::Uniform,
        StridePattern::Unit,
        StridePattern::Constant,
        StridePattern::Variable,
    ]);
    let kind = prop::sample::select(vec![AccessKind::Load, AccessKind::Store, AccessKind::Update]);
    let bytes = || {
        prop::option::of(prop::sample::select(vec![
            0i64,
            8,
            -8,
            12,
            24,
            64,
            4096,
            1 << 40,
            i64::MIN,
            i64::MAX,
        ]))
    };
    let names = prop::sample::select(vec![None, Some("x[k[i]]"), Some("a[i*3]"), Some(""), Some("((")]);
    let lanes = prop::option::of((bytes(), share(), share(), 0.0..16.0f64, 0.0..16.0f64));
    let outer = prop::option::of((prop::option::of(0u32..6), bytes()));
    let shares = prop::array::uniform6(share());
    let sizes = (size(), prop::option::of(size()), prop::option::of(share()), prop::option::of(0u32..3));
    let widths =
        (prop::sample::select(vec![0u32, 4, 8]), prop::sample::select(vec![0u32, 8, 32, 64]), 0u32..9);
    (pattern, kind, bytes(), bytes(), names, lanes, outer, shares, sizes, widths, any::<bool>()).prop_map(
        |(pattern, kind, stride, machine, name, lanes, outer, shares, sizes, widths, flag)| {
            let (executions, footprint, utilisation, array) = sizes;
            let (element, operand, factor) = widths;
            let elements = |bytes: Option<i64>| bytes.and_then(|b| b.checked_div(i64::from(element)));
            AccessFacts {
                operand: name.map(str::to_owned),
                kind,
                element_bytes: element,
                operand_bytes: operand,
                lanes: factor,
                pattern,
                stride_bytes: stride,
                stride_elements: elements(stride),
                machine_stride_bytes: machine,
                machine_stride_elements: elements(machine),
                source_factor: factor,
                ascending_share: shares[0],
                same_line_share: shares[1],
                same_page_share: shares[2],
                line_split_share: shares[3],
                page_split_share: shares[4],
                unaligned_share: shares[5],
                outer: outer
                    .map(|(loop_id, stride_bytes)| OuterStride {
                        loop_id,
                        place: "kernel.c:9".into(),
                        pattern: StridePattern::Constant,
                        stride_bytes,
                        usual_bytes: stride_bytes.filter(|bytes| bytes % 3 == 0),
                    })
                    .into_iter()
                    .collect(),
                executions,
                utilisation,
                footprint_bytes: footprint,
                array,
                gather: lanes.map(|(apart, affine, ascending, lines, active)| GatherFacts {
                    lane_stride_bytes: apart,
                    affine_share: affine,
                    ascending_share: ascending,
                    lines_per_execution: lines,
                    active_lanes: active,
                }),
                frame: flag && factor == 0,
                streaming: flag && factor == 1,
                ..AccessFacts::default()
            }
        },
    )
}

/// What is done to a loop, in one closure.
fn any_trace() -> impl Strategy<Value = Trace> {
    let level = || (share().prop_map(|s| s * 1000.0), 0.0..100.0f64);
    (
        prop::collection::vec(any_access(), 0..5),
        prop::option::of((level(), level(), level())),
        prop::option::of((0.0..3.0f64, 0.0..3.0f64)),
        prop::option::of((prop::option::of(0u32..6), share(), 0.0..1e12f64)),
        prop::option::of((size(), share(), size())),
        prop::option::of((0usize..5, 0usize..4, size(), size(), 0u64..12, any::<bool>())),
        (size(), size(), any::<bool>()),
    )
        .prop_map(|(accesses, caches, tlb, carrier, sharing, verdict, footprint)| Trace {
            accesses,
            caches,
            tlb,
            carrier,
            sharing,
            verdict,
            footprint,
        })
}

type Level = (f64, f64);

#[derive(Clone, Debug)]
struct Trace {
    accesses: Vec<AccessFacts>,
    caches: Option<(Level, Level, Level)>,
    tlb: Option<(f64, f64)>,
    carrier: Option<(Option<u32>, f64, f64)>,
    sharing: Option<(u64, f64, u64)>,
    verdict: Option<(usize, usize, u64, u64, u64, bool)>,
    footprint: (u64, u64, bool),
}

impl Trace {
    fn give_to(self, l: &mut LoopFacts) {
        let mut memory = loopwright_analysis::model::MemoryFacts {
            traced_iterations: self.footprint.0,
            footprint_line_bytes: self.footprint.1,
            footprint_pages: self.footprint.1 / 4096,
            footprint_is_bound: self.footprint.2,
            aliasing_4k: vec![Aliasing { store: 0, load: 1, offset: 8, share: 0.5 }],
            ..Default::default()
        };
        memory
            .reuse_carriers
            .extend(self.carrier.map(|(id, share, bytes)| carrier(id, "kernel.c:9", share, bytes)));
        l.memory = Some(memory);
        if let Some((first, second, third)) = self.caches {
            fixtures::in_caches(l, [first, second, third]);
        }
        if let Some((first, second)) = self.tlb {
            fixtures::tlb(l, first, second);
        }
        l.access = self.accesses;
        l.sharing = self.sharing.map(|(lines, share, true_lines)| SharingFacts {
            false_lines: lines,
            false_share: share,
            true_lines,
            true_share: share,
            example: vec!["thread 0 writes".into()],
        });
        if let Some((vector, parallel, iterations, entries, distance, flag)) = self.verdict {
            use {ParallelVerdict as P, VectorVerdict as V};
            let vectors = [V::Safe, V::SafeWithReductions, V::SafeUpTo, V::Unsafe, V::Unknown];
            let parallels = [P::Independent, P::WithClauses, P::Dependent, P::Unknown];
            fixtures::checked(l, vectors[vector], parallels[parallel]);
            if let Some(found) = &mut l.dependence {
                (found.checked_iterations, found.checked_entries, found.exhaustive) =
                    (iterations, entries, flag);
                found.max_length = flag.then_some(distance);
                found.found = vec![carried(DependenceKind::Anti, distance)];
                let scalar = |name: &str| CarriedScalar { name: name.into(), ..CarriedScalar::default() };
                found.reductions = vec![scalar("sum"), scalar("xmm0"), scalar("")];
                found.private = vec![scalar("t")];
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn whatever_the_traces_every_recommendation_is_sound(
        loops in prop::collection::vec((any_loop(), any_trace(), prop::option::of(any_counts())), 1..5),
        with_machine in any::<bool>(), busy in 1usize..4, exhaustive in any::<bool>(),
    ) {
        let traced_loops = loops.into_iter().map(|(mut l, trace, counts)| {
            if let Some(counts) = counts { counts.give_to(&mut l); }
            trace.give_to(&mut l);
            l
        });
        let mut analysis = traced(traced_loops.collect());
        analysis.program.cpus_allowed = 8;
        analysis.program.cpu_usage = vec![0.1; busy + 1];
        if let Some(tracing) = &mut analysis.tracing { tracing.exhaustive = exhaustive; }
        if !with_machine { analysis.machine = None; }
        let all = advise(&analysis);
        for r in &all {
            assert_sound(r);
            let text = format!("{} {}", r.title, r.said().join(" "));
            prop_assert!(!text.contains("NaN") && !text.contains("inf "), "{}: {text}", r.id);
            prop_assert!(r.loop_gain.is_none_or(|g| g.high() <= LARGEST_GAIN));
        }
        prop_assert_eq!(&all, &advise(&analysis), "the same facts give the same advice");
        // What was seen is never promised away.
        for l in &analysis.loops {
            let real = l.dependence.as_ref().is_some_and(|d| d.vector == VectorVerdict::Unsafe);
            let of = |r: &&crate::Recommendation| r.loop_id == Some(l.id) && r.id == "assert-independence";
            let alone = analysis.loops.iter().filter(|other| other.group == l.group).count() == 1;
            prop_assert!(!(real && alone && all.iter().any(|r| of(&r))));
        }
    }
}
