use super::curve::{busy, room};
use super::*;
use crate::model::{AccessFacts, BranchFacts, CurvePoint, MemoryFacts, StridePattern};
use loopwright_binary::facts::{CarriedChain, ChainKind, OperandUse};
use loopwright_costs::Core;
use loopwright_instrument::injected::{OperationCost, Timing, VersionTiming};
use loopwright_vocabulary::VectorWidth;

fn points(points: &[(u32, f64)]) -> Vec<CurvePoint> {
    let point = |&(operations, ratio): &(u32, f64)| CurvePoint { operations, ratio, low: ratio, high: ratio };
    points.iter().map(point).collect()
}

/// Recorded on Zen 4: the loads of an in-order sum and of a loop of table look-ups, in ticks of 0.38 ns.
#[test]
fn the_least_difference_is_the_loops_own_share() {
    let sum = points(&[(3, 1.034), (6, 1.039), (12, 1.287), (23, 2.266)]);
    let busy_of_sum = busy(&sum, 0.178, 0.0, 2.029, false).unwrap();
    assert!((0.2..0.3).contains(&busy_of_sum), "{busy_of_sum}");
    let table = points(&[(2, 1.172), (5, 1.448), (10, 1.871), (19, 2.699)]);
    let busy_of_table = busy(&table, 0.235, 0.0, 2.596, false).unwrap();
    assert!(busy_of_table > 0.9, "{busy_of_table}");
}

#[test]
fn few_operations_in_a_long_iteration_say_nothing() {
    assert_eq!(busy(&points(&[(96, 1.25)]), 0.35, 0.0, 373.0, false), None);
    assert_eq!(busy(&points(&[(48, 1.1), (96, 1.2)]), 0.5, 0.0, 40.0, false), None, "all were absorbed");
}

/// Stores beside stores to another line cost twice as much as alone: the slope shows it.
#[test]
fn a_steeper_slope_is_the_cost() {
    let stores = points(&[(3, 1.0), (6, 1.23), (13, 2.14), (26, 3.85)]);
    let own = busy(&stores, 0.352, 0.0, 4.3, false).unwrap();
    assert!(own < 0.5, "{own}");
}

/// Recorded on Zen 3 beside other jobs, in ticks of 0.41 ns: 16 loads of an iteration, on three ports, while an operation had cost
/// half as much again in the calibration as it does here.
#[test]
fn a_straight_end_is_the_cost_where_the_calibration_was_disturbed() {
    let loads = points(&[(6, 1.32), (13, 1.67), (26, 2.34), (52, 3.67)]);
    let own = busy(&loads, 0.360, 0.158, 5.787, false).unwrap();
    assert!(own > 0.95, "{own}");
    // As dear as a slot of the front end: it is what they wait for.
    let own = busy(&loads, 0.360, 0.270, 5.787, false).unwrap();
    assert!(own < 0.6, "{own}");
    // What is still absorbed in part bends: there the calibration holds.
    let bent = points(&[(3, 1.16), (6, 1.41), (11, 1.81), (23, 2.6)]);
    let own = busy(&bent, 0.823, 0.158, 5.787, false).unwrap();
    assert_eq!(own, 0.0, "less than an operation costs at least");
}

/// Recorded on Zen 3 beside another thread: eight stores of an iteration on two ports.
#[test]
fn full_buffers_are_not_the_resource() {
    let stores = points(&[(2, 1.30), (4, 1.52), (7, 2.03), (15, 4.03)]);
    let own = busy(&stores, 0.41, 0.13, 4.0, false).unwrap();
    assert!(own > 0.8, "{own}");
}

#[test]
fn room_is_found_between_the_points() {
    assert_eq!(room(&points(&[(4, 1.0), (8, 1.02)])), (8.0, true));
    let (at, bound) = room(&points(&[(4, 1.0), (8, 1.1)]));
    assert!((at - 6.0).abs() < 1e-9 && !bound, "{at}");
    assert!(!room(&points(&[(1, 1.3)])).1);
}

fn measured(versions: &[(Resource, &[(u32, f64)])]) -> (Injected, InjectedLoop) {
    let timed = |ratio: f64| Timing { low: ratio, median: ratio, high: ratio, windows: 40 };
    let all = versions.iter().flat_map(|(resource, points)| {
        points.iter().map(|&(count, ratio)| VersionTiming { resource: *resource, count, ratio: timed(ratio) })
    });
    let cost = |resource: Resource| OperationCost { resource, width: VectorWidth::Bits128, ticks: 0.25 };
    let facts = InjectedLoop {
        plain: timed(4.0),
        versions: all.collect(),
        costs: Resource::ALL
            .iter()
            .map(|r| OperationCost { ticks: if *r == Resource::Multiply { 1.0 } else { 0.25 }, ..cost(*r) })
            .collect(),
        windows: 1000,
        used: vec![
            Resource::FrontEnd,
            Resource::Integer,
            Resource::Multiply,
            Resource::Loads,
            Resource::Stores,
            Resource::MemoryLines,
        ],
        ..InjectedLoop::default()
    };
    (Injected { ticks_per_second: 1e9, ..Injected::default() }, facts)
}

fn judged(
    versions: &[(Resource, &[(u32, f64)])],
    chains: &[CarriedChain],
    branches: &[BranchFacts],
    memory: Option<&MemoryFacts>,
) -> Bottleneck {
    judged_as(versions, |_| {}, &Around { chains, memory, branches, ..alone() })
}

/// Nothing else is known of the loop.
fn alone() -> Around<'static> {
    Around {
        integer_divisions: 0,
        sampled_ns: None,
        trips: None,
        operands: OperandUse::default(),
        instructions: 2,
        chains: &[],
        memory: None,
        accesses: &[],
        branches: &[],
        machine: None,
        core: Core::of(None),
    }
}

fn judged_as(
    versions: &[(Resource, &[(u32, f64)])],
    change: impl FnOnce(&mut InjectedLoop),
    around: &Around<'_>,
) -> Bottleneck {
    let (run, mut facts) = measured(versions);
    change(&mut facts);
    bottleneck(&run, &facts, around, None)
}

fn kinds(b: &Bottleneck) -> Vec<CauseKind> {
    b.verdict.iter().map(|c| c.kind).collect()
}

/// Nothing absorbed, four cycles; the curve of a resource that is full.
const FULL: &[(u32, f64)] = &[(8, 1.5), (16, 2.0), (32, 3.0)];
/// Half of the iteration is free.
const HALF: &[(u32, f64)] = &[(8, 1.0), (16, 1.5), (32, 2.5)];
/// All of it is free.
const IDLE: &[(u32, f64)] = &[(8, 1.0), (16, 1.0), (32, 2.0)];

#[test]
fn a_full_resource_is_the_verdict() {
    let b = judged(
        &[(Resource::Loads, FULL), (Resource::Integer, HALF), (Resource::FloatAdd, IDLE)],
        &[],
        &[],
        None,
    );
    assert_eq!(kinds(&b), [CauseKind::LoadPorts]);
    assert_eq!((b.iteration_ns, b.iteration_cycles), (4.0, Some(4.0)));
    let several = judged(&[(Resource::Loads, FULL), (Resource::Stores, FULL)], &[], &[], None);
    assert_eq!(kinds(&several), [CauseKind::LoadPorts, CauseKind::StorePorts]);
}

/// Shifts have some of the integer ports, vectors a way of their own to the cache.
#[test]
fn a_part_of_a_resource_binds_as_the_whole_does() {
    let uses = |facts: &mut InjectedLoop| facts.used.extend([Resource::Shift, Resource::VectorStores]);
    let shifts = &[(Resource::Integer, HALF), (Resource::Shift, FULL)];
    assert_eq!(kinds(&judged_as(shifts, uses, &alone())), [CauseKind::IntegerPorts]);
    let stores = &[(Resource::Stores, HALF), (Resource::VectorStores, FULL)];
    assert_eq!(kinds(&judged_as(stores, uses, &alone())), [CauseKind::StorePorts]);
}

#[test]
fn a_full_multiplier_among_full_integer_ports_is_none() {
    let b = judged(&[(Resource::Integer, FULL), (Resource::Multiply, &[(4, 2.0), (8, 3.0)])], &[], &[], None);
    assert_eq!(kinds(&b), [CauseKind::IntegerPorts]);
}

fn chain(kind: ChainKind, latency_cycles: u32) -> CarriedChain {
    CarriedChain { kind, latency_cycles, ..serde_json::from_str(CHAIN).unwrap() }
}

const CHAIN: &str =
    r#"{"register": "xmm0", "instructions": [16], "latency_cycles": 4, "kind": "in-order-sum"}"#;

#[test]
fn a_chain_explains_a_loop_that_leaves_everything_idle() {
    let idle: &[(Resource, &[(u32, f64)])] = &[(Resource::Loads, IDLE), (Resource::Integer, HALF)];
    let b = judged(idle, &[chain(ChainKind::InOrderSum, 4)], &[], None);
    assert_eq!(kinds(&b), [CauseKind::ChainLatency]);
    assert_eq!(b.verdict[0].provenance, Provenance::Modelled);
    // A chain of a quarter of the time is none, and without a trace nothing else is known.
    let unclear = judged(idle, &[chain(ChainKind::InOrderSum, 1)], &[], None);
    assert_eq!(kinds(&unclear), []);
    // With one that shows no miss, it is a chain that the code does not show.
    let alone: &[(Resource, &[(u32, f64)])] = &[(Resource::Loads, IDLE)];
    let near = judged(alone, &[chain(ChainKind::InOrderSum, 1)], &[], Some(&MemoryFacts::default()));
    assert_eq!(kinds(&near), [CauseKind::ChainLatency]);
    let twice = near.causes.iter().filter(|c| c.kind == CauseKind::ChainLatency).count();
    assert_eq!(twice, 1, "each cause once");
}

/// Operations come on top of mispredictions: resources that the loop does not use look as busy.
#[test]
fn mispredictions_are_taken_from_what_all_resources_show() {
    let busy: &[(Resource, &[(u32, f64)])] = &[
        (Resource::Loads, &[(8, 1.4), (16, 1.85), (32, 2.85)]),
        (Resource::Integer, &[(8, 1.4), (16, 1.85), (32, 2.85)]),
        (Resource::FloatAdd, &[(8, 1.2), (16, 1.7), (32, 2.65)]),
    ];
    let missing =
        BranchFacts { cycles_per_iteration: Some(2.0), miss_rate: Some(0.5), ..BranchFacts::default() };
    let b = judged(busy, &[], std::slice::from_ref(&missing), None);
    assert_eq!(kinds(&b), [CauseKind::BranchMisses], "{:?}", b.causes);
    let steady = BranchFacts { cycles_per_iteration: Some(0.0), ..missing.clone() };
    // Without mispredictions something else keeps operations from overlapping: no unit is blamed.
    assert_eq!(kinds(&judged(busy, &[], std::slice::from_ref(&steady), None)), []);
    // Another thread on the core does, by the slots that it takes: what the loop fills most is the answer, and it is said.
    let judged = |branch: &BranchFacts| {
        let around = Around { branches: std::slice::from_ref(branch), ..alone() };
        judged_as(busy, |l| l.core_shared = Some(1.9), &around)
    };
    let shared = judged(&steady);
    assert_eq!(
        (kinds(&shared), shared.core_shared),
        (vec![CauseKind::IntegerPorts, CauseKind::LoadPorts], Some(1.9))
    );
    assert_eq!(kinds(&judged(&missing)), [CauseKind::BranchMisses], "they explain it in any case");
}

fn misses(bytes: f64) -> MemoryFacts {
    let level = |name: &str| crate::model::CacheFacts {
        name: name.to_owned(),
        estimated_bytes_in_per_iteration: bytes,
        ..crate::model::CacheFacts::default()
    };
    MemoryFacts { caches: vec![vec![level("L1"), level("L2"), level("L3")]], ..MemoryFacts::default() }
}

#[test]
fn lines_that_take_the_time_are_bandwidth_and_others_latency() {
    let streams: &[(Resource, &[(u32, f64)])] =
        &[(Resource::Loads, IDLE), (Resource::MemoryLines, &[(8, 1.5), (16, 2.0), (32, 3.0)])];
    // 512 bytes are eight lines of a quarter of a tick each: half of the iteration.
    assert_eq!(kinds(&judged(streams, &[], &[], Some(&misses(512.0)))), [CauseKind::BandwidthMemory]);
    // One line in four ticks is no bandwidth, and nothing else explains the time.
    assert_eq!(kinds(&judged(streams, &[], &[], Some(&misses(64.0)))), [CauseKind::MemoryLatency]);
    let chase = [chain(ChainKind::PointerChase, 5)];
    assert_eq!(kinds(&judged(streams, &chase, &[], Some(&misses(512.0)))), [CauseKind::MemoryLatency]);
    // No access that walks in order waits for the one before; of one that jumps about the trace does not know.
    let few = misses(64.0);
    let walked = |pattern: StridePattern, bytes: i64| {
        let access = AccessFacts { pattern, machine_stride_bytes: Some(bytes), ..AccessFacts::default() };
        kinds(&judged_as(streams, |_| {}, &Around { memory: Some(&few), accesses: &[access], ..alone() }))
    };
    assert_eq!(walked(StridePattern::Unit, 8), [CauseKind::BandwidthMemory]);
    assert_eq!(walked(StridePattern::Constant, -64), [CauseKind::BandwidthMemory]);
    assert_eq!(walked(StridePattern::Constant, 8192), [CauseKind::MemoryLatency]);
    assert_eq!(walked(StridePattern::Variable, 64), [CauseKind::MemoryLatency]);
}

/// Recorded on Zen 3: records of a list in main memory, each handed to a function that adds to a table. The core is full behind the late
/// load, so that the most operations of every kind come on top; of stores they take enough time to be judged.
#[test]
fn operations_that_come_on_top_behind_a_late_load_fill_no_unit() {
    let curves: &[(Resource, &[(u32, f64)])] = &[
        (Resource::FrontEnd, &[(400, 1.10)]),
        (Resource::Loads, &[(160, 1.10)]),
        (Resource::Stores, &[(160, 1.16)]),
    ];
    let booked = |chains: &[CarriedChain]| {
        let change = |facts: &mut InjectedLoop| {
            facts.calls = true;
            facts.plain.median = 1058.0;
            facts.costs.iter_mut().filter(|c| c.resource == Resource::Stores).for_each(|c| c.ticks = 1.0);
        };
        kinds(&judged_as(curves, change, &Around { chains, memory: Some(&misses(64.0)), ..alone() }))
    };
    assert_eq!(booked(&[chain(ChainKind::PointerChase, 5)]), [CauseKind::MemoryLatency]);
    assert_eq!(booked(&[]), [CauseKind::StorePorts], "a core that waits for nothing");
}

/// Recorded on Zen 3, with a build on both processors: a loop with a branch that nothing predicts.
#[test]
fn where_nops_disturb_more_than_their_slots_no_unit_is_judged() {
    let nops: &[(u32, f64)] = &[(8, 1.9), (16, 2.6), (32, 4.1)];
    let judged =
        |front| kinds(&judged(&[(Resource::FrontEnd, front), (Resource::Integer, FULL)], &[], &[], None));
    assert_eq!(judged(IDLE), [CauseKind::IntegerPorts]);
    assert_eq!(judged(nops), []);
}

/// Lines that took more time in the calibration than the loop has: what one costs beside the loop's own decides.
#[test]
fn a_disturbed_calibration_of_lines_hides_no_bandwidth() {
    let walks = &[(1, 1.5), (2, 2.0), (4, 3.0)];
    let streams: &[(Resource, &[(u32, f64)])] = &[(Resource::Loads, IDLE), (Resource::MemoryLines, walks)];
    let dear = |facts: &mut InjectedLoop| {
        let lines = facts.costs.iter_mut().find(|c| c.resource == Resource::MemoryLines).unwrap();
        lines.ticks = 5.0;
    };
    // Two lines of five ticks are more than twice the four ticks of an iteration; beside it one costs two.
    let two = misses(128.0);
    let b = judged_as(streams, dear, &Around { memory: Some(&two), ..alone() });
    assert_eq!(kinds(&b), [CauseKind::BandwidthMemory], "{:?}", b.causes);
}

/// Operations come on top of everything, whatever they need.
const ON_TOP: &[(Resource, &[(u32, f64)])] = &[
    (Resource::FrontEnd, FULL),
    (Resource::Loads, FULL),
    (Resource::Integer, FULL),
    (Resource::FloatAdd, &[(8, 1.4), (16, 1.9), (32, 2.9)]),
];

/// Recorded on Zen 3: a loop that fills the integer ports, of which floating-point operations and the front end know each other.
#[test]
fn what_overlaps_with_nothing_shows_in_every_curve() {
    let near = MemoryFacts::default();
    let traced = Around { memory: Some(&near), ..alone() };
    // Half of an iteration, as beside mispredicted branches.
    let float = (Resource::FloatAdd, &[(8, 1.2), (16, 1.6), (32, 2.6)][..]);
    let integer = (Resource::Integer, FULL);
    assert_eq!(kinds(&judged_as(&[integer, float], |_| {}, &traced)), []);
    // Stores overlap with nearly all of it.
    let stores = (Resource::Stores, &[(8, 1.0), (16, 1.2), (32, 2.2)][..]);
    assert_eq!(kinds(&judged_as(&[integer, float, stores], |_| {}, &traced)), [CauseKind::IntegerPorts]);
    // Without a trace it may be mispredicted branches, after which stores leave the core.
    assert_eq!(kinds(&judged_as(&[integer, float, stores], |_| {}, &alone())), []);
}

#[test]
fn what_all_units_show_beside_calls_is_a_mispredicted_one() {
    let near = MemoryFacts::default();
    let everything = |facts: &mut InjectedLoop| {
        facts.calls = true;
        facts.used = Resource::ALL.into_iter().filter(|r| !r.is_memory()).collect();
    };
    let traced = Around { memory: Some(&near), ..alone() };
    assert_eq!(kinds(&judged_as(ON_TOP, everything, &traced)), [CauseKind::BranchMisses]);
    // Without a trace late lines explain it as well.
    assert_eq!(kinds(&judged_as(ON_TOP, everything, &alone())), []);
    // So it is with a jump through a table.
    let jumps = |l: &mut InjectedLoop| l.jumps = true;
    assert_eq!(kinds(&judged_as(ON_TOP, jumps, &traced)), [CauseKind::BranchMisses]);
    // One unit that is full, and others that are idle.
    let one = &[(Resource::Loads, FULL), (Resource::FloatAdd, IDLE)];
    assert_eq!(kinds(&judged_as(one, everything, &traced)), [CauseKind::LoadPorts]);
}

#[test]
fn code_beyond_the_cache_of_decoded_instructions_is_the_front_end() {
    let long = Around { instructions: 16_000, ..alone() };
    let b = judged_as(ON_TOP, |_| {}, &long);
    assert_eq!(kinds(&b), [CauseKind::FrontEnd], "{:?}", b.causes);
    assert_eq!(kinds(&judged_as(ON_TOP, |_| {}, &alone())), [], "a short loop waits for something else");
    // Recorded on Zen 3, scaled: 14,000 instructions, which any further one lengthens.
    let nops: &[(Resource, &[(u32, f64)])] = &[(Resource::FrontEnd, &[(8, 1.9)])];
    assert_eq!(kinds(&judged_as(nops, |_| {}, &long)), [CauseKind::FrontEnd]);
    let shared = judged_as(ON_TOP, |l| l.core_shared = Some(1.9), &long);
    assert_eq!(kinds(&shared), [CauseKind::FrontEnd], "whoever uses the core, too");
}

#[test]
fn multiplications_of_the_loop_tell_the_multiplier_from_all_ports() {
    let both: &[(Resource, &[(u32, f64)])] =
        &[(Resource::Integer, FULL), (Resource::Multiply, &[(2, 1.5), (4, 2.0), (8, 3.0)])];
    // Four of one tick each take the four ticks of an iteration.
    let many = judged_as(both, |facts| facts.multiplications = 4, &alone());
    assert_eq!(kinds(&many), [CauseKind::Multiplier]);
    let few = judged_as(both, |facts| facts.multiplications = 1, &alone());
    assert_eq!(kinds(&few), [CauseKind::IntegerPorts]);
}

#[test]
fn a_resource_binds_earlier_where_nothing_else_takes_half_as_much() {
    let busy: &[(u32, f64)] = &[(8, 1.2), (16, 1.6), (32, 2.6)];
    assert_eq!(kinds(&judged(&[(Resource::Loads, busy)], &[], &[], None)), [CauseKind::LoadPorts]);
    let beside = &[(Resource::Loads, busy), (Resource::Integer, HALF)];
    assert_eq!(kinds(&judged(beside, &[], &[], None)), []);
}

#[test]
fn a_loop_that_versions_changed_much_has_no_verdict() {
    // Four ticks are the iteration.
    let judged = |ticks_per_second: f64, sampled: f64| {
        let (run, mut facts) = measured(&[(Resource::Loads, FULL)]);
        facts.calls = true;
        let around = Around { sampled_ns: Some(sampled), ..alone() };
        let b = bottleneck(&Injected { ticks_per_second, ..run }, &facts, &around, None);
        (kinds(&b), b.sampled_ns)
    };
    assert_eq!(judged(1e8, 20.0), (vec![], Some(20.0)), "it takes twice the time");
    assert_eq!(judged(1e8, 35.0), (vec![CauseKind::LoadPorts], None));
    assert_eq!(judged(1e9, 3.5), (vec![], Some(3.5)), "too short for what a call takes");
}

/// Recorded on Zen 3: a loop that reads and writes main memory, in whose buffers stores wait.
#[test]
fn a_unit_is_no_busier_than_the_loops_own_instructions_make_it() {
    let busy: &[(Resource, &[(u32, f64)])] = &[(Resource::Stores, FULL)];
    let shares = |uses: &[(Resource, u32)]| {
        let b = judged_as(busy, |l| l.uses = uses.to_vec(), &alone());
        let share = b.causes.iter().find(|c| c.kind == CauseKind::StorePorts).map(|c| c.share);
        (kinds(&b), share)
    };
    assert_eq!(shares(&[]), (vec![CauseKind::StorePorts], Some(1.0)), "nothing is known");
    assert_eq!(shares(&[(Resource::Stores, 8)]), (vec![CauseKind::StorePorts], Some(1.0)));
    assert_eq!(
        shares(&[(Resource::Stores, 2)]),
        (vec![], Some(0.25)),
        "two of a quarter of a tick in four ticks, twice"
    );
}

#[test]
fn of_bandwidths_the_farthest_is_the_cause() {
    let of = |shares: &[(CauseKind, f64)]| {
        let cause =
            |&(kind, share): &(CauseKind, f64)| Cause { kind, share, provenance: Provenance::Modelled };
        let mut causes: Vec<Cause> = shares.iter().map(cause).collect();
        farthest_first(&mut causes);
        causes.iter().map(|c| c.kind).collect::<Vec<_>>()
    };
    use CauseKind::{BandwidthL2 as L2, BandwidthL3 as L3, LoadPorts};
    assert_eq!(of(&[(L2, 0.85), (LoadPorts, 0.8), (L3, 0.77)]), [L3, L2, LoadPorts]);
    assert_eq!(of(&[(LoadPorts, 0.9), (L2, 0.85), (L3, 0.5)]), [LoadPorts, L2, L3], "half as much");
}
