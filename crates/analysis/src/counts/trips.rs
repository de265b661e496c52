//! Trip counts: of the machine loop as counted, and of the loop as written.
//!
//! A compiler makes body, peel and remainder of one written loop, and straight code. One machine iteration of a piece does
//! `factor` source iterations ([`super::iterations`] infers how many); the source iterations of the written loop are the sum
//! over its pieces of iterations x factor, and of straight code, and a piece's share is its part of that sum.
//!
//! How often the written loop was entered is not counted anywhere: short trips go to the remainder at once, long ones
//! without a rest never reach it. Each entry runs each piece at most once and some piece at least once, so that the
//! entries are between the largest and the sum of the pieces' entries; and the enclosing loop (or function) enters it at
//! most once per iteration. Where the two bounds meet the number is exact, else both are given.

use super::iterations::Inferred;
use super::merge::LoopTally;
use crate::model::{Provenance, TripCount};
use loopwright_binary::facts::{LoopCode, LoopRole, Trait};

/// A piece of a written loop.
pub struct Piece<'a> {
    pub code: &'a LoopCode,
    /// Its counts; absent when it was not counted.
    pub tally: Option<&'a LoopTally>,
    /// Its function was counted whole: a piece without counts never ran.
    pub complete: bool,
    /// Passes of what encloses it: iterations of the loop around it or calls of the function.
    pub passes: Option<u64>,
}

impl Piece<'_> {
    fn known(&self) -> bool {
        self.tally.is_some() || self.complete
    }

    /// Machine iterations; absent when they were not counted.
    pub fn iterations(&self) -> Option<u64> {
        match self.tally {
            Some(tally) => Some(tally.iterations),
            None => self.complete.then_some(0),
        }
    }

    fn entries(&self) -> Option<u64> {
        match self.tally {
            Some(tally) => tally.entries,
            None => self.complete.then_some(0),
        }
    }
}

/// What is known of a written loop from its pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Its iterations, as far as they are certain.
    pub inferred: Inferred,
    /// Least and most entries.
    pub entries: Option<(u64, u64)>,
    /// All pieces were counted.
    pub complete: bool,
}

/// Strides of a piece's memory operands, ascending; operands that stay where they are left out.
fn strides(code: &LoopCode) -> Vec<u64> {
    let mut strides: Vec<u64> =
        code.strides.iter().map(|stride| stride.bytes.unsigned_abs()).filter(|&bytes| bytes > 0).collect();
    strides.sort_unstable();
    strides
}

/// Source iterations of one machine iteration of a piece alone, from its lanes.
///
/// Vector length x unroll are those of the arithmetic's main type. Where types are converted, memory holds narrower or
/// wider elements than that, and one pass may do several vectors: the widest stream counts vectors of the widest type,
/// the narrowest access holds one element for each lane. In-order sums are packed up to the addition: whole vectors in
/// memory show that an iteration of theirs does as many elements.
fn lanes(code: &LoopCode) -> u32 {
    let Some(vector) = &code.vector else { return 1 };
    let lanes = vector.length.saturating_mul(vector.unroll).max(1);
    let (strides, register) = (strides(code), u64::from(vector.bits / 8).max(1));
    if !code.vectorized {
        let pass = register.saturating_mul(u64::from(vector.unroll));
        let whole = !strides.is_empty() && strides.iter().all(|&bytes| bytes == pass);
        return if whole && code.strides.iter().all(|s| s.bytes == 0 || u64::from(s.size) == register) {
            lanes
        } else {
            1
        };
    }
    if !code.traits.contains(&Trait::Conversion) {
        return lanes;
    }
    let widest_type = code.types.iter().map(|element| u64::from(element.bits() / 8)).max().unwrap_or(0);
    let sizes = code.strides.iter().filter(|s| s.bytes != 0).map(|s| u64::from(s.size));
    let element = sizes.min().unwrap_or(0) / u64::from(vector.length.max(1));
    let many = |bytes: Option<&u64>, element: u64| {
        let elements = bytes.copied().unwrap_or(0).checked_div(element).unwrap_or(0);
        // What is no power of two is an array of structures, not a number of vectors.
        elements.is_power_of_two().then(|| u32::try_from(elements).ok()).flatten().unwrap_or(0)
    };
    lanes.max(many(strides.last(), widest_type)).max(many(strides.first(), element)).min(1024)
}

/// Source iterations of one machine iteration of each piece that its lanes and strides suggest: where tracing begins,
/// which sees what the operands do. What is said of iterations as written is not taken from here.
///
/// The piece that advances least is the most reliable: all pieces walk the same arrays, so that the ratio of their strides is the
/// ratio of the source iterations. The narrowest stream is compared first (strided ones become gathers, which have no
/// stride), then the widest. A piece without such a sibling does what its lanes say.
pub fn presumed(pieces: &[Piece]) -> Vec<u32> {
    let advances: Vec<Vec<u64>> = pieces.iter().map(|piece| strides(piece.code)).collect();
    let least = (0..pieces.len()).filter(|&at| !advances[at].is_empty()).min_by_key(|&at| {
        (pieces[at].code.vectorized, advances[at].first().copied(), advances[at].last().copied())
    });
    let Some(least) = least else { return pieces.iter().map(|piece| lanes(piece.code)).collect() };
    let ratio = |a: Option<&u64>, b: Option<&u64>| -> Option<u32> {
        let (a, b) = (*a?, *b?);
        (a >= b && a.is_multiple_of(b)).then(|| u32::try_from(a / b).ok()).flatten()
    };
    let times = |at: usize| {
        let (own, unit_of) = (&advances[at], &advances[least]);
        let times = ratio(own.first(), unit_of.first()).or_else(|| ratio(own.last(), unit_of.last()));
        times.filter(|&times| times <= 4096)
    };
    let unrolled =
        (0..pieces.len()).filter_map(|at| unrolled_unit(pieces[least].code, pieces[at].code, times(at)?));
    let unit = unrolled.max().unwrap_or_else(|| lanes(pieces[least].code));
    let of = |at: usize| times(at).map_or_else(|| lanes(pieces[at].code), |times| unit.saturating_mul(times));
    (0..pieces.len()).map(of).collect()
}

/// How often a scalar remainder was itself unrolled: the body's lanes say more than the ratio of the strides does, and the
/// remainder's accesses leave room for it. Bodies that move lanes about are left out: there the room is that of an array of
/// structures.
fn unrolled_unit(scalar: &LoopCode, body: &LoopCode, times: u32) -> Option<u32> {
    const MOVES: [Trait; 5] =
        [Trait::Shuffle, Trait::Insert, Trait::Extract, Trait::Gather, Trait::Conversion];
    if scalar.vector.is_some() || !body.vectorized || body.traits.iter().any(|t| MOVES.contains(t)) {
        return None;
    }
    let unit = lanes(body)
        .checked_div(times)
        .filter(|unit| unit * times == lanes(body) && (2..=8).contains(unit))?;
    let room = |s: &loopwright_binary::facts::StaticStride| {
        s.bytes == 0 || s.bytes.unsigned_abs() >= u64::from(unit) * u64::from(s.size)
    };
    scalar.strides.iter().all(room).then_some(unit)
}

/// Puts the pieces together; absent when none was counted.
pub fn written(pieces: &[Piece], infer: impl FnOnce() -> Inferred) -> Option<Written> {
    if pieces.iter().all(|piece| piece.tally.is_none()) {
        return None;
    }
    let (inferred, complete) = (infer(), pieces.iter().all(Piece::known));
    let entries = complete.then(|| entries(pieces)).flatten();
    // Straight code may have done whole entries, which no piece saw: only what encloses the loop bounds them.
    let passes = || pieces.iter().map(|piece| piece.passes).reduce(|a, b| a.filter(|_| a == b)).flatten();
    let entries = match entries {
        Some((low, _)) if inferred.straight > 0 || inferred.total.is_none() && pieces.len() > 1 => {
            passes().filter(|&passes| passes >= low).map(|passes| (low, passes))
        }
        entries => entries,
    };
    Some(Written { inferred, entries, complete })
}

/// Bounds of the entries of the written loop.
fn entries(pieces: &[Piece]) -> Option<(u64, u64)> {
    // Pieces in different versions of the enclosing loop are entered by different passes.
    let mut parents: Vec<Option<u32>> = pieces.iter().map(|piece| piece.code.parent).collect();
    parents.sort_unstable();
    parents.dedup();
    let (mut least, mut most) = (0u64, 0u64);
    for parent in parents {
        let of_parent: Vec<&Piece> = pieces.iter().filter(|piece| piece.code.parent == parent).collect();
        let (mut largest, mut version, mut sum) = (0u64, 0u64, 0u64);
        for piece in &of_parent {
            let entries = piece.entries()?;
            sum = sum.saturating_add(entries);
            // A version runs instead of the others.
            let slot = if piece.code.role == LoopRole::Version { &mut version } else { &mut largest };
            *slot = (*slot).max(entries);
        }
        let passes = of_parent.first().and_then(|piece| piece.passes);
        let highest = passes.filter(|&passes| passes >= largest.max(version)).map_or(sum, |p| p.min(sum));
        least = least.saturating_add(largest.saturating_add(version).min(highest));
        most = most.saturating_add(highest);
    }
    Some((least, most))
}

/// The trip count of piece `index` of a written loop.
pub fn trip_count(pieces: &[Piece], written: &Written, index: usize) -> Option<TripCount> {
    let piece = pieces.get(index).filter(|piece| piece.known())?;
    let never = LoopTally { entries: Some(0), ..LoopTally::default() };
    let tally = piece.tally.unwrap_or(&never);
    let trips = tally.trips.as_ref().filter(|trips| trips.entries() > 0);
    let median = trips.and_then(|trips| trips.median());
    let inferred = &written.inferred;
    let total = inferred.total;
    let source_iterations = total.and_then(|_| inferred.iterations.get(index).copied());
    let mean = |iterations: u64, entries: u64| (entries > 0).then(|| iterations as f64 / entries as f64);
    let exact = written.entries.filter(|(low, high)| low == high).map(|(low, _)| low);
    let bounds = written.entries.filter(|(low, high)| low != high);
    Some(TripCount {
        entries: tally.entries,
        iterations: tally.iterations,
        min: trips.map(|trips| trips.min),
        median: median.filter(|(low, high)| low == high).map(|(low, _)| low),
        median_bounds: median.filter(|(low, high)| low != high),
        mean: tally.entries.and_then(|entries| mean(tally.iterations, entries)),
        max: trips.map(|trips| trips.max),
        histogram: trips.map(|trips| trips.buckets.clone()).unwrap_or_default(),
        approximate: trips.is_some_and(|trips| trips.approximate),
        source_factor: total.and_then(|_| inferred.factors.get(index).copied().flatten()),
        source_iterations,
        source_share: source_iterations.zip(total).and_then(|(own, total)| super::work::share(own, total)),
        group_iterations: total,
        straight_iterations: inferred.straight,
        source_entries: exact,
        source_entries_bounds: bounds,
        source_mean: exact.zip(total).and_then(|(entries, total)| mean(total, entries)),
        source_mean_bounds: bounds.and_then(|(low, high)| Some((mean(total?, high)?, mean(total?, low)?))),
        group_complete: written.complete,
        source_provenance: total
            .map(|_| if inferred.inferred { Provenance::Inferred } else { Provenance::Counted }),
        source_unknown: inferred.unknown.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{scalar_loop, vector_loop};
    use loopwright_binary::facts::StaticStride;
    use loopwright_instrument::facts::TripHistogram;

    fn tally(entries: u64, iterations: u64) -> LoopTally {
        LoopTally { entries: Some(entries), iterations, ..LoopTally::default() }
    }

    fn stride(bytes: i64) -> StaticStride {
        StaticStride { address: 0, bytes, size: 8, store: false, line: 1 }
    }

    fn body(role: LoopRole, unroll: u32) -> LoopCode {
        let mut code = vector_loop(4);
        code.role = role;
        code.vector.as_mut().unwrap().unroll = unroll;
        code
    }

    fn scalar(role: LoopRole) -> LoopCode {
        LoopCode { role, ..scalar_loop(1, (0x200, 0x220), 10) }
    }

    /// What is inferred where one machine iteration of each piece does as many source iterations as `factors` says.
    fn known(pieces: &[Piece], factors: &[u32]) -> Inferred {
        let iterations: Vec<u64> =
            pieces.iter().zip(factors).map(|(p, &f)| p.iterations().unwrap_or(0) * u64::from(f)).collect();
        Inferred {
            factors: factors.iter().map(|&factor| Some(factor)).collect(),
            total: pieces.iter().all(|p| p.known()).then(|| iterations.iter().sum()),
            iterations,
            inferred: factors.iter().any(|&factor| factor > 1),
            ..Inferred::default()
        }
    }

    fn piece<'a>(code: &'a LoopCode, tally: Option<&'a LoopTally>, passes: Option<u64>) -> Piece<'a> {
        Piece { code, tally, complete: true, passes }
    }

    #[test]
    fn a_remainder_with_43_percent_of_the_iterations() {
        // 100 calls of a loop of 7 elements, AVX2 doubles: body 1 x 4, remainder 3.
        let (code, rest) = (body(LoopRole::Body, 1), scalar(LoopRole::Remainder));
        let (of_body, of_rest) = (tally(100, 100), tally(100, 300));
        let pieces = [piece(&code, Some(&of_body), Some(100)), piece(&rest, Some(&of_rest), Some(100))];
        let written = written(&pieces, || known(&pieces, &[4, 1])).unwrap();
        assert_eq!((written.inferred.total, written.entries), (Some(700), Some((100, 100))));
        let remainder = trip_count(&pieces, &written, 1).unwrap();
        assert!((remainder.source_share.unwrap() - 3.0 / 7.0).abs() < 1e-15);
        assert_eq!((remainder.source_mean, remainder.group_iterations), (Some(7.0), Some(700)));
        assert_eq!(remainder.source_provenance, Some(Provenance::Inferred));
        let main = trip_count(&pieces, &written, 0).unwrap();
        assert_eq!(
            (main.source_iterations, main.mean, main.source_entries),
            (Some(400), Some(1.0), Some(100))
        );
        assert!(main.group_complete);
    }

    #[test]
    fn entries_are_bounded_where_pieces_do_not_tell() {
        // 60 long trips without a rest, 50 short ones: the body saw 60, the remainder 50; 110 passes or more.
        let (code, rest) = (body(LoopRole::Body, 2), scalar(LoopRole::Remainder));
        let (of_body, of_rest) = (tally(60, 600), tally(50, 100));
        let with = |passes| {
            let pieces = [piece(&code, Some(&of_body), passes), piece(&rest, Some(&of_rest), passes)];
            written(&pieces, || known(&pieces, &[8, 1])).unwrap()
        };
        assert_eq!(with(None).entries, Some((60, 110)));
        assert_eq!(with(Some(90)).entries, Some((60, 90)));
        assert_eq!(with(Some(60)).entries, Some((60, 60)));
        // Fewer iterations than were seen contradict: the enclosing loop was unrolled and gives no bound.
        assert_eq!(with(Some(30)).entries, Some((60, 110)));
        let pieces = [piece(&code, Some(&of_body), Some(90)), piece(&rest, Some(&of_rest), Some(90))];
        let trips = trip_count(&pieces, &with(Some(90)), 0).unwrap();
        assert_eq!((trips.source_entries, trips.source_entries_bounds), (None, Some((60, 90))));
        // 600 x 8 + 100 source iterations.
        assert_eq!(trips.source_mean_bounds, Some((4900.0 / 90.0, 4900.0 / 60.0)));
        assert_eq!(trips.source_mean_at_least(), Some(4900.0 / 90.0));
    }

    #[test]
    fn versions_are_alternatives() {
        let (code, alias) = (body(LoopRole::Body, 1), scalar(LoopRole::Version));
        let (of_body, of_alias) = (tally(60, 600), tally(40, 4000));
        let pieces = [piece(&code, Some(&of_body), Some(100)), piece(&alias, Some(&of_alias), Some(100))];
        assert_eq!(written(&pieces, || known(&pieces, &[4, 1])).unwrap().entries, Some((100, 100)));
    }

    #[test]
    fn strides_tell_better_than_lanes() {
        // Bytes summed into 32-bit lanes: 8 lanes by the type of the arithmetic, but 32 bytes of data per iteration.
        let mut code = body(LoopRole::Body, 1);
        code.strides = vec![stride(32)];
        let mut rest = scalar(LoopRole::Remainder);
        rest.strides = vec![stride(-1)];
        let pieces = [piece(&code, None, None), piece(&rest, None, None)];
        assert_eq!(presumed(&pieces), vec![32, 1]);
        // An unrolled scalar body.
        let mut unrolled = scalar(LoopRole::Body);
        unrolled.strides = vec![stride(16)];
        let mut rest = scalar(LoopRole::Remainder);
        rest.strides = vec![stride(8)];
        assert_eq!(presumed(&[piece(&unrolled, None, None), piece(&rest, None, None)]), vec![2, 1]);
        // No ratio: the lanes.
        code.strides = vec![stride(12)];
        assert_eq!(presumed(&[piece(&code, None, None), piece(&rest, None, None)]), vec![4, 1]);
        assert_eq!(presumed(&[piece(&body(LoopRole::Whole, 2), None, None)]), vec![8]);
        // The remainder was unrolled by two, and four vectors of two doubles make an iteration of the body.
        let mut unrolled = body(LoopRole::Body, 2);
        unrolled.strides = vec![stride(64)];
        let mut rest = scalar(LoopRole::Remainder);
        rest.strides = vec![stride(16), stride(16)];
        assert_eq!(presumed(&[piece(&unrolled, None, None), piece(&rest, None, None)]), vec![8, 2]);
        // With shuffles these are structures of two.
        unrolled.traits = vec![Trait::Shuffle];
        assert_eq!(presumed(&[piece(&unrolled, None, None), piece(&rest, None, None)]), vec![4, 1]);
        // Strided loads became gathers, which have no stride; the store beside them is left: 128 / 8.
        code.strides = vec![stride(128)];
        rest.strides = vec![stride(24), stride(8)];
        assert_eq!(presumed(&[piece(&code, None, None), piece(&rest, None, None)]), vec![16, 1]);
    }

    #[test]
    fn a_vector_loop_alone_does_what_its_lanes_and_streams_say() {
        let alone = |change: &dyn Fn(&mut LoopCode)| {
            let mut code = body(LoopRole::Whole, 1);
            change(&mut code);
            presumed(&[piece(&code, None, None)])[0]
        };
        let operand = |bytes, size| StaticStride { size, ..stride(bytes) };
        // float to double, 256 bits: eight floats in, two vectors of four doubles out.
        let widening = alone(&|code| {
            code.traits = vec![Trait::Conversion];
            code.strides = vec![operand(32, 16), operand(32, 32), operand(64, 32), operand(64, 32)];
        });
        assert_eq!(widening, 8);
        // int summed in 64-bit lanes: sixteen bytes hold four of them.
        let integers = alone(&|code| {
            code.traits = vec![Trait::Conversion];
            code.types = vec![loopwright_binary::facts::ElementType::I64];
            code.strides = vec![operand(32, 16), operand(32, 32)];
        });
        assert_eq!(integers, 8);
        // Three doubles of a structure at a time: no number of vectors.
        assert_eq!(alone(&|code| code.strides = vec![operand(96, 32), operand(96, 32), operand(32, 32)]), 4);
        // A sum in source order is not vectorised, its loads and multiplications are.
        let in_order = |size| {
            alone(&|code| {
                code.vectorized = false;
                code.strides = vec![operand(32, size)];
            })
        };
        assert_eq!((in_order(32), in_order(8)), (4, 1));
    }

    #[test]
    fn a_piece_that_never_ran_did_nothing_and_one_not_counted_is_unknown() {
        let (code, rest) = (body(LoopRole::Body, 1), scalar(LoopRole::Remainder));
        let of_body = tally(10, 100);
        let mut pieces = [piece(&code, Some(&of_body), Some(10)), piece(&rest, None, Some(10))];
        let all = written(&pieces, || known(&pieces, &[4, 1])).unwrap();
        let never = trip_count(&pieces, &all, 1).unwrap();
        assert_eq!((never.entries, never.iterations, never.source_share), (Some(0), 0, Some(0.0)));
        assert_eq!((never.min, never.mean, all.entries), (None, None, Some((10, 10))));
        pieces[1].complete = false;
        let unknown = written(&pieces, || known(&pieces, &[4, 1])).unwrap();
        assert!(!unknown.complete && unknown.entries.is_none());
        assert_eq!(trip_count(&pieces, &unknown, 1), None);
        assert!(!trip_count(&pieces, &unknown, 0).unwrap().group_complete);
        pieces[0].tally = None;
        assert_eq!(written(&pieces, Inferred::default), None);
    }

    #[test]
    fn the_median_is_exact_or_bounded() {
        let code = scalar(LoopRole::Whole);
        let median = |trips: TripHistogram| {
            let entries = trips.entries();
            let counted = LoopTally {
                entries: Some(entries),
                iterations: 90,
                trips: Some(trips),
                ..LoopTally::default()
            };
            let pieces = [piece(&code, Some(&counted), None)];
            let written = written(&pieces, || known(&pieces, &[1])).unwrap();
            let trips = trip_count(&pieces, &written, 0).unwrap();
            (trips.median, trips.median_bounds, trips.min, trips.max)
        };
        // 1, 2, 2, 9, 9: the third.
        let narrow = TripHistogram {
            min: 1,
            max: 9,
            buckets: vec![(1, 1, 1), (2, 2, 2), (9, 9, 2)],
            approximate: false,
        };
        assert_eq!(median(narrow), (Some(2), None, Some(1), Some(9)));
        // One of three in the bucket 16..19, all between 17 and 18.
        let wide = TripHistogram { min: 17, max: 18, buckets: vec![(16, 19, 3)], approximate: false };
        assert_eq!(median(wide), (None, Some((17, 18)), Some(17), Some(18)));
        let alike = TripHistogram { min: 1000, max: 1000, buckets: vec![(896, 1023, 5)], approximate: false };
        assert_eq!(median(alike), (Some(1000), None, Some(1000), Some(1000)));
        assert_eq!(median(TripHistogram::default()), (None, None, None, None));
    }

    #[test]
    fn straight_code_may_have_done_whole_entries() {
        let code = body(LoopRole::Body, 1);
        let of_body = tally(60, 600);
        let pieces = [piece(&code, Some(&of_body), Some(90))];
        let straight = || Inferred { straight: 30, total: Some(2430), ..known(&pieces, &[4]) };
        let written = written(&pieces, straight).unwrap();
        assert_eq!(written.entries, Some((60, 90)));
        let trips = trip_count(&pieces, &written, 0).unwrap();
        assert_eq!((trips.group_iterations, trips.straight_iterations), (Some(2430), 30));
    }
}
