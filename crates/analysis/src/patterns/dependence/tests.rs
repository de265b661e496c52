//! Each verdict, from made-up facts.

use crate::fixtures::{function, module, scalar_loop};
use crate::model::{DependenceFacts, ParallelVerdict, VectorVerdict};
use loopwright_binary::facts::{
    CarriedKind, CarriedValue, InstructionLine, LoopCode, LoopEnds, StaticStride,
};
use loopwright_experiment::{Facts, Listing, Run};
use loopwright_instrument::traced::{Patterns, TracedModule};
use loopwright_patterns::facts::{
    AccessKind, Checked, Dependence, DependenceKind, Edge, LevelStrides, LoopPatterns, SitePattern,
    UntracedCall,
};
use loopwright_patterns::warning::Gap;
use loopwright_sample::recording::Target;

use AccessKind::{Load, Store};
use DependenceKind::{Anti, Flow, Output};

/// A loop at 0x210 of a function at 0x200 with operands `(address, kind, stride)` of 8 bytes, each on the line of
/// its address: 0x214 on 4, 0x218 on 8 ...
struct Case {
    seen: LoopPatterns,
    carried: Vec<CarriedValue>,
    ends: LoopEnds,
    /// Instructions whose operands the code proves to be constant offsets from one base, with the base's number.
    classes: Vec<(u64, u32)>,
    counter_stores: Vec<u64>,
    exhaustive: bool,
    lines: fn(u64) -> u32,
}

fn case(operands: &[(u64, AccessKind, i64)]) -> Case {
    let site = |&(address, kind, stride): &(u64, AccessKind, i64)| SitePattern {
        function: 0x200,
        address,
        kind,
        size: 8,
        element: 8,
        lanes: 1,
        executions: 64,
        strides: vec![LevelStrides {
            header: 0x210,
            steps: 63,
            values: vec![(stride, 63)],
            ..LevelStrides::default()
        }],
        ..SitePattern::default()
    };
    let seen = LoopPatterns {
        function: 0x200,
        header: 0x210,
        entries: 200,
        iterations: 12_800,
        sites: operands.iter().map(site).collect(),
        checked: Some(Checked { iterations: 12_800, entries: 200, longest: 4096, forgotten: 0 }),
        ..LoopPatterns::default()
    };
    Case {
        seen,
        carried: Vec::new(),
        ends: LoopEnds::default(),
        classes: Vec::new(),
        counter_stores: Vec::new(),
        exhaustive: false,
        lines: |address| (address - 0x210) as u32,
    }
}

impl Case {
    fn with(mut self, kind: DependenceKind, source: u32, sink: u32, distances: &[u64]) -> Self {
        let edge =
            |&distance: &u64| Edge { distance, source_offset: 0, sink_offset: 0, length: 8, count: 10 };
        self.seen.dependences.push(Dependence {
            kind,
            source,
            sink,
            edges: distances.iter().map(edge).collect(),
            exposed: 10,
            example: 0x7000,
            ..Dependence::default()
        });
        self
    }

    /// The last dependence is at one address; `exposed` occurrences are read before they are written.
    fn scalar(mut self, exposed: u64) -> Self {
        let last = self.seen.dependences.last_mut().unwrap();
        (last.scalar, last.exposed) = (true, exposed);
        self
    }

    fn callee(mut self) -> Self {
        let last = self.seen.dependences.last_mut().unwrap();
        (last.callee_frame, last.exposed) = (true, 0);
        self
    }

    fn carries(mut self, value: CarriedValue) -> Self {
        self.carried.push(value);
        self
    }

    /// The code proves the distance of these operands.
    fn one_base(mut self, addresses: &[u64]) -> Self {
        self.classes.extend(addresses.iter().map(|&address| (address, 0)));
        self
    }

    fn facts(self) -> DependenceFacts {
        let mut l = scalar_loop(0, (0x210, 0x2f0), 30);
        l.carried = Some(self.carried.clone());
        l.ends = Some(self.ends.clone());
        l.address_classes = self.classes.clone();
        l.counter_stores = self.counter_stores.clone();
        self.seen_in(vec![l])
    }

    fn seen_in(&self, loops: Vec<LoopCode>) -> DependenceFacts {
        let patterns = Patterns {
            modules: vec![TracedModule { path: "/bin/a".into(), build_id: Some("b1".into()), bias: None }],
            loops: vec![self.seen.clone()],
            dependences: true,
            exhaustive: self.exhaustive,
            ..Patterns::default()
        };
        let target = Target { command: vec!["./a".into()], executable: "/bin/a".into(), ..Target::default() };
        let code = module(vec![function(2, "work", (0x200, 0x300), loops, 3)]);
        let run = Run { id: 1, target, facts: patterns, machine: None, code: vec![code] };
        let line = |address: u64| InstructionLine {
            address,
            text: String::new(),
            file: Some(0),
            line: (self.lines)(address),
            column: 0,
            in_loop: Some(0),
        };
        let instructions = (0x210..0x2f0).map(line).collect();
        let listing = Listing { files: vec!["/src/w.c".into()], instructions };
        let facts = Facts { traced: vec![run], listings: [(2, listing)].into(), ..Facts::default() };
        let analysis = crate::analyse(&facts);
        let found = analysis.loops.iter().find(|l| l.id == 3).and_then(|l| l.dependence.clone());
        found.expect("the loop was checked")
    }
}

fn value(place: &str, kind: CarriedKind, memory: bool, writers: &[u64], readers: &[u64]) -> CarriedValue {
    CarriedValue {
        place: place.into(),
        memory,
        kind,
        operation: (kind == CarriedKind::Reduction).then(|| "+".into()),
        floating: kind == CarriedKind::Reduction,
        distance: 1,
        copies: 1,
        writers: writers.to_vec(),
        readers: readers.to_vec(),
        step: None,
    }
}

#[test]
fn nothing_carried_is_safe_as_far_as_was_checked() {
    let facts = case(&[(0x214, Load, 8), (0x218, Store, 8)]).with(Anti, 0, 1, &[0]).facts();
    assert_eq!((facts.vector, facts.parallel), (VectorVerdict::Safe, ParallelVerdict::Independent));
    assert_eq!(
        facts.verdict,
        "no carried dependence in 12,800 checked iterations of 200 entries; bursts, so longer distances than 4,096 or \
         other inputs may show some: --exhaustive checks all of this run"
    );
    let all = Case { exhaustive: true, ..case(&[(0x214, Load, 8)]) }.facts();
    assert!(all.exhaustive);
    assert_eq!(
        all.verdict,
        "no carried dependence in 12,800 checked iterations of 200 entries; all of this run was checked, another input \
         may show others"
    );
}

#[test]
fn a_recurrence_limits_vectors_to_its_distance() {
    let seen = |distances: &[u64]| case(&[(0x214, Load, 8), (0x218, Store, 8)]).with(Flow, 1, 0, distances);
    let of = |distances: &[u64]| seen(distances).one_base(&[0x214, 0x218]).facts();
    let one = of(&[1]);
    assert_eq!(
        (one.vector, one.parallel, one.max_length),
        (VectorVerdict::Unsafe, ParallelVerdict::Dependent, None)
    );
    assert!(
        one.verdict.starts_with("RAW of distance 1 through memory, line 8 to line 4 in 12,800"),
        "{}",
        one.verdict
    );
    for d in 2..=9 {
        let facts = of(&[d, 20]);
        assert_eq!((facts.vector, facts.max_length), (VectorVerdict::SafeUpTo, Some(d)));
        let found = &facts.found[0];
        assert_eq!((found.distance, found.distances.clone()), (d, vec![(d, 10), (20, 10)]));
        assert!(found.memory && !found.forward && found.limits_vectors);
        assert_eq!((found.source.line, found.sink.line), (Some(8), Some(4)));
        assert_eq!((found.example.as_deref(), found.source.address.as_str()), (Some("0x7000"), "0x218"));
    }
}

#[test]
fn a_distance_that_data_makes_allows_no_length() {
    let seen = || case(&[(0x214, Load, 8), (0x218, Store, 8)]).with(Flow, 1, 0, &[7]);
    let mut two_bases = seen().one_base(&[0x214]);
    two_bases.classes.push((0x218, 1));
    for case in [seen(), seen().one_base(&[0x214]), two_bases] {
        let facts = case.facts();
        assert_eq!((facts.vector, facts.max_length), (VectorVerdict::Unsafe, None));
        assert!(facts.verdict.contains("that of this run only"), "{}", facts.verdict);
        assert!(!facts.found[0].constant_distance);
    }
    // The address of each lane is another one.
    let mut lanes = seen().one_base(&[0x214, 0x218]);
    lanes.seen.sites[0].lanes = 4;
    assert_eq!(lanes.facts().vector, VectorVerdict::Unsafe);
}

#[test]
fn exits_that_data_decides_leave_no_iteration_independent() {
    let with = |data: &[u64], unclear: &[u64]| {
        let mut all = case(&[(0x214, Load, 8)]);
        all.ends = LoopEnds { data: data.to_vec(), unclear: unclear.to_vec() };
        all.facts()
    };
    let search = with(&[0x220], &[]);
    assert_eq!((search.vector, search.parallel), (VectorVerdict::Unsafe, ParallelVerdict::Dependent));
    assert_eq!(search.early_exits.iter().map(|exit| exit.line).collect::<Vec<_>>(), [Some(16)]);
    assert!(search.verdict.starts_with("its data decides at line 16"), "{}", search.verdict);
    let open = with(&[], &[0x220]);
    assert_eq!((open.vector, open.parallel), (VectorVerdict::Unknown, ParallelVerdict::Unknown));
    assert_eq!((open.early_exits.len(), open.unknown.len()), (0, 1));
}

#[test]
fn forward_dependences_do_not_limit_vectors_but_threads() {
    // b[i] = a[i + 1] (line 4); a[i] = x (line 8)
    let facts = case(&[(0x214, Load, 8), (0x218, Store, 8)]).with(Anti, 0, 1, &[1]).facts();
    assert_eq!((facts.vector, facts.parallel), (VectorVerdict::Safe, ParallelVerdict::Dependent));
    assert!(facts.found[0].forward && !facts.found[0].limits_vectors);
    // a[i] = x (line 4); b[i] = a[i - 1] (line 8)
    let facts = case(&[(0x214, Store, 8), (0x218, Load, 8)]).with(Flow, 0, 1, &[1]).facts();
    assert_eq!((facts.vector, facts.parallel), (VectorVerdict::Safe, ParallelVerdict::Dependent));
    // The other way round.
    let facts = case(&[(0x214, Store, 8), (0x218, Load, 8)]).with(Anti, 1, 0, &[1]).facts();
    assert_eq!(facts.vector, VectorVerdict::Unsafe);
    // One operand with itself.
    let facts = case(&[(0x214, Store, 0)]).with(Output, 0, 0, &[1]).facts();
    assert_eq!((facts.vector, facts.parallel), (VectorVerdict::Unsafe, ParallelVerdict::Dependent));
}

#[test]
fn temporaries_can_be_private() {
    let temporary = || {
        let all = case(&[(0x214, Store, 0), (0x218, Load, 0)]);
        all.with(Anti, 1, 0, &[1])
            .scalar(0)
            .with(Output, 0, 0, &[1])
            .scalar(0)
            .with(Flow, 0, 1, &[0])
            .scalar(10)
    };
    let facts = temporary().facts();
    assert_eq!((facts.vector, facts.parallel), (VectorVerdict::Safe, ParallelVerdict::WithClauses));
    assert_eq!((facts.private.len(), facts.private[0].line), (1, Some(4)));
    assert!(facts.found.iter().all(|f| f.privatisable));
    // Something flows from one iteration to the next.
    let facts = temporary().with(Flow, 0, 1, &[3]).scalar(10).facts();
    assert_eq!((facts.vector, facts.parallel), (VectorVerdict::Unsafe, ParallelVerdict::Dependent));
    // Some iteration reads it first.
    let facts = case(&[(0x214, Store, 0), (0x218, Load, 0)]).with(Anti, 1, 0, &[1]).scalar(2).facts();
    assert_eq!(facts.vector, VectorVerdict::Unsafe);
    // An array that is written twice is no temporary.
    let twice = || case(&[(0x214, Store, 8), (0x218, Store, 8)]).with(Output, 1, 0, &[2]);
    let facts = twice().one_base(&[0x214, 0x218]).facts();
    assert_eq!((facts.vector, facts.max_length), (VectorVerdict::SafeUpTo, Some(2)));
    assert_eq!(twice().facts().vector, VectorVerdict::Unsafe);
}

#[test]
fn frames_of_called_functions_are_private_without_a_clause() {
    let facts = case(&[(0x214, Store, 0), (0x218, Load, 0)])
        .with(Anti, 1, 0, &[1])
        .callee()
        .with(Output, 0, 0, &[1])
        .callee()
        .facts();
    assert_eq!((facts.vector, facts.parallel), (VectorVerdict::Safe, ParallelVerdict::Independent));
}

#[test]
fn counters_and_reductions_in_memory() {
    // As unoptimised code has them: s += a[i] with s and i in the frame.
    let unoptimised = |reader: u64| {
        case(&[(0x214, Load, 0), (0x218, Store, 0), (0x21c, AccessKind::Update, 0), (0x220, Load, 0)])
            .with(Flow, 1, 0, &[1])
            .scalar(10)
            .with(Anti, 0, 1, &[0])
            .scalar(10)
            .with(Output, 1, 1, &[1])
            .scalar(10)
            .with(Flow, 2, 3, &[1])
            .scalar(10)
            .with(Flow, 2, 2, &[1])
            .scalar(10)
            .carries(value("[rbp-0x8]", CarriedKind::Reduction, true, &[0x218], &[reader]))
            .carries(value("[rbp-0x4]", CarriedKind::Induction, true, &[0x21c], &[0x21c, 0x220]))
    };
    let facts = unoptimised(0x214).facts();
    assert_eq!(
        (facts.vector, facts.parallel),
        (VectorVerdict::SafeWithReductions, ParallelVerdict::WithClauses)
    );
    assert_eq!((facts.reductions.len(), facts.inductions.len(), facts.found.len()), (1, 1, 0));
    let sum = &facts.reductions[0];
    assert_eq!((sum.name.as_str(), sum.operation.as_deref(), sum.floating), ("[rbp-0x8]", Some("+"), true));
    assert!(
        facts.verdict.starts_with("no carried dependence but the reduction [rbp-0x8] in"),
        "{}",
        facts.verdict
    );
    // Something else reads the sum.
    let facts = unoptimised(0x2e0).facts();
    assert_eq!((facts.vector, facts.parallel), (VectorVerdict::Unsafe, ParallelVerdict::Dependent));
    // Something else writes it.
    let mut other = unoptimised(0x214);
    other.seen.sites.push(SitePattern {
        address: 0x234,
        function: 0x200,
        kind: Store,
        ..SitePattern::default()
    });
    assert_eq!(other.with(Output, 1, 4, &[1]).scalar(10).facts().vector, VectorVerdict::Unsafe);
}

#[test]
fn a_counter_that_a_called_function_reads_by_its_address_is_one() {
    // `call column(i)`: the loop stores i for the next iteration's call.
    let passed = |stores: &[u64], writer: AccessKind| {
        let mut case = case(&[(0x214, writer, 0), (0x218, Store, 0)])
            .with(Flow, 1, 0, &[1])
            .scalar(10)
            .with(Output, 1, 1, &[1])
            .scalar(10);
        case.seen.sites[0].function = 0x400;
        case.counter_stores = stores.to_vec();
        case.facts().parallel
    };
    assert_eq!(passed(&[0x218], Load), ParallelVerdict::Independent);
    assert_eq!(passed(&[], Load), ParallelVerdict::Dependent);
    assert_eq!(passed(&[0x218], AccessKind::Update), ParallelVerdict::Dependent, "the function changes it");
}

#[test]
fn registers_hide_nothing() {
    let with = |kind, distance, copies| {
        let register = value("xmm0", kind, false, &[0x218], &[0x214]);
        case(&[(0x218, Store, 8)]).carries(CarriedValue { distance, copies, ..register })
    };
    let facts = with(CarriedKind::Recurrence, 1, 1).facts();
    assert_eq!((facts.vector, facts.parallel), (VectorVerdict::Unsafe, ParallelVerdict::Dependent));
    let found = &facts.found[0];
    assert_eq!((found.memory, found.distance, found.example.as_deref()), (false, 1, None));
    assert!(facts.verdict.starts_with("RAW of distance 1 through a register"), "{}", facts.verdict);
    let facts = with(CarriedKind::Recurrence, 3, 1).facts();
    assert_eq!((facts.vector, facts.max_length), (VectorVerdict::SafeUpTo, Some(3)));
    assert_eq!(with(CarriedKind::PointerChase, 1, 1).facts().vector, VectorVerdict::Unsafe);
    let facts = with(CarriedKind::Forwarded, 1, 1).facts();
    assert_eq!((facts.vector, facts.parallel), (VectorVerdict::Safe, ParallelVerdict::Dependent));
    let facts = with(CarriedKind::Reduction, 1, 1).facts();
    assert_eq!(
        (facts.vector, facts.parallel),
        (VectorVerdict::SafeWithReductions, ParallelVerdict::WithClauses)
    );
    let facts = with(CarriedKind::Induction, 1, 1).facts();
    assert_eq!((facts.vector, facts.inductions.len()), (VectorVerdict::Safe, 1));
    let facts = with(CarriedKind::Unclear, 1, 1).facts();
    assert_eq!((facts.vector, facts.parallel), (VectorVerdict::Unknown, ParallelVerdict::Unknown));
    assert!(facts.verdict.starts_with("not known, since what xmm0 hands"), "{}", facts.verdict);
}

#[test]
fn what_was_not_seen_leaves_the_verdict_open() {
    let call = |modelled| {
        let mut all = case(&[(0x214, Load, 8)]);
        let target = Some("f".to_owned());
        all.seen.calls.push(UntracedCall { address: 0x230, target, count: 1200, modelled });
        all
    };
    let facts = call(false).facts();
    assert_eq!((facts.vector, facts.parallel), (VectorVerdict::Unknown, ParallelVerdict::Unknown));
    assert_eq!(
        facts.unknown,
        ["f was called 1,200 times (at 0x230), and what it does to memory was not seen"]
    );
    assert_eq!(call(true).facts().vector, VectorVerdict::Safe);
    // What is known to be wrong stays wrong.
    let mut all = call(false);
    all.seen.sites.push(SitePattern {
        address: 0x234,
        function: 0x200,
        kind: Store,
        ..SitePattern::default()
    });
    assert_eq!(all.with(Flow, 1, 0, &[1]).facts().vector, VectorVerdict::Unsafe);
    let mut all = case(&[(0x214, Load, 8)]);
    all.seen.gaps.push(Gap::NoRoom { address: 0x1010 });
    assert_eq!(all.facts().vector, VectorVerdict::Unknown);
    let mut all = case(&[(0x214, Load, 8)]);
    all.seen.checked.as_mut().unwrap().forgotten = 5000;
    let facts = all.facts();
    assert!(facts.unknown[0].contains("5,000 places were forgotten"), "{:?}", facts.unknown);
    assert_eq!(facts.vector, VectorVerdict::Unknown);
    let mut all = case(&[(0x214, Load, 8)]);
    all.seen.checked = Some(Checked { iterations: 5, entries: 5, longest: 1, forgotten: 0 });
    let facts = all.facts();
    assert_eq!(facts.vector, VectorVerdict::Unknown, "nothing was compared");
    // An experiment of an earlier version.
    let all = case(&[(0x214, Load, 8)]);
    let facts = all.seen_in(vec![scalar_loop(0, (0x210, 0x2f0), 30)]);
    assert_eq!((facts.vector, facts.unknown.len()), (VectorVerdict::Unknown, 1));
}

#[test]
fn unrolled_loops_are_judged_as_written() {
    // a[i + 3] = a[i], unrolled by four: strides of 32 bytes, copies 8 bytes apart; what the peer loop of the group
    // does at a time shows the factor.
    let addresses = [0x214, 0x218, 0x21c, 0x220, 0x224, 0x228, 0x22c, 0x230];
    let operands: Vec<_> = addresses.iter().map(|&a| (a, if a < 0x224 { Load } else { Store }, 32)).collect();
    let mut all = case(&operands);
    for (k, site) in all.seen.sites.iter_mut().enumerate().skip(1) {
        site.offset = Some((0, 8 * (k as i64 % 4) + 24 * (k as i64 / 4)));
    }
    // Store k writes a[4 j + k + 3]: the load of copy 3 in the same pass, else of copy k - 1 in the next.
    let all = all.with(Flow, 4, 3, &[0]).with(Flow, 5, 0, &[1]).with(Flow, 6, 1, &[1]).with(Flow, 7, 2, &[1]);
    let classes =
        |known: bool| if known { addresses.map(|address| (address, 0)).to_vec() } else { Vec::new() };
    let piece = |index, range, address, bytes, known| LoopCode {
        carried: Some(Vec::new()),
        ends: Some(LoopEnds::default()),
        address_classes: classes(known),
        strides: vec![StaticStride { address, bytes, size: 8, store: false, line: 4 }],
        group: 0,
        ..scalar_loop(index, range, 30)
    };
    let all = Case { lines: |address| if address < 0x224 { 4 } else { 8 }, ..all };
    let pieces =
        |known| vec![piece(0, (0x210, 0x260), 0x214, 32, known), piece(1, (0x270, 0x290), 0x274, 8, false)];
    let facts = all.seen_in(pieces(true));
    assert_eq!((facts.vector, facts.max_length), (VectorVerdict::SafeUpTo, Some(3)), "{facts:#?}");
    assert!(facts.found.iter().all(|f| f.distances.iter().all(|d| d.0 == 3)));
    assert_eq!((facts.checked_iterations, facts.horizon), (4 * 12_800, 4 * 4096));
    assert_eq!(all.seen_in(pieces(false)).vector, VectorVerdict::Unsafe);
}
