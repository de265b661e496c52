//! Analysed programs made up for tests: small, plausible, and changed by closures.

use crate::facts::Facts;
use crate::recommendation::Recommendation;
use crate::rule::Rule;
use loopwright_analysis::model::{
    Analysis, BandwidthCeiling, Ceilings, FlopCeiling, FunctionFacts, LoopFacts, MachineFacts, ModuleSummary,
    ProgramFacts, Provenance, Roof, RoofKind, RooflineKind, RooflinePoint, SCHEMA, TripCount, VectorFacts,
    WorkRow,
};
use loopwright_binary::facts::{
    CallSite, CarriedChain, ChainKind, ElementType, InstructionMix, Isa, LoopRole, StaticStride,
};
use loopwright_binary::work::WorkMix;

/// A four-core AVX2 machine with FMA.
pub fn machine() -> MachineFacts {
    MachineFacts {
        name: "test".into(),
        cpus: 4,
        isa: Some(Isa::AVX2),
        fma: true,
        vector_bits: 256,
        cache_bytes: vec![32 << 10, 1 << 20, 32 << 20],
        line_bytes: 64,
        ceilings: None,
    }
}

/// Ceilings of that machine at about 3 GHz.
pub fn ceilings() -> Ceilings {
    let flop = |level: &str, gflops| FlopCeiling {
        level: level.into(),
        element: ElementType::F64,
        fma: false,
        cores: 1,
        gflops,
    };
    let bandwidth = |level: &str, gbytes| BandwidthCeiling {
        level: level.into(),
        kernel: "triad".into(),
        cores: 1,
        gbytes,
    };
    Ceilings {
        flops: vec![flop("scalar", 6.0), flop("SSE", 12.0), flop("AVX2", 24.0)],
        bandwidths: vec![
            bandwidth("L1", 200.0),
            bandwidth("L2", 90.0),
            bandwidth("L3", 40.0),
            bandwidth("DRAM", 12.0),
        ],
    }
}

/// A program without loops, built by gcc -O2, run on one of four cores.
pub fn program() -> Analysis {
    Analysis {
        schema: SCHEMA,
        program: ProgramFacts {
            command: vec!["./app".into(), "input".into()],
            elapsed_seconds: 10.0,
            cpu_seconds: 10.0,
            user_seconds: 9.9,
            system_seconds: 0.1,
            minor_faults: 2_000,
            peak_resident_bytes: 100 << 20,
            processes: 1,
            threads: 1,
            ranks: 1,
            samples: 10_000,
            cpu_usage: vec![0.0, 10.0],
            cpus_allowed: 1,
            ..ProgramFacts::default()
        },
        machine: Some(machine()),
        counts: None,
        tracing: None,
        loops: vec![],
        functions: vec![],
        modules: vec![module("/home/u/app", 1.0, true)],
        threads: vec![],
        tree: None,
        warnings: vec![],
    }
}

/// A module with symbols and lines, built by gcc -O2.
pub fn module(path: &str, share: f64, main: bool) -> ModuleSummary {
    ModuleSummary {
        path: path.into(),
        main_module: main,
        self_seconds: share * 10.0,
        self_share: share,
        has_symbols: true,
        has_lines: true,
        build_id: None,
        producers: vec![GCC_O2.into()],
    }
}

/// A producer with recorded options.
pub const GCC_O2: &str = "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2";

/// A function with self time.
pub fn function(name: &str, module: &str, share: f64) -> FunctionFacts {
    FunctionFacts {
        function: name.into(),
        module: module.into(),
        main_module: module == "app",
        file: None,
        line: None,
        self_seconds: share * 10.0,
        self_share: share,
        total_seconds: share * 10.0,
        total_share: share,
        samples: (share * 10_000.0) as u64,
        producer: None,
        irreducible_seconds: None,
        unresolved_jumps: None,
        calls: None,
        work: None,
        complete: None,
        left_alone: vec![],
        by_thread: None,
    }
}

/// A scalar f64 loop `a[i] = b[i] * s + c[i]` with 40 % of the time, changed by `change`.
pub fn scalar_loop(change: impl FnOnce(&mut LoopFacts)) -> LoopFacts {
    let mut new = LoopFacts {
        id: 1,
        module: "app".into(),
        main_module: true,
        function: "kernel".into(),
        file: Some("/home/u/kernel.c".into()),
        line: Some(10),
        column: Some(3),
        lines: Some((10, 12)),
        address: "0x1200".into(),
        parent: None,
        children: vec![],
        depth: 1,
        innermost: true,
        inlined_from: vec![],
        role: LoopRole::Whole,
        group: 1,
        self_seconds: 4.0,
        self_share: 0.4,
        total_seconds: 4.0,
        total_share: 0.4,
        samples: 4_000,
        group_share: 0.4,
        vectorized: false,
        vector: None,
        types: vec![ElementType::F64],
        traits: vec![],
        instruction_mix: InstructionMix {
            fp_scalar: 2,
            load: 2,
            store: 1,
            branch: 1,
            integer: 0,
            ..InstructionMix::default()
        },
        instructions: 6,
        calls: vec![],
        exits: 1,
        chains: vec![induction()],
        strides: vec![stride(8, 8, false), stride(8, 8, false), stride(8, 8, true)],
        constant_trips: None,
        bytes_loaded_per_iteration: 16,
        bytes_stored_per_iteration: 8,
        flop_per_iteration: [(ElementType::F64, 2)].into(),
        idiom: None,
        why_not: vec![],
        compilers: vec![],
        producer: Some(GCC_O2.into()),
        threads: 1,
        callee_share: 0.0,
        serial_share: None,
        trip_count: None,
        work: None,
        total_work: None,
        roofline: None,
        by_thread: None,
        not_counted: None,
        access: Vec::new(),
        dependence: None,
        memory: None,
        sharing: None,
        not_traced: None,
    };
    change(&mut new);
    new
}

/// The same loop vectorised for AVX2 with FMA, changed by `change`.
pub fn vector_loop(change: impl FnOnce(&mut LoopFacts)) -> LoopFacts {
    scalar_loop(|l| {
        l.vectorized = true;
        l.vector = Some(VectorFacts {
            isa: Isa::AVX2,
            bits: 256,
            length: 4,
            unroll: 1,
            types: vec![ElementType::F64],
            packed_share: 1.0,
            gain: None,
            efficiency: None,
            provenance: Provenance::Binary,
        });
        l.instruction_mix = InstructionMix {
            fp_vector: 1,
            fma: 1,
            load: 2,
            store: 1,
            branch: 1,
            ..InstructionMix::default()
        };
        l.strides = vec![stride(32, 32, false), stride(32, 32, false), stride(32, 32, true)];
        l.bytes_loaded_per_iteration = 64;
        l.bytes_stored_per_iteration = 32;
        l.flop_per_iteration = [(ElementType::F64, 8)].into();
        change(l);
    })
}

/// A loop counter.
pub fn induction() -> CarriedChain {
    chain(ChainKind::Induction, "rax", 1)
}

/// A carried chain.
pub fn chain(kind: ChainKind, register: &str, latency_cycles: u32) -> CarriedChain {
    CarriedChain { register: register.into(), instructions: vec![0x1210], latency_cycles, kind }
}

/// A memory operand that follows the counter.
pub fn stride(bytes: i64, size: u32, store: bool) -> StaticStride {
    StaticStride { address: 0x1204, bytes, size, store, line: 11 }
}

/// A call.
pub fn call(target: Option<&str>) -> CallSite {
    CallSite { address: 0x1208, target: target.map(str::to_owned) }
}

/// The program with these loops.
pub fn with_loops(loops: Vec<LoopFacts>) -> Analysis {
    Analysis { loops, ..program() }
}

/// What one rule says about a program with these loops.
pub fn fired(rule: &Rule, analysis: &Analysis) -> Option<Recommendation> {
    let mut all = crate::advise::run(rule, &Facts::new(analysis));
    assert!(all.len() <= 1, "{}: fired {} times", rule.id, all.len());
    let one = all.pop()?;
    assert_sound(&one);
    Some(one)
}

/// What one rule says about a program of one loop.
pub fn fired_on(rule: &Rule, subject: LoopFacts) -> Option<Recommendation> {
    fired(rule, &with_loops(vec![subject]))
}

/// The promises that every recommendation keeps.
pub fn assert_sound(r: &Recommendation) {
    assert!(!r.evidence.is_empty(), "{}: no evidence", r.id);
    for fact in &r.evidence {
        assert!(
            ["(measured)", "(counted)", "(modelled)", "(read from the binary)", "(reported by the compiler)"]
                .iter()
                .any(|end| fact.ends_with(end)),
            "{}: {fact}",
            r.id
        );
    }
    assert!(r.how.text.len() > 20, "{}: says not how", r.id);
    assert_eq!(r.loop_gain.is_some(), r.program_gain.is_some(), "{}", r.id);
    if let (Some(share), Some(of_loop), Some(of_program)) = (r.share, r.loop_gain, r.program_gain) {
        assert!((0.0..=1.0).contains(&share), "{}: share {share}", r.id);
        assert!(
            1.0 <= of_loop.low() && of_loop.low() <= of_loop.high() && of_loop.high().is_finite(),
            "{}",
            r.id
        );
        for (l, p) in [(of_loop.low(), of_program.low()), (of_loop.high(), of_program.high())] {
            let expected = 1.0 / ((1.0 - share) + share / l);
            assert!(
                (p - expected.min(crate::gain::LARGEST_GAIN)).abs() < 1e-9 && p >= 1.0,
                "{}: {p} for {expected}",
                r.id
            );
        }
    }
    let text = serde_json::to_string(r).unwrap();
    let back: Recommendation = serde_json::from_str(&text).unwrap();
    // Numbers may differ in their last digit after JSON; everything else is equal.
    let bare =
        |r: &Recommendation| Recommendation { share: None, loop_gain: None, program_gain: None, ..r.clone() };
    assert_eq!(bare(&back), bare(r));
    assert_eq!(back.loop_gain.is_some(), r.loop_gain.is_some());
}

/// Counted trips of a loop of one piece.
pub fn trips(entries: u64, each: u64) -> TripCount {
    let iterations = entries.saturating_mul(each);
    TripCount {
        entries: Some(entries),
        iterations,
        min: Some(each),
        median: Some(each),
        mean: Some(each as f64),
        max: Some(each),
        histogram: vec![(each, each, entries)],
        source_factor: 1,
        source_iterations: iterations,
        source_share: Some(1.0),
        group_iterations: iterations,
        source_entries: Some(entries),
        source_mean: Some(each as f64),
        group_complete: true,
        ..TripCount::default()
    }
}

/// Gives a loop the counts that its static facts and these trips make.
pub fn count(l: &mut LoopFacts, entries: u64, each: u64) {
    let n = entries.saturating_mul(each);
    let of = |count: u32| u64::from(count).saturating_mul(n);
    let mix = &l.instruction_mix;
    let flop: u64 = l.flop_per_iteration.values().map(|&f| of(f)).sum();
    let (loaded, stored) = (of(l.bytes_loaded_per_iteration), of(l.bytes_stored_per_iteration));
    let float = flop > 0;
    l.work = Some(WorkRow {
        instructions: of(l.instructions),
        flop,
        flop_f64: flop,
        fma_share: float.then_some(if mix.fma > 0 { 1.0 } else { 0.0 }),
        packed_share: float.then_some(if l.vectorized { 1.0 } else { 0.0 }),
        bytes_loaded: loaded,
        bytes_stored: stored,
        intensity: (float && loaded.saturating_add(stored) > 0)
            .then(|| flop as f64 / (loaded.saturating_add(stored)) as f64),
        mix: WorkMix {
            fp_scalar: of(mix.fp_scalar),
            fp_vector: of(mix.fp_vector),
            int_vector: of(mix.int_vector),
            integer: of(mix.integer),
            load: of(mix.load),
            store: of(mix.store),
            branch: of(mix.branch),
            call: of(mix.call),
            shuffle: of(mix.shuffle),
            conversion: of(mix.conversion),
            divide: of(mix.divide),
            square_root: of(mix.square_root),
            fma: of(mix.fma),
            moves: of(mix.moves),
            other: of(mix.other),
        },
        ..WorkRow::default()
    });
    l.total_work = l.work.clone();
    let mut trip = trips(entries, each);
    if let Some(vector) = l.vector.as_ref().filter(|_| l.vectorized) {
        trip.source_factor = vector.length * vector.unroll;
        let lanes = u64::from(trip.source_factor);
        trip.source_iterations = trip.source_iterations.saturating_mul(lanes);
        trip.group_iterations = trip.group_iterations.saturating_mul(lanes);
        trip.source_mean = trip.source_mean.map(|mean| mean * lanes as f64);
    }
    l.trip_count = Some(trip);
}

/// Puts a counted loop under [`ceilings`], held back by the memory level with this name or by arithmetic, `headroom` below.
pub fn bound_by(l: &mut LoopFacts, level: &str, headroom: f64) {
    let work = l.work.clone().unwrap_or_default();
    let intensity = work.intensity.unwrap_or(1.0);
    let memory = ceilings().bandwidths.into_iter().map(|b| Roof {
        name: b.level,
        kind: RoofKind::Memory,
        value: b.gbytes * intensity,
        kernel: Some(b.kernel),
        gbytes: Some(b.gbytes),
        provenance: Provenance::Measured,
    });
    let arithmetic = Roof {
        name: "AVX2 f64".into(),
        kind: RoofKind::Compute,
        value: 24.0,
        kernel: None,
        gbytes: None,
        provenance: Provenance::Measured,
    };
    let roofs: Vec<Roof> = std::iter::once(arithmetic).chain(memory).collect();
    let binding = roofs.iter().find(|r| r.name == level).unwrap_or(&roofs[0]).clone();
    let gflops = binding.value / headroom;
    l.roofline = Some(RooflinePoint {
        kind: RooflineKind::Flop,
        intensity: Some(intensity),
        gflops: Some(gflops),
        gbytes_per_second: Some(gflops / intensity),
        cores: Some(1),
        bound: Some(binding.name.clone()),
        bound_kind: Some(binding.kind),
        ceiling: Some(binding.value),
        headroom: Some(headroom),
        roofs,
        how: "made up".into(),
        provenance: Some(Provenance::Modelled),
        ..RooflinePoint::default()
    });
}

/// The program with these loops on a machine with ceilings.
pub fn measured(loops: Vec<LoopFacts>) -> Analysis {
    let mut analysis = with_loops(loops);
    analysis.program.peak_resident_bytes = 1 << 30;
    if let Some(machine) = &mut analysis.machine {
        machine.ceilings = Some(ceilings());
    }
    analysis
}
