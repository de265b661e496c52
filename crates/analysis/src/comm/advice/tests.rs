use super::*;
use crate::model::CommFacts;
use loopwright_experiment::{Facts, MachineRecord};
use loopwright_instrument::calls::{Called, Caller, HookedRun};
use loopwright_instrument::messages::Peer;
use loopwright_machine::Machine;
use loopwright_machine::network::{HockneyLine, NetworkPath};
use loopwright_sample::recording::{Rank, Target};
use std::sync::Arc;

/// Calls of a rank at a place of its own: function, class, calls, bytes of each, seconds.
type Made = (&'static str, CallClass, u64, u64, f64);

/// A network of round figures: 2 us and 1 GB/s within a node up to 8 KiB.
fn network() -> Network {
    Network {
        ranks: 4,
        nodes: 1,
        within_node: Some(NetworkPath {
            small: HockneyLine { latency_seconds: 2e-6, byte_seconds: 1e-9 },
            eager_limit_bytes: Some(8192),
            large: Some(HockneyLine { latency_seconds: 10e-6, byte_seconds: 0.5e-9 }),
            gap_seconds: Some(0.5e-6),
            ..NetworkPath::default()
        }),
        barrier_seconds: Some(4e-6),
        allreduce_seconds: Some(5e-6),
        ..Network::default()
    }
}

fn run(rank: u32, made: &[Made], seconds: f64, network: Option<&Network>) -> Run<Messages> {
    let sites = made.iter().enumerate().map(|(at, &(function, class, calls, bytes, seconds))| {
        let mut bins = [0; 6];
        let bounds = [16, 256, 4096, 65536, 1 << 20];
        bins[bounds.iter().position(|bound| bytes < *bound).unwrap_or(5)] = calls;
        let called = Called {
            function: function.into(),
            module: "/home/u/halo".into(),
            address: 0x1000 + at as u64,
            caller: Some(Caller { function: "exchange".into(), ..Caller::default() }),
            calls,
            bytes: calls * bytes,
            seconds,
            bins,
            ..Called::default()
        };
        CallSite { called, class, waiting_seconds: 0.0 }
    });
    let messages = made.iter().filter(|made| made.0.contains("end")).map(|made| made.2).sum();
    let facts = Messages {
        rank: Some(rank),
        ranks: Some(4),
        sites: sites.collect(),
        peers: vec![Peer { rank: (rank + 1) % 4, messages, bytes: 0 }],
        run: HookedRun { elapsed_seconds: seconds, ..HookedRun::default() },
        ..Messages::default()
    };
    let of_job = Rank { rank, size: 4, launcher: "openmpi".into(), job: "1".into() };
    let machine = MachineRecord { machine: Machine::detect(), ceilings: None, network: network.cloned() };
    Run {
        target: Target { rank: Some(of_job), host: "n1".into(), ..Target::default() },
        machine: Some(Arc::new(machine)),
        facts,
        ..Run::default()
    }
}

/// Four ranks that do the same in 10 ms.
fn alike(made: &[Made], network: Option<&Network>) -> CommFacts {
    of((0..4).map(|rank| run(rank, made, 10e-3, network)).collect())
}

fn of(runs: Vec<Run<Messages>>) -> CommFacts {
    crate::comm::facts(&Facts { communication: runs, ..Facts::default() }, &[]).unwrap()
}

fn near(found: f64, wanted: f64) {
    assert!((found / wanted - 1.0).abs() < 1e-6, "{found} found, {wanted} wanted");
}

#[test]
fn many_small_messages_that_are_waited_for_save_latencies() {
    // 1000 exchanges of 64 B in ten steps: 100 become one of 6400 B.
    let made = [
        ("MPI_Sendrecv", CallClass::PointToPoint, 1000, 64, 4e-3),
        ("MPI_Barrier", CallClass::Collective, 10, 0, 1e-9),
    ];
    let found = alike(&made, Some(&network()));
    assert_eq!((found.advice.len(), found.network_wanted), (1, false));
    let advice = &found.advice[0];
    assert_eq!(advice.function, "MPI_Sendrecv");
    let CommChange::JoinMessages { messages, bytes, together, message_seconds, waits_at } = &advice.change
    else {
        panic!("{advice:?}")
    };
    assert_eq!((*messages, *bytes, *together, waits_at.as_deref()), (1000, 64, 100, None));
    near(*message_seconds, 2.064e-6);
    assert_eq!(advice.gain_seconds[0], 0.0);
    near(advice.gain_seconds[1], 10.0 * 99.0 * 2e-6);
    near(advice.gain_share[1], 10.0 * 99.0 * 2e-6 / 10e-3);
}

#[test]
fn messages_that_are_waited_for_together_save_gaps() {
    let made = [
        ("MPI_Isend", CallClass::PointToPoint, 1000, 64, 3e-3),
        ("MPI_Waitall", CallClass::Completion, 10, 0, 1e-3),
    ];
    let found = alike(&made, Some(&network()));
    near(found.advice[0].gain_seconds[1], 10.0 * 99.0 * 0.5e-6);
}

#[test]
fn a_receive_as_often_as_a_send_is_where_each_message_is_waited_for() {
    let made = [
        ("MPI_Send", CallClass::PointToPoint, 1000, 64, 0.5e-3),
        ("MPI_Recv", CallClass::PointToPoint, 1000, 0, 1e-3),
    ];
    let found = alike(&made, Some(&network()));
    let advice = &found.advice[0];
    assert!(
        matches!(&advice.change, CommChange::JoinMessages { waits_at: Some(at), .. } if at.contains("MPI_Recv"))
    );
    // All could be one message; not more than was spent at both places.
    near(advice.measured_seconds, 1.5e-3);
    near(advice.gain_seconds[1], 1.5e-3);
}

#[test]
fn large_or_few_messages_and_ones_of_unknown_size_are_left() {
    let sendrecv = |calls, bytes| [("MPI_Sendrecv", CallClass::PointToPoint, calls, bytes, 4e-3)];
    for made in [sendrecv(1000, 16384), sendrecv(1000, 1 << 20), sendrecv(1, 64)] {
        assert_eq!(alike(&made, Some(&network())).advice, [], "{made:?}");
    }
    let mut runs: Vec<_> =
        (0..4).map(|rank| run(rank, &sendrecv(1000, 64), 10e-3, Some(&network()))).collect();
    runs[2].facts.sites[0].called.without_bytes = 1;
    assert_eq!(of(runs).advice, []);
}

#[test]
fn without_a_measured_network_it_is_asked_for_where_it_matters() {
    let made = [("MPI_Sendrecv", CallClass::PointToPoint, 1000, 64, 4e-3)];
    let found = alike(&made, None);
    assert_eq!((found.advice.as_slice(), found.network_wanted), (&[][..], true));
    // Ranks on two nodes, and a network that was measured within one.
    let mut runs: Vec<_> = (0..4).map(|rank| run(rank, &made, 10e-3, Some(&network()))).collect();
    runs[1].target.host = "n2".into();
    let found = of(runs);
    assert_eq!((found.advice.as_slice(), found.network_wanted), (&[][..], true));
    let short = [("MPI_Sendrecv", CallClass::PointToPoint, 1000, 64, 50e-6)];
    assert!(!alike(&short, None).network_wanted);
}

#[test]
fn gains_below_a_hundredth_are_not_shown() {
    let made = [("MPI_Sendrecv", CallClass::PointToPoint, 1000, 64, 99e-6)];
    assert_eq!(alike(&made, Some(&network())).advice, []);
}

#[test]
fn the_slowest_rank_has_its_excess_to_lose() {
    // Rank 3 works 8 ms and does not wait; the others work 5 ms and wait for it.
    let reduce = |seconds| [("MPI_Allreduce", CallClass::Collective, 10, 1024, seconds)];
    let of_rank = |rank: u32| run(rank, &reduce(if rank == 3 { 2e-3 } else { 5e-3 }), 10e-3, None);
    let found = of((0..4).map(of_rank).collect());
    let advice = &found.advice[0];
    let CommChange::BalanceWork { slowest_rank, busy_seconds, mean_busy_seconds, places } = advice.change
    else {
        panic!("{advice:?}")
    };
    assert_eq!((slowest_rank, places, advice.gain_seconds[0]), (3, 1, 0.0));
    near(busy_seconds, 8e-3);
    near(mean_busy_seconds, 5.75e-3);
    near(advice.gain_seconds[1], 2.25e-3);
    // Even ranks have nothing to gain.
    assert_eq!(of((0..4).map(|rank| run(rank, &reduce(5e-3), 10e-3, None)).collect()).advice, []);
}

#[test]
fn a_barrier_beside_another_collective_call_is_named_with_it() {
    let made = [
        ("MPI_Barrier", CallClass::Collective, 100, 0, 2e-3),
        ("MPI_Allreduce", CallClass::Collective, 100, 1024, 1e-3),
    ];
    let found = alike(&made, Some(&network()));
    let barrier = found.advice.iter().find(|advice| advice.function == "MPI_Barrier").unwrap();
    assert!(
        matches!(&barrier.change, CommChange::RemoveBarrier { calls: 100, beside: Some(at) } if at.starts_with("MPI_Allreduce")),
        "{barrier:?}"
    );
    near(barrier.gain_seconds[0], 100.0 * 4e-6);
    near(barrier.gain_seconds[1], 2e-3);
    // Without a network the least is nothing.
    let found = alike(&made[..1], None);
    assert_eq!(found.advice[0].gain_seconds[0], 0.0);
    assert_eq!(found.advice[0].change, CommChange::RemoveBarrier { calls: 100, beside: None });
}

#[test]
fn polling_is_found_where_calls_by_far_exceed_messages() {
    let made = |polls| {
        [
            ("MPI_Iprobe", CallClass::Completion, polls, 0, 2e-3),
            ("MPI_Send", CallClass::PointToPoint, 100, 16384, 1e-5),
        ]
    };
    let found = alike(&made(1000), None);
    assert_eq!(found.advice[0].change, CommChange::PollLess { calls: 1000, messages: 100 });
    near(found.advice[0].gain_seconds[1], 2e-3);
    assert_eq!(alike(&made(999), None).advice, []);
}

#[test]
fn collective_calls_of_few_bytes_are_joined() {
    let made = |calls, bytes| {
        [
            ("MPI_Allreduce", CallClass::Collective, calls, bytes, 6e-3),
            ("MPI_Bcast", CallClass::Collective, 10, 1024, 1e-9),
        ]
    };
    let found = alike(&made(1000, 8), Some(&network()));
    let change = CommChange::JoinCollectives { calls: 1000, bytes: 8, together: 100, call_seconds: 5e-6 };
    assert_eq!(found.advice[0].change, change);
    near(found.advice[0].gain_seconds[1], 990.0 * 5e-6);
    assert!(alike(&made(1000, 8), None).network_wanted);
    for made in [made(1000, 1024), made(19, 8)] {
        assert_eq!(alike(&made, Some(&network())).advice, [], "{made:?}");
    }
}

#[test]
fn no_gain_exceeds_what_was_measured_and_hostile_numbers_do_no_harm() {
    let made = [
        ("MPI_Sendrecv", CallClass::PointToPoint, u64::MAX, 0, 1e-3),
        ("MPI_Allreduce", CallClass::Collective, u64::MAX, 0, 1e-3),
        ("MPI_Barrier", CallClass::Collective, u64::MAX, 0, f64::NAN),
        ("MPI_Iprobe", CallClass::Completion, u64::MAX, 0, f64::INFINITY),
    ];
    for advice in alike(&made, Some(&network())).advice {
        let [low, high] = advice.gain_seconds;
        assert!(0.0 <= low && low <= high && high <= advice.measured_seconds, "{advice:?}");
        assert!(advice.gain_share[1] <= 1.0, "{advice:?}");
    }
}
