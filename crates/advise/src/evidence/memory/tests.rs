//! The words of all facts about memory.

use super::super::operands::PassUnit;
use super::*;
use crate::evidence::tests::hold;

fn operands(names: &[&str]) -> Vec<Operand> {
    names.iter().map(|name| Operand { operand: Some((*name).into()), place: None }).collect()
}

const EXTENT: Extent = Extent { complete: false, iterations: 10_000 };

fn of_traffic() -> Vec<(Memory, &'static str)> {
    let roof = |gbytes_per_second, beyond_caches| Memory::OfMemoryRoof {
        share: 0.53,
        level: MemoryLevel::Dram,
        gbytes_per_second,
        beyond_caches,
    };
    let pass =
        |per, around: Option<&str>| Pass { bytes: 480_000_000, per, around: around.map(str::to_owned) };
    let moved = |by_library| Memory::MovedAgain { by_library, resident: 12_000, times: 89.0 };
    let next = |arithmetic| Memory::NextCeiling { level: MemoryLevel::L3, arithmetic, times: 2.5 };
    let share = |saved| Memory::TrafficShare { lines: 0.875, saved, time: (0.1, 0.6) };
    let misses = |at_least| Memory::OfMisses { share: 0.5, at_least, level: MemoryLevel::L2 };
    let beyond = |pass| Memory::PassBeyond { pass, level: MemoryLevel::L3 };
    vec![
        (roof(None, false), "its traffic is 53 % of what DRAM delivers"),
        (
            roof(Some((6.3, 12.0)), true),
            "its traffic is 53 % of what DRAM delivers: 6.3 of 12.0 GB/s, and its data does not fit into the caches",
        ),
        (
            Memory::Intensity { flop_per_byte: Some(0.125), bytes: 12_000 },
            "it does 0.12 FLOP per byte and moves 12 kB",
        ),
        (
            Memory::Intensity { flop_per_byte: None, bytes: 12_000 },
            "it does no floating-point operation per byte and moves 12 kB",
        ),
        (beyond(pass(PassUnit::Entry, None)), "480 MB of that per entry, more than L3 holds"),
        (
            beyond(pass(PassUnit::IterationAround, Some("k.c:9"))),
            "480 MB of that in each iteration of the loop around it at k.c:9, more than L3 holds",
        ),
        (
            beyond(pass(PassUnit::EntryAround, Some("k.c:9"))),
            "480 MB of that while the loop around it at k.c:9 runs once, more than L3 holds",
        ),
        (moved(None), "the process never held more than 12 kB, so each byte is moved 89 times or more"),
        (
            moved(Some(1_000_000)),
            "the library moved 1000 kB, and the process never held more than 12 kB: each byte 89 times or more",
        ),
        (next(true), "with its data in L3, its own arithmetic is the next ceiling, 2.5 times higher"),
        (next(false), "with its data in L3, L3 is the next ceiling, 2.5 times higher"),
        (
            Memory::ThroughCaches { pass: pass(PassUnit::Entry, None), cache: 32_000_000, stored: 0.25 },
            "it moves 480 MB through the caches per entry, 15.0 times the last-level cache of 32 MB; 25.0 % of its bytes are stores",
        ),
        (
            Memory::WithoutReads { times: 1.333 },
            "without the reads before its stores it moves 1.33 times fewer bytes",
        ),
        (
            Memory::Passes {
                loops: 12,
                elements: 60_000.0,
                share: 0.4,
                bytes: 60_000_000,
                largest: 8_000_000,
            },
            "12 loops pass over 60000 elements each; together they take 40.0 % of the CPU time and move 60 MB, the largest of them 8000 kB",
        ),
        (Memory::TwoMove { bytes: 12_000, other: 24_000 }, "the two move 12 kB and 24 kB"),
        (share(true), "87.5 % of the lines would not be fetched; 10.0 % to 60.0 % of its time is traffic"),
        (share(false), "they fetch 87.5 % of the lines; 10.0 % to 60.0 % of its time is traffic"),
        (
            Memory::LinesPerIteration { now: 2.0, then: 0.375, tiles: false },
            "an iteration touches 2.00 cache lines in this order, 0.38 in the other",
        ),
        (
            Memory::LinesPerIteration { now: 2.0, then: 0.375, tiles: true },
            "an iteration touches 2.00 cache lines in this order, 0.38 in tiles",
        ),
        (
            Memory::MissesEach { first: 0.7, second: 0.545 },
            "simulated, an iteration misses the first cache 0.70 times and the second 0.55 times",
        ),
        (misses(false), "these are 50.0 % of the simulated misses of L2"),
        (misses(true), "these are at least 50.0 % of the simulated misses of L2"),
    ]
}

fn of_operands() -> Vec<(Memory, &'static str)> {
    let strided = |names: &[&str], between_lanes, used, outer| Memory::Strided {
        operands: operands(names),
        stride: Stride {
            bytes: 24,
            elements: Some(3),
            element_bytes: 8,
            machine_elements: None,
            between_lanes,
            mostly: false,
        },
        used,
        outer,
        extent: EXTENT,
    };
    let over = |bytes, one_element| Some(OuterMove { place: "k.c:9".into(), bytes, one_element });
    let ordered = |of_lanes, order| Memory::Ordered {
        operands: operands(&["x[k[i]]"]),
        of_lanes,
        order,
        share: 1.0,
        extent: EXTENT,
    };
    let split = |of| Memory::SplitCycles { each: (0.5, 5.0), per_iteration: (1.0, 2.0), of };
    let pages = |at_least| Memory::Pages { pages: 262_144, at_least, entries: 1536, extent: EXTENT };
    vec![
        (
            Memory::StoredOnly { operands: operands(&["a[i]"]), extent: EXTENT },
            "the stores to `a[i]` go to consecutive elements, none of which the loop reads, in 10000 traced iterations",
        ),
        (
            strided(&["a[i]", "b[i]"], false, Some(0.125), None),
            "`a[i]` and `b[i]` move by 3 elements of 8 bytes per iteration; 12.5 % of the bytes in the cache lines touched are used, in 10000 traced iterations",
        ),
        (
            strided(&["a[i]"], true, None, None),
            "`a[i]` moves by 24 bytes from lane to lane of a gather, in 10000 traced iterations",
        ),
        (
            strided(&["a[i]"], false, None, over(Some(8), true)),
            "`a[i]` moves by 3 elements of 8 bytes per iteration here, and by one element over the loop at k.c:9, in 10000 traced iterations",
        ),
        (
            strided(&["a[i]"], false, None, over(Some(16), false)),
            "`a[i]` moves by 3 elements of 8 bytes per iteration here, and by 16 bytes over the loop at k.c:9, in 10000 traced iterations",
        ),
        (
            strided(&["a[i]"], false, None, over(None, false)),
            "`a[i]` moves by 3 elements of 8 bytes per iteration here, and by nothing regular over the loop at k.c:9, in 10000 traced iterations",
        ),
        (
            Memory::Scattered {
                operands: operands(&["u[from[e]]", "u[to[e]]"]),
                same_line: 0.01,
                same_page: 0.02,
                bytes: 67_000_000,
                extent: EXTENT,
            },
            "`u[from[e]]` and `u[to[e]]` move by no constant stride: 1.0 % of the steps stay on their cache line and 2.0 % on their page, 67 MB touched, in 10000 traced iterations",
        ),
        (
            ordered(true, Order::Consecutive),
            "The lanes of `x[k[i]]` are consecutive in 100.0 % of the executions, in 10000 traced iterations",
        ),
        (
            ordered(true, Order::Reversed),
            "The lanes of `x[k[i]]` are consecutive, backwards in 100.0 % of the executions, in 10000 traced iterations",
        ),
        (
            ordered(false, Order::Same),
            "The steps of `x[k[i]]` are the same element in 100.0 % of the executions, in 10000 traced iterations",
        ),
        (
            ordered(true, Order::Sorted),
            "The lanes of `x[k[i]]` ascend, and are on one or two cache lines in 100.0 % of the executions, in 10000 traced iterations",
        ),
        (
            Memory::Aliases {
                load: operands(&["a[i]"]).remove(0),
                store: operands(&["b[i]"]).remove(0),
                offset: 32,
                share: 0.5,
                extent: EXTENT,
            },
            "the load `a[i]` meets the store `b[i]` in the lowest 12 bits of the address, 32 bytes after it, in 50.0 % of its executions, in 10000 traced iterations",
        ),
        (
            Memory::AliasCycles { cycles: 5.0, per_iteration: 2.5 },
            "a load that waits for the full comparison is issued again about 5 cycles later: 2.5 per iteration at most",
        ),
        (
            Memory::Splits { share: 0.5, operands: operands(&["a[i]", "b[i]"]), worst: 0.75, extent: EXTENT },
            "50.0 % of the vector accesses touch two cache lines (`a[i]` and `b[i]`, up to 75.0 %), in 10000 traced iterations",
        ),
        (split(None), "a split costs 0.5 to 5 cycles, 1.0 to 2.0 per iteration"),
        (split(Some(8.0)), "a split costs 0.5 to 5 cycles, 1.0 to 2.0 per iteration of 8.0"),
        (
            pages(false),
            "it touches 0.26 million pages of 4 KiB, in 10000 traced iterations; the second-level TLB remembers 1536 (6291 kB)",
        ),
        (
            pages(true),
            "it touches at least 0.26 million pages of 4 KiB, in 10000 traced iterations; the second-level TLB remembers 1536 (6291 kB)",
        ),
        (
            Memory::TlbMisses { first: 1.5, second: 0.25 },
            "simulated, at least 1.50 accesses per iteration miss the first TLB and 0.25 the second",
        ),
        (
            Memory::LeavePages { operands: operands(&["x[k[i]]"]), share: 0.5 },
            "`x[k[i]]` leave their page often; they are 50.0 % of the accesses",
        ),
    ]
}

fn of_code_and_reuse() -> Vec<(Memory, &'static str)> {
    let advances = |operands, bytes, lines| Memory::AdvancesBy { operands, size: 8, bytes, lines };
    let fixed = |lines: &[u32]| Memory::FixedLoads { loads: 2, lines: lines.to_vec() };
    let executed = |tests| Memory::LoadsExecuted { share: 0.35, tests };
    vec![
        (
            Memory::MayUpdateInPlace,
            "it reads as many arrays as it writes: if they are the same, nothing is saved",
        ),
        (
            advances(1, 16, 1),
            "1 operand of 8 bytes advances by 16 bytes per iteration (8 of 16 bytes are used at most) on 1 source line",
        ),
        (
            advances(2, 16, 2),
            "2 operands of 8 bytes advance by 16 bytes per iteration (all bytes may be used) on 2 source lines",
        ),
        (
            Memory::AdvancesByPages { operands: 1, of: 2, longest: 8192 },
            "1 of 2 moving operands advance by a page or more per iteration, up to 8192 bytes",
        ),
        (
            Memory::RepeatedUpdates {
                operand: Operand { operand: Some("h[k[i]]".into()), place: None },
                share: 0.75,
                within: 4,
                bytes: 1024,
                extent: Extent { complete: false, iterations: 40_000 },
            },
            "`h[k[i]]` updates an element that one of the 4 iterations before has updated in 75.0 % of the iterations, in a table of 1024 bytes, in 40000 traced iterations",
        ),
        (Memory::AddressLoads { addresses: 8, loads: 12 }, "8 of 12 loads fetch addresses of other accesses"),
        (
            fixed(&[11, 12]),
            "2 loads from addresses that do not move, in every iteration, beside a store that moves (source lines 11, 12)",
        ),
        (
            fixed(&[]),
            "2 loads from addresses that do not move, in every iteration, beside a store that moves",
        ),
        (
            executed(Some(4.0)),
            "an iteration really loads 35.0 % of what the loop's code loads; the rest is skipped by 4.0 tests",
        ),
        (
            executed(None),
            "an iteration really loads 35.0 % of what the loop's code loads; the rest is switched off by masks, and all paths are computed for all elements",
        ),
        (
            Memory::Reused {
                share: 0.05,
                place: "k.c:9".into(),
                apart: 4_800_000,
                level: MemoryLevel::L2,
                holds: 1_048_576,
                extent: EXTENT,
            },
            "5.0 % of the uses of cache lines are of lines that were last used in another iteration of the loop at k.c:9, 4800 kB of other lines ago on average; L2 holds 1049 kB, in 10000 traced iterations",
        ),
        (
            Memory::ReusedUnseen {
                first_met: 328_000_000,
                place: "k.c:8".into(),
                resident: 100_000_000,
                apart: 64_000_000,
                level: MemoryLevel::L3,
                holds: 32_000_000,
            },
            "the lines that bursts meet for the first time add up to 328 MB while the loop at k.c:8 runs once, but the process holds 100 MB: they come back, from one of its iterations to another, up to 64 MB of other lines later; L3 holds 32 MB",
        ),
        (
            Memory::Block {
                iterations: 2000,
                cut: "k.c:10".into(),
                level: MemoryLevel::L2,
                place: "k.c:9".into(),
            },
            "2000 iterations of the loop at k.c:10 touch half of L2 within one iteration of the loop at k.c:9",
        ),
    ]
}

#[test]
fn in_words() {
    hold(&[of_traffic(), of_operands(), of_code_and_reuse()].concat());
}
