//! With slack no promise; with a busy resource no more than the next one leaves.

use super::*;
use crate::fixtures::{chain, fired_on, scalar_loop};
use crate::rules;
use loopwright_analysis::model::CauseKind as Kind;
use loopwright_binary::facts::ChainKind;
use loopwright_costs::Microarchitecture;

fn bound_by(causes: &[(Kind, f64)]) -> Bottleneck {
    let measured = |kind| !MEMORY.contains(&kind) && kind != Kind::ChainLatency && kind != Kind::BranchMisses;
    let provenance = |kind| if measured(kind) { Provenance::Measured } else { Provenance::Modelled };
    let cause = |&(kind, share): &(Kind, f64)| Cause { kind, share, provenance: provenance(kind) };
    let causes: Vec<Cause> = causes.iter().map(cause).collect();
    Bottleneck {
        iteration_ns: 1.0,
        iteration_cycles: Some(3.0),
        sampled_ns: None,
        core_shared: None,
        serial_share: None,
        verdict: causes[..1].to_vec(),
        causes,
        resources: Vec::new(),
        changed_at: None,
        counted_in_memory: false,
        windows: 1000,
        disturbed: 0,
    }
}

/// What a rule's gain becomes at most, of 8.0 before; none where it says nothing.
fn left(rule: &str, bottleneck: Bottleneck) -> Option<f64> {
    let subject = scalar_loop(|l| l.bottleneck = Some(bottleneck));
    let analysis = crate::fixtures::with_loops(vec![subject]);
    let facts = Facts::new(&analysis);
    let of = &analysis.loops[0];
    let rule = rules::by_id(rule).expect("a rule");
    let new = facts.about_loop(rule, of).gain(of.group_share, (1.5, 8.0));
    bounded(new, of, &facts).map(|new| new.loop_gain.expect("a gain").high())
}

fn near(is: Option<f64>, expected: f64) -> bool {
    is.is_some_and(|is| (is - expected).abs() < 1e-6)
}

#[test]
fn several_accumulators_relieve_the_chain_alone() {
    let slack = bound_by(&[(Kind::FloatPorts, 0.99), (Kind::ChainLatency, 0.2)]);
    assert_eq!(left("latency-bound-chain", slack), None);
    let busy = bound_by(&[(Kind::ChainLatency, 1.0), (Kind::LoadPorts, 0.5)]);
    assert!(near(left("latency-bound-chain", busy), 2.0));
}

#[test]
fn vectors_relieve_ports_and_leave_bandwidth() {
    let at_memory = bound_by(&[(Kind::BandwidthMemory, 1.0), (Kind::FloatPorts, 0.3)]);
    assert!(near(left("hot-scalar-loop", at_memory), 1.35), "as far as the model may be wrong");
    let at_ports = bound_by(&[(Kind::FloatPorts, 0.99), (Kind::BandwidthL2, 0.27)]);
    // Four lanes of f64 in 256 bits.
    assert!(near(left("hot-scalar-loop", at_ports), 4.0 / 0.99));
}

#[test]
fn vectors_relieve_the_divider_as_the_core_divides() {
    let most = |core| {
        let dividing = bound_by(&[(Kind::Divider, 1.0), (Kind::FloatPorts, 0.3)]);
        let subject = scalar_loop(|l| l.bottleneck = Some(dividing));
        let mut analysis = crate::fixtures::with_loops(vec![subject]);
        analysis.machine.as_mut().expect("a machine").core = core;
        let facts = Facts::new(&analysis);
        let of = &analysis.loops[0];
        let rule = rules::by_id("hot-scalar-loop").expect("a rule");
        let new = facts.about_loop(rule, of).gain(of.group_share, (1.5, 8.0));
        bounded(new, of, &facts).and_then(|new| new.loop_gain).map(|gain| gain.high())
    };
    // Four lanes of f64: the divider of Skylake takes twice as long for them as for one, that of Zen 4 as long.
    assert!(near(most(Some(Microarchitecture::Skylake)), 2.0));
    assert!(near(most(Some(Microarchitecture::Zen4)), 4.0));
    assert!(near(most(None), 4.0), "an unknown core bounds by its lanes");
}

#[test]
fn less_traffic_gains_nothing_where_bandwidth_has_slack() {
    for rule in ["bandwidth-bound", "distant-reuse", "tlb-reach", "write-allocate"] {
        assert_eq!(left(rule, bound_by(&[(Kind::IntegerPorts, 0.99), (Kind::BandwidthL2, 0.1)])), None);
        let busy = bound_by(&[(Kind::BandwidthMemory, 1.0), (Kind::LoadPorts, 0.4)]);
        assert!(near(left(rule, busy), 2.5), "{rule}");
    }
}

#[test]
fn fewer_divisions_relieve_the_divider() {
    for rule in ["divide-by-invariant", "divide-or-root-bound", "integer-divide"] {
        assert_eq!(left(rule, bound_by(&[(Kind::LoadPorts, 1.0), (Kind::Divider, 0.1)])), None, "{rule}");
        assert!(near(left(rule, bound_by(&[(Kind::Divider, 1.0), (Kind::LoadPorts, 0.5)])), 2.0), "{rule}");
    }
}

#[test]
fn fused_operations_and_registers_relieve_what_they_leave_out() {
    for rule in ["no-fma", "float-width-conversion"] {
        assert_eq!(left(rule, bound_by(&[(Kind::LoadPorts, 1.0), (Kind::FloatPorts, 0.2)])), None, "{rule}");
    }
    assert_eq!(left("register-spills", bound_by(&[(Kind::FloatPorts, 1.0)])), None);
    assert_eq!(left("split-accesses", bound_by(&[(Kind::FloatPorts, 1.0)])), None);
}

#[test]
fn without_a_verdict_nothing_is_bounded() {
    let mut unclear = bound_by(&[(Kind::FloatPorts, 0.99)]);
    unclear.verdict.clear();
    assert!(near(left("latency-bound-chain", unclear), 8.0));
    let replaced = bound_by(&[(Kind::FloatPorts, 0.99)]);
    assert!(near(left("all-pairs-search", replaced), 8.0), "another algorithm");
}

#[test]
fn a_rule_that_fires_says_what_was_measured() {
    let sum = |bottleneck| {
        fired_on(
            rules::by_id("in-order-fp-sum").expect("a rule"),
            scalar_loop(|l| {
                l.chains = vec![chain(ChainKind::InOrderSum, "xmm1", 4)];
                l.bottleneck = bottleneck;
            }),
        )
        .expect("it fires")
    };
    let (before, after) =
        (sum(None), sum(Some(bound_by(&[(Kind::ChainLatency, 1.0), (Kind::BandwidthL2, 0.9)]))));
    let (before, after) =
        (before.loop_gain.expect("a gain"), (after.loop_gain.expect("a gain"), after.said()));
    assert!(before.high() > 1.6 && near(Some(after.0.high()), 1.5), "{before:?} {after:?}");
    let said = "so at most 1.5 times faster (modelled)";
    assert!(after.1.iter().any(|fact| fact.contains(said)), "{after:?}");
}
