//! The layout as a tracing run saw it: strides of the loop as written, which arrays, and how much of each fetched line is
//! used.
//!
//! Two things are won by a structure of arrays. Instructions that assemble vectors from single elements go (all or half of
//! them, each for its share of the instructions or, where they queue for the one unit that shuffles, for twice that);
//! and of the lines only the used part is fetched, which counts for as much of the time as goes to traffic. A scalar loop
//! wins the first only when it is vectorised as well: the low end of the range is then that of the traffic alone.

use super::{LARGEST_STRUCTURE, RULE, how};
use crate::counted::LEAST_GAIN;
use crate::evidence::{Memory, Operand, Stride, Vectors, words::listed};
use crate::prelude::*;
use crate::traced::{NEARLY_ALL, array_name, by_array, executions, share_of_lines, to_arrays};
use crate::traffic::traffic;
use loopwright_analysis::model::{AccessFacts, OuterStride, StridePattern};
use loopwright_binary::facts::Trait;
use loopwright_costs::Core;
use std::collections::BTreeSet;

/// Strided accesses below this share of all leave little to win.
const LEAST_SHARE: f64 = 0.1;
/// Lines of which less than this is used cost bandwidth whatever the loop does with them.
const POORLY_USED: f64 = 0.75;

/// Lines of which more than this is used are not what a structure of arrays saves.
const WELL_USED: f64 = 0.85;
/// Bytes of an address.
const POINTER: u32 = 8;
/// Strides that leave vectors this part of their gain are not what keeps the loop scalar.
const AS_GOOD: f64 = 0.9;

/// One array of structures.
struct Structure<'l> {
    accesses: Vec<&'l AccessFacts>,
    utilisation: Option<f64>,
    /// Share of all lines that the loop touched.
    lines: f64,
}

pub(super) fn check(facts: &Facts, of: &LoopFacts, traced: &LoopFacts) -> Option<Recommendation> {
    let structures: Vec<Structure> =
        by_array(traced).into_iter().filter_map(|array| structure(traced, &array)).collect();
    // Steps over headers of rows: what is loaded there is where the data is.
    let of_pointers =
        structures.iter().flat_map(|s| &s.accesses).filter(|a| a.element_bytes == POINTER).count();
    if of_pointers > 0 && of.operands.address_loads as usize >= of_pointers {
        return None;
    }
    let strided = executions(structures.iter().flat_map(|s| s.accesses.iter().copied()));
    let all = executions(to_arrays(traced).filter(|a| a.pattern != StridePattern::Uniform));
    if structures.is_empty() || strided < LEAST_SHARE * all {
        return None;
    }
    let mut new = facts.about_loop(&RULE, of);
    for one in &structures {
        new = new.because(Provenance::Counted, layout(facts, traced, one));
    }
    let (rest, fact) = instructions(facts, of, traced, &structures);
    let traffic = traffic(facts, traced);
    let saved: f64 = structures.iter().map(|s| s.lines * (1.0 - s.utilisation.unwrap_or(1.0))).sum();
    let gain = traffic.gain(|_| saved, rest);
    if gain.high() < LEAST_GAIN {
        return None;
    }
    if let Some(fact) = fact {
        new = new.because(Provenance::Modelled, fact);
    }
    let (least, most) = traffic.share();
    if saved > 0.0 && most > 0.0 {
        let fact = Memory::TrafficShare { lines: saved.min(1.0), saved: true, time: (least, most) };
        new = new.because(Provenance::Modelled, fact);
    }
    let poorly = structures.iter().any(|s| s.utilisation.is_some_and(|u| u < POORLY_USED));
    let assembles = of.vectorized && rest.high() >= LEAST_GAIN;
    let confidence = match (assembles || (poorly && most > 0.0), pairs_only(&structures)) {
        (true, _) => Confidence::High,
        (false, true) => Confidence::Low,
        (false, false) => Confidence::Medium,
    };
    Some(
        facts
            .asking_for_counts(new.titled(title(&structures)).gain(of.group_share, gain), of)
            .confidence(confidence)
            .how(how()),
    )
}

/// The strided accesses of an array, when it is one of structures.
fn structure<'l>(of: &LoopFacts, array: &[&'l AccessFacts]) -> Option<Structure<'l>> {
    let strided: Vec<&AccessFacts> = array.iter().copied().filter(|a| steps_over(a)).collect();
    if strided.is_empty() || executions(strided.iter().copied()) * 2.0 < executions(array.iter().copied()) {
        return None;
    }
    let utilisation = strided.iter().find_map(|a| a.utilisation).filter(|u| (0.0..=1.0).contains(u));
    if !is_record(of, &strided, utilisation) {
        return None;
    }
    Some(Structure { lines: share_of_lines(of, array), accesses: strided, utilisation })
}

/// Several members of one record are accessed, or the code holds the stride. A stride that is a variable of the program, with one
/// element of each step, is a column or a row of a matrix, and where a loop around moves by one element, its other order.
fn is_record(of: &LoopFacts, strided: &[&AccessFacts], used: Option<f64>) -> bool {
    // Elements that are whole steps apart are the same member of neighbours, as an unrolled loop takes them.
    let member_of = |a: &&AccessFacts| {
        let offset = i128::from(a.offset_bytes.unwrap_or(0));
        a.stride_bytes
            .filter(|step| *step != 0)
            .map_or(offset, |step| offset.rem_euclid(i128::from(step).abs()))
    };
    let members: BTreeSet<i128> = strided.iter().map(member_of).collect();
    // `p[i].x`, `p(i)%x`: the source says so.
    let member = |a: &&AccessFacts| {
        a.operand.as_deref().is_some_and(|o| ["].", "->", ")%"].iter().any(|mark| o.contains(mark)))
    };
    // One expression of the source is one member, whatever number of lanes and copies the compiler made of it.
    let texts: BTreeSet<Option<&str>> = strided.iter().map(|a| a.operand.as_deref()).collect();
    let one_text = texts.len() == 1 && texts.first().is_some_and(Option::is_some);
    if members.len() > 1 && !one_text || strided.iter().any(member) {
        return true;
    }
    // One element of each step, and all are used: other iterations or a loop inside use the rest.
    if used.is_some_and(|used| used >= WELL_USED) && strided.iter().all(|a| a.lanes <= 1) {
        return false;
    }
    let element = |a: &AccessFacts| u64::from(a.element_bytes.max(1));
    let other_order = |a: &&AccessFacts| {
        let by_element = |o: &OuterStride| o.stride_bytes.is_some_and(|b| b.unsigned_abs() == element(a));
        a.outer.iter().any(by_element)
    };
    let step = |a: &AccessFacts| a.machine_stride_bytes.or(a.stride_bytes);
    let in_code = |a: &&AccessFacts| a.lanes > 1 || of.strides.iter().any(|s| Some(s.bytes) == step(a));
    strided.iter().any(in_code) && !strided.iter().any(other_order)
}

/// Moves by a constant number of elements, more than one, within a structure's size; compilers make gathers of it, too.
fn steps_over(access: &AccessFacts) -> bool {
    let element = u64::from(access.element_bytes.max(1));
    let stride = match &access.gather {
        Some(lanes) if lanes.affine_share >= NEARLY_ALL => lanes.lane_stride_bytes,
        Some(_) => None,
        None => access.stride_bytes.filter(|_| access.pattern == StridePattern::Constant),
    };
    stride.is_some_and(|s| (2 * element..=LARGEST_STRUCTURE).contains(&s.unsigned_abs()))
}

/// Strides of two elements, both used: complex numbers, which one shuffle takes apart.
fn pairs_only(structures: &[Structure]) -> bool {
    structures.iter().all(|s| {
        s.utilisation.is_some_and(|u| u >= NEARLY_ALL)
            && s.accesses.iter().all(|a| a.stride_elements.is_some_and(|n| n.abs() == 2))
    })
}

fn layout(facts: &Facts, traced: &LoopFacts, one: &Structure) -> Memory {
    Memory::Strided {
        operands: Operand::of_all(one.accesses.iter().copied()),
        stride: Stride::of_lanes(one.accesses[0]),
        used: one.utilisation,
        outer: None,
        extent: facts.extent(traced),
    }
}

fn title(structures: &[Structure]) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in structures.iter().filter_map(|s| array_name(s.accesses[0])) {
        let name = format!("`{name}`");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(3);
    let first = structures[0].accesses[0];
    let elements = first.stride_elements.map_or_else(String::new, |n| match first.machine_stride_elements {
        Some(m) if m != n => format!(" (stride {n}, {m} in the vector loop)"),
        _ => format!(" (stride {n})"),
    });
    if names.is_empty() {
        return format!("Keep the members of these structures in arrays of their own{elements}");
    }
    format!("Keep the members of {} in arrays of their own{elements}", listed(&names))
}

/// What the loop gains from unit strides in instructions.
fn instructions(
    facts: &Facts,
    of: &LoopFacts,
    traced: &LoopFacts,
    structures: &[Structure],
) -> (Gain, Option<Vectors>) {
    if of.vectorized {
        assembling(facts.core(), of, traced, structures)
    } else {
        vectorised(facts, of, traced)
    }
}

/// A vector loop loses the instructions that collect elements.
fn assembling(
    core: &Core,
    of: &LoopFacts,
    traced: &LoopFacts,
    structures: &[Structure],
) -> (Gain, Option<Vectors>) {
    let all = f64::from(of.instructions.max(1));
    let lanes = of.vector.as_ref().map_or(1, |v| v.length.max(1));
    // Elements that are loaded one at a time: as many loads as lanes become one.
    let single = structures
        .iter()
        .flat_map(|s| &s.accesses)
        .filter(|a| a.lanes <= 1 && a.operand_bytes == a.element_bytes && lanes > 1)
        .map(|a| a.addresses.len().max(1) as f64)
        .sum::<f64>()
        * (1.0 - 1.0 / f64::from(lanes));
    let moved = f64::from(of.instruction_mix.shuffle) + single;
    let part = (moved / all).min(estimates::MOST_ASSEMBLING);
    let gathered: f64 = if of.traits.contains(&Trait::Gather) {
        structures
            .iter()
            .flat_map(|s| &s.accesses)
            .map(|a| if a.lanes > 1 { f64::from(a.lanes) } else { 0.0 })
            .sum()
    } else {
        0.0
    };
    let gathering = gathered * core.gather / core.issue(all);
    if part + gathering <= 0.0 {
        return (Gain::NONE, None);
    }
    let low = Gain::removing(part * estimates::SEEN).low();
    let high = (1.0 + part + gathering) / (1.0 - part);
    let fact = Vectors::CollectedElements {
        collecting: moved + f64::from(u32::from(gathered > 0.0)) * traced_gathers(traced),
        instructions: of.instructions,
        gathers: gathered > 0.0,
        low,
        high,
    };
    (Gain::between(low, high), Some(fact))
}

fn traced_gathers(traced: &LoopFacts) -> f64 {
    traced.access.iter().filter(|a| a.gather.is_some()).count() as f64
}

/// A scalar loop gains nothing from the layout alone, and all that unit strides allow when it is vectorised with it.
fn vectorised(facts: &Facts, of: &LoopFacts, traced: &LoopFacts) -> (Gain, Option<Vectors>) {
    if facts.forbids_vectors(of) || !of.calls.is_empty() || of.traits.contains(&Trait::Atomic) {
        return (Gain::NONE, None);
    }
    let strided = traced.access.iter().filter(|a| steps_over(a)).count();
    let (Some(now), Some(unit)) = (gain::vectorise(facts, of), gain::vectorise_consecutive(facts, of)) else {
        return (Gain::NONE, None);
    };
    if now.gain.high() >= AS_GOOD * unit.gain.high() {
        return (Gain::NONE, None);
    }
    let fact = Vectors::StridesWhenVectorised {
        unit: unit.gain.high(),
        strided: now.gain.high().min(unit.gain.high()),
        accesses: Some(strided),
    };
    // The layout is often what keeps the compiler from vectorising at all; then its change brings the whole gain.
    (Gain::up_to(unit.gain.high()), Some(fact))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        access, checked, count, fired, gathered, in_caches, near, of_array, scalar_loop, states, stride,
        trace, traced, vector_loop,
    };
    use loopwright_analysis::model::{Analysis, ParallelVerdict, VectorVerdict};
    use loopwright_patterns::facts::AccessKind;

    /// `lbv[i*3+X]` beside a unit-stride load and store.
    fn velocities(factor: u32) -> Vec<AccessFacts> {
        let load = |name: &str, offset: i64| {
            let mut a = of_array(access(name, AccessKind::Load, 4, 3), 0, 228, 1.0);
            (a.source_factor, a.offset_bytes) = (factor, Some(offset));
            (a.machine_stride_elements, a.machine_stride_bytes) =
                (Some(3 * i64::from(factor)), Some(12 * i64::from(factor)));
            if factor > 1 {
                a.operand_bytes = 16;
            }
            a
        };
        let unit = |name: &str, kind, array| of_array(access(name, kind, 8, 1), array, 152, 1.0);
        vec![
            load("lbv[i*3]", 0),
            load("lbv[i*3+1]", 4),
            load("lbv[i*3+2]", 8),
            unit("lbw[i]", AccessKind::Load, 1),
            unit("feq[i]", AccessKind::Store, 2),
        ]
    }

    fn scalar(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        traced(vec![scalar_loop(|l| {
            l.strides =
                vec![stride(12, 4, false), stride(12, 4, false), stride(12, 4, false), stride(8, 8, true)];
            trace(l, velocities(1));
            in_caches(l, [(0.1, 0.0), (0.0, 0.0), (0.0, 0.0)]);
            count(l, 100_000, 19);
            change(l);
        })])
    }

    /// As GCC makes it for AVX2: 14 of 52 instructions are shuffles and blends.
    fn vector(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        traced(vec![vector_loop(|l| {
            (l.instructions, l.instruction_mix.shuffle) = (52, 14);
            l.traits = vec![Trait::Shuffle, Trait::Blend];
            trace(l, velocities(4));
            in_caches(l, [(0.1, 0.0), (0.0, 0.0), (0.0, 0.0)]);
            count(l, 100_000, 5);
            change(l);
        })])
    }

    #[test]
    fn stride_three_of_a_scalar_loop() {
        // 0.8 ns per iteration.
        let r = fired(&RULE, &scalar(|l| count(l, 1_000_000_000, 5))).unwrap();
        assert_eq!(r.title, "Keep the members of `lbv` in arrays of their own (stride 3)");
        assert!(
            states!(r, Memory::Strided { operands, stride: Stride { elements: Some(3), element_bytes: 4, machine_elements: None, .. }, used: Some(used), .. } if operands.len() == 3 && *used == 1.0),
            "{:?}",
            r.said()
        );
        assert_eq!((r.confidence, &r.next), (Confidence::Medium, &None));
        // GCC's scalar code gained 1.00 from three arrays, with `omp simd` 2.26 to 2.40 (AVX2 and AVX-512).
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() == 1.0 && gain.high() > 2.4, "{gain:?}");
    }

    #[test]
    fn stride_twelve_of_the_padded_vector_loop() {
        let r = fired(&RULE, &vector(|_| ())).unwrap();
        assert_eq!(
            r.title,
            "Keep the members of `lbv` in arrays of their own (stride 3, 12 in the vector loop)"
        );
        assert!(
            states!(r, Memory::Strided { stride: Stride { machine_elements: Some(12), .. }, .. }),
            "{:?}",
            r.said()
        );
        assert_eq!(r.confidence, Confidence::High);
        // Measured in the demo, padded to 20 and built for AVX2: 1.45 times; DL_MESO with another compiler: 2.
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.1 && gain.low() < 1.45 && gain.high() > 1.6 && gain.high() < 2.2, "{gain:?}");
    }

    #[test]
    fn unused_bytes_are_traffic_that_is_saved() {
        let streaming = |utilisation| {
            traced(vec![scalar_loop(|l| {
                trace(l, vec![of_array(access("p[i].x", AccessKind::Load, 8, 8), 0, 80 << 20, utilisation)]);
                in_caches(l, [(1000.0, 1.0), (1000.0, 1.0), (1000.0, 1.0)]);
                count(l, 100, 5_000_000);
            })])
        };
        let r = fired(&RULE, &streaming(0.125)).unwrap();
        // 64 bytes for each iteration of 8 ns: two thirds of the time at 12 GB/s, and 7/8 of it saved.
        let low = 1.0 / (1.0 - 64.0 / 12.0 / 8.0 * 7.0 / 8.0);
        assert!((r.loop_gain.unwrap().low() - low).abs() < 1e-6, "{:?}", r.loop_gain);
        assert_eq!(r.confidence, Confidence::High);
        assert!(
            states!(r, Memory::TrafficShare { lines, saved: true, .. } if near(*lines, 0.875)),
            "{:?}",
            r.said()
        );
        assert!(
            fired(&RULE, &streaming(1.0)).is_none(),
            "nothing is fetched in vain, and vectors are no faster"
        );
    }

    #[test]
    fn compilers_gather_strides_too() {
        let gathers = traced(vec![vector_loop(|l| {
            l.traits = vec![Trait::Gather];
            l.instructions = 20;
            trace(l, vec![gathered("a[3*i]", 8, 4, Some(24)), access("b[i]", AccessKind::Store, 8, 1)]);
            in_caches(l, [(0.1, 0.0), (0.0, 0.0), (0.0, 0.0)]);
        })]);
        let r = fired(&RULE, &gathers).unwrap();
        assert!(
            states!(r, Memory::Strided { stride: Stride { bytes: 24, between_lanes: true, .. }, .. }),
            "{:?}",
            r.said()
        );
        assert!(
            (r.loop_gain.unwrap().high() - 1.4).abs() < 1e-9,
            "two cycles of a gather beside five: {:?}",
            r.loop_gain
        );
    }

    #[test]
    fn a_matrix_whose_row_length_the_code_does_not_hold_is_no_structure() {
        let with = |strides: Vec<i64>, name: &str, outer_bytes: i64| {
            let column = of_array(access(name, AccessKind::Load, 8, 40), 0, 80 << 20, 0.125);
            let column = crate::fixtures::outer(column, 2, outer_bytes);
            traced(vec![scalar_loop(|l| {
                l.strides = strides.iter().map(|bytes| stride(*bytes, 8, false)).collect();
                trace(l, vec![column]);
                in_caches(l, [(1000.0, 1.0), (1000.0, 1.0), (1000.0, 1.0)]);
                count(l, 100, 5_000_000);
            })])
        };
        assert!(fired(&RULE, &with(vec![], "a[i*n+j]", 8)).is_none(), "a column");
        assert!(fired(&RULE, &with(vec![], "a[i*n]", 0)).is_none(), "a stride of run time");
        assert!(fired(&RULE, &with(vec![320], "a[i*40]", 0)).is_some(), "the code holds it");
        assert!(fired(&RULE, &with(vec![320], "a[i][j]", 8)).is_none(), "the other order is consecutive");
        assert!(fired(&RULE, &with(vec![], "p[i].x", 0)).is_some(), "a member");
    }

    #[test]
    fn silent_where_others_use_the_rest_and_where_vectors_are_impossible() {
        let whole = |l: &mut LoopFacts| {
            l.strides = vec![stride(48, 8, false)];
            trace(l, vec![of_array(access("a[i*6]", AccessKind::Load, 8, 6), 0, 4800, 0.9)]);
        };
        assert!(fired(&RULE, &scalar(whole)).is_none(), "the row of a matrix");
        let atomic = |l: &mut LoopFacts| l.traits.push(Trait::Atomic);
        assert!(fired(&RULE, &scalar(atomic)).is_none());
    }

    #[test]
    fn silent_on_headers_of_rows() {
        let pointers = |loads: u32| {
            traced(vec![scalar_loop(|l| {
                trace(l, vec![of_array(access("rows[i].data", AccessKind::Load, 8, 3), 0, 80 << 20, 0.33)]);
                in_caches(l, [(1000.0, 1.0), (1000.0, 1.0), (1000.0, 1.0)]);
                count(l, 100, 5_000_000);
                l.operands.address_loads = loads;
            })])
        };
        assert!(fired(&RULE, &pointers(0)).is_some());
        assert!(fired(&RULE, &pointers(1)).is_none(), "what is loaded there is where the data is");
    }

    #[test]
    fn silent_on_complex_numbers_and_where_a_dependence_forbids_vectors() {
        let pair = |name: &str| of_array(access(name, AccessKind::Load, 8, 2), 0, 1600, 1.0);
        let complex = scalar(|l| trace(l, vec![pair("z[i].re"), pair("z[i].im")]));
        assert!(fired(&RULE, &complex).is_none(), "a shuffle takes pairs apart");
        let carried = scalar(|l| checked(l, VectorVerdict::Unsafe, ParallelVerdict::Dependent));
        assert!(fired(&RULE, &carried).is_none(), "in L1, and scalar for good");
    }

    #[test]
    fn what_was_traced_silences_what_the_code_suggests() {
        let unit = |l: &mut LoopFacts| trace(l, vec![access("a[i]", AccessKind::Load, 8, 1)]);
        assert!(fired(&RULE, &scalar(unit)).is_none(), "an unrolled unit stride");
        let rows = |l: &mut LoopFacts| trace(l, vec![access("a[i][j]", AccessKind::Load, 8, 1000)]);
        assert!(fired(&RULE, &scalar(rows)).is_none(), "rows are no structures");
        let frame = |l: &mut LoopFacts| {
            let mut own = access("t", AccessKind::Load, 8, 3);
            own.frame = true;
            trace(l, vec![own, access("a[i]", AccessKind::Load, 8, 1)]);
        };
        assert!(fired(&RULE, &scalar(frame)).is_none());
        let rare = |l: &mut LoopFacts| {
            let mut few = access("p[k].x", AccessKind::Load, 8, 3);
            few.executions = 10;
            trace(l, vec![few, access("a[i]", AccessKind::Load, 8, 1)]);
        };
        assert!(fired(&RULE, &scalar(rare)).is_none());
        // Shuffles without strides: the computation itself.
        let transposing = vector(|l| trace(l, vec![access("a[i]", AccessKind::Load, 8, 1)]));
        assert!(fired(&RULE, &transposing).is_none());
    }

    #[test]
    fn silent_where_the_vector_loop_collects_nothing_and_the_data_is_near() {
        let scatter_free = vector(|l| {
            (l.instruction_mix.shuffle, l.traits) = (0, vec![]);
        });
        assert!(fired(&RULE, &scatter_free).is_none(), "whole structures of four fit a register");
    }
}
