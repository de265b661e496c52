//! Own loops that compute what a tuned library computes: products of matrices and vectors.

use crate::evidence::Work;
use crate::prelude::*;
use loopwright_analysis::model::{AccessFacts, MachineFacts, StridePattern};
use loopwright_binary::facts::{ChainKind, ElementType};
use loopwright_patterns::facts::AccessKind;
use loopwright_vocabulary::MemoryLevel;

/// Id of its recommendation.
pub const USE_TUNED_LIBRARY: &str = "use-tuned-library";

pub(crate) static RULE: Rule = Rule {
    id: "own-linear-algebra",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("own_linear_algebra.md")),
};

/// Multiply-adds of one call below which the call costs as much as it saves (some 100 ns).
const SMALLEST_CALL: f64 = 2048.0;
/// Iterations of each loop below which a matrix is small: its edges are most of it.
const SMALLEST_SIDE: f64 = 16.0;
/// Exchanging code for a library is work.
const LEAST_GAIN: f64 = 1.3;
/// Counts of one loop agree with a form within this.
const TOLERANCE: f64 = 0.08;
/// Another loop with this part of the time makes a loop around more than one product.
const OTHER_WORK: f64 = 0.3;
/// Multiply-adds per element that the process ever held, above which there is a product of matrices.
const DENSE: f64 = 16.0;
/// Part of a cache that the data of one call may fill.
const FILL: f64 = 0.75;

/// What the loop adds up.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// `s += a[i] * b[i]`.
    Sum,
    /// `y[i] += s * x[i]`; several rows of x at once where `rows` says so.
    Update { rows: bool },
}

/// What the nest computes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    /// Vector with vector.
    Vectors,
    /// Matrix with vector.
    MatrixVector,
    /// Matrix with matrix.
    Matrices,
}

/// What one iteration of the loop as written does, by counts of all its pieces.
struct Counted {
    element: ElementType,
    bytes: f64,
    flop: f64,
    iterations: f64,
    multiply_adds: f64,
    loads: f64,
    stores: f64,
}

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.innermost || !facts.rates_hold() {
        return None;
    }
    let counted = counted(facts, of)?;
    let traced = facts.traced(of);
    let form = form(of, &counted, stays_put(of, traced))?;
    if traced.is_some_and(|l| l.access.iter().any(|a| a.lanes > 1 || a.pattern == StridePattern::Variable)) {
        return None;
    }
    // A triad has the loads and stores of an update; only addresses show whether it is in place.
    match (form, traced) {
        (Form::Update { .. }, Some(traced)) if !in_place(traced) => return None,
        (Form::Update { rows: false }, None) => return None,
        _ => {}
    }
    let nest = nest(facts, of);
    let (level, seen) = level(facts, of, &nest, &counted);
    // A library reads the same lines of vectors whose elements are apart: the layout is what costs.
    let apart = |a: &AccessFacts| {
        a.stride_bytes.is_some_and(|b| b.unsigned_abs() > u64::from(a.element_bytes.max(1)))
    };
    if level == Level::Vectors && traced.is_some_and(|l| l.access.iter().any(apart)) {
        return None;
    }
    let top = *nest.last()?;
    let seconds =
        if nest.len() > 1 { top.total_seconds } else { facts.group(of).map(|l| l.self_seconds).sum() };
    let share = if nest.len() > 1 { top.total_share } else { of.group_share };
    let call = calls(of, &nest, level, &counted)?;
    let machine = facts.machine()?;
    let named = facts.about_loop(&RULE, of).named(USE_TUNED_LIBRARY, title(level, counted.element));
    let new = named
        .because(Provenance::Counted, multiply_adds(form, &counted))
        .because(
            Provenance::Binary,
            Work::NestAround {
                outermost: nest.last().filter(|_| level != Level::Vectors).map(|top| top.place()),
            },
        )
        .confidence(if seen { Confidence::High } else { Confidence::Medium })
        .how(how(level, counted.element));
    let new = if traced.is_none() { new.next(facts.collect("map", of)) } else { new };
    let Some((rate, from)) = reachable(machine, level, &counted, call) else {
        return Some(new.next("loopwright machine --measure"));
    };
    let achieved = counted.flop / seconds / 1e9;
    if !(achieved.is_finite() && achieved > 0.0)
        || rate * estimates::LIBRARY_EFFICIENCY.1 < LEAST_GAIN * achieved
    {
        return None;
    }
    let gain = Gain::between(
        rate * estimates::LIBRARY_EFFICIENCY.0 / achieved,
        rate * estimates::LIBRARY_EFFICIENCY.1 / achieved,
    );
    Some(
        new.because(
            Provenance::Modelled,
            Work::LibraryRate { achieved, reached: estimates::LIBRARY_EFFICIENCY, rate, from },
        )
        .gain(share, gain),
    )
}

/// Counts of the group per iteration as written; nothing where the loop does more than add and multiply one type.
fn counted(facts: &Facts, of: &LoopFacts) -> Option<Counted> {
    let trips = of.trip_count.as_ref().filter(|t| t.group_complete)?;
    let iterations = trips.group_iterations? as f64;
    let (mut flop, mut f32, mut f64, mut loaded, mut stored, mut other) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for work in facts.group(of).filter_map(|l| l.work.as_ref()) {
        flop += work.flop as f64;
        f32 += work.flop_f32 as f64;
        f64 += work.flop_f64 as f64;
        loaded += work.bytes_loaded as f64;
        stored += work.bytes_stored as f64;
        let mix = &work.mix;
        // In floating point: sums of counts may exceed an integer.
        other +=
            [mix.divide, mix.square_root, mix.call, mix.conversion].map(|n| n as f64).iter().sum::<f64>();
    }
    let (element, bytes) = if f64 >= flop { (ElementType::F64, 8.0) } else { (ElementType::F32, 4.0) };
    if iterations <= 0.0 || flop <= 0.0 || f32.max(f64) < flop || other > TOLERANCE * iterations {
        return None;
    }
    Some(Counted {
        element,
        bytes,
        flop,
        iterations,
        multiply_adds: flop / 2.0 / iterations,
        loads: loaded / bytes / iterations,
        stores: stored / bytes / iterations,
    })
}

/// Everything that the loop stores goes to one place: the sum, which the compiler writes back in each iteration because another
/// array might overlap it. Whether it also loads it again depends on the compiler.
fn stays_put(of: &LoopFacts, traced: Option<&LoopFacts>) -> bool {
    if let Some(traced) = traced {
        let mut stores = traced.access.iter().filter(|a| a.kind != AccessKind::Load && !a.frame).peekable();
        return stores.peek().is_some() && stores.all(|a| a.pattern == StridePattern::Uniform);
    }
    let mut stores = of.strides.iter().filter(|s| s.store).peekable();
    stores.peek().is_some() && stores.all(|s| s.bytes == 0)
}

fn form(of: &LoopFacts, counted: &Counted, stays_put: bool) -> Option<Form> {
    let near = |x: f64, y: f64| (x - y).abs() <= TOLERANCE * y.max(1.0);
    let Counted { multiply_adds: m, loads, stores, .. } = *counted;
    if m < 1.0 - TOLERANCE {
        return None;
    }
    if stores <= TOLERANCE {
        let sums =
            of.chains.iter().any(|c| matches!(c.kind, ChainKind::InOrderSum | ChainKind::VectorReduction));
        // Fewer loads than multiply-adds: a tile of sums in registers, somebody's micro-kernel.
        return (sums && loads >= m * (1.0 + TOLERANCE) && loads <= 2.0 * m * (1.0 + TOLERANCE))
            .then_some(Form::Sum);
    }
    if stays_put {
        let reloaded = near(loads, 2.0 * m + stores);
        let kept = loads <= 2.0 * m * (1.0 + TOLERANCE) && loads >= m * (1.0 + TOLERANCE);
        let carried = of.chains.iter().any(|c| !matches!(c.kind, ChainKind::Induction));
        return (near(stores, m) && (reloaded || (kept && carried))).then_some(Form::Sum);
    }
    let rows = m >= 1.5 * stores;
    (near(loads, m + stores) && stores >= 1.0 - TOLERANCE && m >= stores * (1.0 - TOLERANCE))
        .then_some(Form::Update { rows })
}

/// Every store goes where a load of the same iteration came from.
fn in_place(traced: &LoopFacts) -> bool {
    let same = |store: &AccessFacts, load: &AccessFacts| {
        load.kind != AccessKind::Store
            && load.array.is_some()
            && load.array == store.array
            && load.stride_bytes == store.stride_bytes
    };
    let mut stores = traced.access.iter().filter(|a| a.kind != AccessKind::Load && !a.frame).peekable();
    stores.peek().is_some()
        && stores.all(|s| s.kind != AccessKind::Store || traced.access.iter().any(|l| same(s, l)))
}

/// The loop and those around it that do hardly anything but run it.
fn nest<'a>(facts: &Facts<'a>, of: &LoopFacts) -> Vec<&'a LoopFacts> {
    let mut nest: Vec<&LoopFacts> = facts.loop_by_id(of.id).into_iter().collect();
    for around in facts.ancestors(of) {
        let inside = nest.last().map_or(of.group, |l| l.group);
        let own: f64 = facts.group(of).map(|l| l.self_seconds).sum();
        let within: f64 = nest.last().map_or(own, |l| l.total_seconds.max(own));
        let others: f64 = around
            .children
            .iter()
            .filter_map(|id| facts.loop_by_id(*id))
            .filter(|l| l.group != inside)
            .map(|l| l.total_seconds)
            .sum();
        if !around.calls.is_empty() || others + around.self_seconds > OTHER_WORK * within {
            break;
        }
        nest.push(around);
    }
    nest
}

/// What the nest computes, and whether traced strides confirm it.
fn level(facts: &Facts, of: &LoopFacts, nest: &[&LoopFacts], counted: &Counted) -> (Level, bool) {
    if nest.len() < 2 {
        return (Level::Vectors, facts.traced(of).is_some());
    }
    let accesses: Vec<&AccessFacts> =
        facts.traced(of).map_or(vec![], |l| l.access.iter().filter(|a| !a.frame).collect());
    // Which accesses stay in place while the k-th loop around goes on; nothing where that was not seen.
    let stays = |k: usize| {
        let around = accesses.iter().find_map(|a| a.outer.get(k))?;
        let of_loop = |a: &AccessFacts| {
            a.outer.iter().find(|o| o.loop_id == around.loop_id && o.place == around.place).map(|o| o.pattern)
        };
        let stay = accesses.iter().filter(|a| of_loop(a) == Some(StridePattern::Uniform)).count();
        Some((stay, accesses.len()))
    };
    match stays(0) {
        // The same vectors again, or other ones each time.
        Some((stay, all)) if stay == all || stay == 0 => return (Level::Vectors, true),
        _ => {}
    }
    let (second, third) = (stays(0).is_some(), stays(1));
    // A cycle with several entries is a loop that is not listed: the entry count of the one inside is unknown.
    let hidden = of.trip_count.as_ref().is_some_and(|t| t.source_entries.or(t.entries).is_none());
    if nest.len() + usize::from(hidden) < 3 || third.is_some_and(|(stay, all)| stay == all) {
        return (Level::MatrixVector, second);
    }
    let resident = facts.analysis.program.peak_resident_bytes as f64 / counted.bytes;
    let dense = resident > 0.0 && counted.flop / 2.0 >= DENSE * resident;
    if third.is_some() || dense { (Level::Matrices, second) } else { (Level::MatrixVector, second) }
}

/// Multiply-adds of one call of the library, when they are worth one.
fn calls(of: &LoopFacts, nest: &[&LoopFacts], level: Level, counted: &Counted) -> Option<f64> {
    let entries =
        |l: &LoopFacts| l.trip_count.as_ref().and_then(|t| t.source_entries.or(t.entries)).filter(|n| *n > 0);
    let depth = match level {
        Level::Vectors => 0,
        Level::MatrixVector => 1,
        Level::Matrices => nest.len() - 1,
    };
    // Where cycles with several entries hide how often a loop is entered, its iterations, or those of the loop around, are no
    // less.
    let iterations = |l: &LoopFacts| l.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0);
    let calls = nest
        .get(depth)
        .and_then(|l| entries(l))
        .or_else(|| nest.get(depth + 1).and_then(|l| iterations(l)))
        .or_else(|| nest.get(depth).and_then(|l| iterations(l)))? as f64;
    let side = of.trip_count.as_ref().and_then(|t| t.source_mean_at_least());
    let each = counted.flop / 2.0 / calls;
    (each >= SMALLEST_CALL && side.is_none_or(|n| n >= SMALLEST_SIDE)).then_some(each)
}

/// GFLOP/s that bound the library, and what they follow from.
fn reachable(
    machine: &MachineFacts,
    level: Level,
    counted: &Counted,
    call: f64,
) -> Option<(f64, Option<(MemoryLevel, u64)>)> {
    let peak = [512, 256, 128].into_iter().filter(|bits| *bits <= machine.vector_bits);
    let peak = peak.filter_map(|bits| machine.peak(bits, counted.element)).reduce(f64::max)?;
    // Elements that are read or written for each multiply-add and used once.
    let moved = match level {
        Level::Matrices => return Some((peak, None)),
        Level::MatrixVector => 1.0,
        Level::Vectors => (counted.loads + counted.stores) / counted.multiply_adds,
    };
    let bytes = moved * counted.bytes;
    let held = call * bytes;
    let caches = machine.cache_bytes.iter().position(|size| held <= FILL * *size as f64);
    let from = caches.map_or(MemoryLevel::Dram, MemoryLevel::cache_at);
    let bandwidth = machine.bandwidth(from)?;
    let rate = (2.0 / bytes * bandwidth).min(peak);
    Some((rate, Some((from, held as u64))))
}

fn title(level: Level, element: ElementType) -> String {
    let letter = letter(element);
    match level {
        Level::Matrices => {
            format!("This nest is a product of matrices: call {letter}gemm of a tuned library")
        }
        Level::MatrixVector => {
            format!("This nest is a matrix times a vector: call {letter}gemv of a tuned library")
        }
        Level::Vectors => {
            format!("This loop is a vector operation: call {letter}dot or {letter}axpy of a tuned library")
        }
    }
}

fn letter(element: ElementType) -> char {
    if element == ElementType::F32 { 's' } else { 'd' }
}

fn multiply_adds(form: Form, counted: &Counted) -> Work {
    Work::MultiplyAdds {
        sum: form == Form::Sum,
        multiply_adds: counted.multiply_adds,
        loads: counted.loads,
        stores: counted.stores,
        iterations: counted.iterations as u64,
    }
}

fn how(level: Level, element: ElementType) -> How {
    let letter = letter(element);
    let how = how!(RULE);
    match level {
        Level::Matrices => how
            .c(
                "for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n        for (int k = 0; k < n; k++)\n            c[i*n+j] += a[i*n+k] * b[k*n+j];",
                &format!("cblas_{letter}gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 1, c, n);"),
            )
            .fortran(
                "do j = 1, n\n  do k = 1, n\n    c(:,j) = c(:,j) + a(:,k) * b(k,j)\n  end do\nend do",
                &format!("call {letter}gemm('N', 'N', n, n, n, 1d0, a, n, b, n, 1d0, c, n)"),
            ),
        Level::MatrixVector => how
            .c(
                "for (int i = 0; i < m; i++)\n    for (int j = 0; j < n; j++)\n        y[i] += a[i*n+j] * x[j];",
                &format!("cblas_{letter}gemv(CblasRowMajor, CblasNoTrans, m, n, 1, a, n, x, 1, 1, y, 1);"),
            )
            .fortran(
                "do j = 1, n\n  y = y + a(:,j) * x(j)\nend do",
                &format!("call {letter}gemv('N', m, n, 1d0, a, m, x, 1, 1d0, y, 1)"),
            ),
        Level::Vectors => how
            .c(
                "for (int i = 0; i < n; i++)\n    sum += x[i] * y[i];",
                &format!("sum += cblas_{letter}dot(n, x, 1, y, 1);"),
            )
            .fortran(
                "do i = 1, n\n  sum = sum + x(i) * y(i)\nend do",
                &format!("sum = sum + {letter}dot(n, x, 1, y, 1)"),
            ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        access, chain, count, fired, measured, near, of_array, outer, scalar_loop, states, trace, vector_loop,
    };
    use loopwright_analysis::model::Analysis;

    const ROW: i64 = 8000;

    /// `for (i) for (j) for (k) c[i][j] += a[i][k] * b[k][j]` on 1000 x 1000 elements, at 0.5 GFLOP/s.
    fn naive(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        let inner = scalar_loop(|l| {
            l.chains.push(chain(ChainKind::InOrderSum, "xmm0", 4));
            l.instruction_mix.store = 0;
            l.bytes_stored_per_iteration = 0;
            count(l, 1_000_000, 1000);
            trace(
                l,
                vec![
                    outer(access("a[i][k]", AccessKind::Load, 8, 1), 2, 0),
                    outer(access("b[k][j]", AccessKind::Load, 8, ROW / 8), 2, 8),
                ],
            );
            l.parent = Some(2);
            change(l);
        });
        let around = |id: u32, entries, parent, child| {
            scalar_loop(|l| {
                (l.id, l.group, l.innermost, l.group_share) = (id, id, false, 0.0);
                (l.self_seconds, l.parent, l.children) = (0.0, parent, vec![child]);
                count(l, entries, 1000);
            })
        };
        let mut analysis = measured(vec![inner, around(2, 1000, Some(3), 1), around(3, 1, None, 2)]);
        // Three matrices.
        analysis.program.peak_resident_bytes = 26 << 20;
        analysis
    }

    #[test]
    fn fires_on_a_product_of_matrices_with_the_peak_as_its_bound() {
        let r = fired(&RULE, &naive(|_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("use-tuned-library", Confidence::High));
        assert!(r.title.contains("dgemm"), "{}", r.title);
        // 24 GFLOP/s at best, 0.5 achieved.
        let gain = r.loop_gain.unwrap();
        assert!((gain.low() - 19.2).abs() < 1e-6 && (gain.high() - 45.6).abs() < 1e-6, "{gain:?}");
        assert!(r.how.c.as_ref().unwrap().after.contains("cblas_dgemm"));
        assert!(
            states!(r, Work::MultiplyAdds { multiply_adds, loads, stores, .. } if near(*multiply_adds, 1.0) && near(*loads, 2.0) && near(*stores, 0.0)),
            "{:?}",
            r.said()
        );
    }

    #[test]
    fn a_sum_that_each_iteration_writes_back_is_a_product_too() {
        let written_back = |loads: u32, along: i64| {
            let c = |kind| outer(access("c[i][j]", kind, 8, along), 2, 8);
            fired(
                &RULE,
                &naive(|l| {
                    l.instruction_mix.store = 1;
                    (l.bytes_stored_per_iteration, l.bytes_loaded_per_iteration) = (8, 8 * loads);
                    count(l, 1_000_000, 1000);
                    l.access.push(c(AccessKind::Store));
                    if loads > 2 {
                        l.access.push(c(AccessKind::Load));
                    }
                }),
            )
        };
        for loads in [2, 3] {
            let r = written_back(loads, 0).unwrap_or_else(|| panic!("{loads} loads"));
            assert!(r.title.contains("dgemm"), "{}", r.title);
        }
        assert!(written_back(3, 1).is_none(), "another place each time: no sum");
    }

    #[test]
    fn fires_on_a_matrix_times_a_vector_with_a_bandwidth_as_its_bound() {
        // Called 1000 times on 1000 x 1000 elements: 8 MB come from L3.
        let mut analysis = naive(|_| ());
        analysis.loops[2].calls.push(crate::fixtures::call(Some("other")));
        analysis.loops[1].trip_count = Some(crate::fixtures::trips(1000, 1000));
        let r = fired(&RULE, &analysis).unwrap();
        assert!(r.title.contains("dgemv"), "{}", r.title);
        assert!(
            states!(r, Work::LibraryRate { from: Some((MemoryLevel::L3, 8_000_000)), .. }),
            "{:?}",
            r.said()
        );
        // 40 GB/s at two operations in 8 bytes: 10 GFLOP/s.
        assert!((r.loop_gain.unwrap().low() - 8.0).abs() < 1e-6, "{:?}", r.loop_gain);
    }

    /// `for (rep) for (i) y[i] += s * x[i]` or a triad, on 100000 elements, 10000 times.
    fn vectors(store_to: u32) -> Analysis {
        measured(vec![vector_loop(|l| {
            count(l, 10_000, 25_000);
            let load =
                |name: &str, array| of_array(access(name, AccessKind::Load, 8, 1), array, 800_000, 1.0);
            let store = of_array(access("y[i]", AccessKind::Store, 8, 1), store_to, 800_000, 1.0);
            trace(l, vec![load("x[i]", 1), load("y[i]", 2), store]);
            l.self_seconds = 12.0;
        })])
    }

    #[test]
    fn fires_on_updates_in_place_and_not_on_triads() {
        let r = fired(&RULE, &vectors(2)).unwrap();
        assert!(
            r.title.contains("daxpy")
                && states!(r, Work::LibraryRate { from: Some((MemoryLevel::L3, _)), .. }),
            "{:?}",
            r.said()
        );
        assert!(fired(&RULE, &vectors(3)).is_none(), "a triad has no such routine");
        let mut untraced = vectors(2);
        untraced.loops[0].access.clear();
        assert!(fired(&RULE, &untraced).is_none(), "whether it is in place is unknown");
    }

    #[test]
    fn repeated_products_with_the_same_vector_are_no_product_of_matrices() {
        let again = |l: &mut LoopFacts| {
            l.access.iter_mut().for_each(|a| {
                let mut second = a.outer[0].clone();
                (second.loop_id, second.place) = (Some(3), "kernel.c:1".into());
                (second.pattern, second.stride_bytes) = (StridePattern::Uniform, Some(0));
                a.outer.push(second);
            });
        };
        assert!(fired(&RULE, &naive(again)).unwrap().title.contains("dgemv"));
    }

    #[test]
    fn silent_near_the_bound_on_small_sparse_and_other_arithmetic() {
        let at_peak = naive(|l| (l.self_seconds, l.total_seconds) = (0.09, 0.09));
        let mut fast = at_peak;
        fast.loops.iter_mut().skip(1).for_each(|l| l.total_seconds = 0.09);
        assert!(fired(&RULE, &fast).is_none(), "22 of 24 GFLOP/s");
        assert!(fired(&RULE, &naive(|l| count(l, 100_000_000, 10))).is_none(), "rows of ten");
        assert!(fired(&RULE, &naive(|l| l.work.as_mut().unwrap().mix.divide = 1_000_000_000)).is_none());
        assert!(
            fired(&RULE, &naive(|l| l.work.as_mut().unwrap().flop *= 3)).is_none(),
            "three times the arithmetic per load"
        );
        assert!(fired(&RULE, &naive(|l| l.access[1].pattern = StridePattern::Variable)).is_none(), "sparse");
        assert!(fired(&RULE, &naive(|l| l.chains.clear())).is_none(), "no sum");
    }

    #[test]
    fn silent_on_vectors_whose_elements_are_apart() {
        let vectors = |stride: i64| {
            let mut analysis = naive(|l| {
                l.parent = None;
                trace(
                    l,
                    vec![
                        access("x[i]", AccessKind::Load, 8, stride),
                        access("y[i]", AccessKind::Load, 8, stride),
                    ],
                );
            });
            analysis.loops.truncate(1);
            fired(&RULE, &analysis).is_some()
        };
        assert!(!vectors(24));
    }

    #[test]
    fn silent_without_counts_and_unpriced_without_ceilings() {
        assert!(fired(&RULE, &naive(|l| l.trip_count = None)).is_none());
        let mut unmeasured = naive(|_| ());
        unmeasured.machine.as_mut().unwrap().ceilings = None;
        let r = fired(&RULE, &unmeasured).unwrap();
        assert_eq!((r.loop_gain, r.next.as_deref()), (None, Some("loopwright machine --measure")));
    }

    #[test]
    fn several_rows_at_once_need_no_trace() {
        let mut jammed = naive(|l| {
            // Two rows of b for each load and store of c, as compilers unroll and jam.
            let work = l.work.as_mut().unwrap();
            (work.flop, work.flop_f64) = (4_000_000_000, 4_000_000_000);
            (work.bytes_loaded, work.bytes_stored) = (24_000_000_000, 8_000_000_000);
            l.access.clear();
            l.memory = None;
            l.chains.truncate(1);
        });
        let r = fired(&RULE, &jammed).unwrap();
        assert_eq!((r.confidence, r.title.contains("dgemm")), (Confidence::Medium, true));
        jammed.program.peak_resident_bytes = 16 << 30;
        assert!(fired(&RULE, &jammed).unwrap().title.contains("dgemv"), "each element is used twice");
    }
}
