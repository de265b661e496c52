//! How many accesses a second the analyses of a tracing run take.
//!
//! `cargo run --release -p loopwright-patterns --example speed` feeds typical loops and prints the rate of a
//! run with each choice of analyses.

use loopwright_patterns::event::{Access, Event, Outcome};
use loopwright_patterns::shape::{BranchShape, LoopShape, Shape, Site};
use loopwright_patterns::{Options, Run};

/// Number of events that are fed at once.
const PIECE: usize = 1 << 16;
const ROUNDS: u64 = 40;

fn shape() -> Shape {
    let loop_ = |header| LoopShape { header, chosen: true, ..LoopShape::default() };
    Shape {
        loops: [0x10, 0x20, 0x30].map(loop_).to_vec(),
        sites: vec![Site { size: 8, element: 8, lanes: 1, ..Site::default() }; 8],
        branches: [0x14, 0x1c].map(|address| BranchShape { address, ..BranchShape::default() }).to_vec(),
        ..Shape::default()
    }
}

/// Iterations of the innermost of `depth` loops with `addresses(iteration)` in each.
fn stream(depth: u32, mut addresses: impl FnMut(u64) -> Vec<u64>) -> Vec<Event> {
    let mut events = vec![Event::Gap];
    for loop_ in 0..depth {
        events.push(Event::Enter { loop_, stack: 0 });
        events.push(Event::Pass { loop_ });
    }
    let mut iteration = 0;
    while events.len() < PIECE {
        if iteration > 0 {
            events.push(Event::Pass { loop_: depth - 1 });
        }
        for (address, site) in addresses(iteration).into_iter().zip(0..) {
            events.push(Event::Access(Access { site, address, size: 8, lane: 0 }));
        }
        iteration += 1;
    }
    events
}

/// In each iteration a branch that chance decides and the one that closes the loop.
fn branching(events: &[Event], mut chance: impl FnMut() -> bool) -> Vec<Outcome> {
    let passes = (0..).zip(events).filter(|(_, event)| matches!(event, Event::Pass { .. }));
    passes
        .flat_map(|(after, _)| {
            [(0, chance()), (1, true)].map(|(branch, taken)| Outcome { after, branch, taken })
        })
        .collect()
}

/// CPU seconds of this thread: other programs do not disturb them.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = text.split_whitespace().next().and_then(|ns| ns.parse::<u64>().ok());
    ns.expect("/proc/thread-self/schedstat can be read") as f64 / 1e9
}

fn main() {
    let shape = shape();
    let mut random = 1u64;
    let mut next = move || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random >> 33
    };
    let triad = stream(1, |n| vec![0x10000 + 8 * n, 0x1000_0000 + 8 * n, 0x2000_0000 + 8 * n]);
    let streams = [
        ("triad with two branches, one loop", triad.clone()),
        ("triad, one loop", triad),
        (
            "structures of three, three loops",
            stream(3, |n| (0..3).map(|k| 0x10000 + 24 * n + 8 * k).collect()),
        ),
        ("column walk, two loops", stream(2, |n| vec![0x10000 + 8192 * (n % 1000) + 8 * (n / 1000)])),
        (
            "gather from 64 MiB, one loop",
            stream(1, |n| vec![0x10000 + 4 * n, 0x1000_0000 + 8 * (next() % (8 << 20))]),
        ),
    ];
    let branches = branching(&streams[0].1, || next() & 1 == 1);
    let strides = Options { strides: true, dependences: false, ..Options::default() };
    let dependences = Options { strides: false, dependences: true, ..Options::default() };
    for (what, options) in [("map", &strides), ("dependencies", &dependences)] {
        for (number, (name, events)) in streams.iter().enumerate() {
            let outcomes = if number == 0 { &branches[..] } else { &[] };
            let accesses = events.iter().filter(|event| matches!(event, Event::Access(_))).count() as u64;
            let mut run = Run::new(options.clone());
            let start = cpu_seconds();
            for window in 0..ROUNDS {
                run.feed(0, window, &shape, events, outcomes);
            }
            let found = run.finish(&shape).len();
            let rate = (accesses * ROUNDS) as f64 / (cpu_seconds() - start) / 1e6;
            println!("{what:12}  {name:34} {found} loops  {rate:8.1} million accesses a second");
        }
    }
}
