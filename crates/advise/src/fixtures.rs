//! Analysed programs made up for tests: small, plausible, and changed by closures.

use loopwright_analysis::model::{
    Analysis, BandwidthCeiling, Ceilings, FlopCeiling, FunctionFacts, LoopFacts, MachineFacts, ModuleSummary,
    ProgramFacts, Provenance, Purpose, PurposeCaller, PurposeFacts, PurposeFunction, SCHEMA, VectorFacts,
};
use loopwright_binary::facts::{
    CallSite, CarriedChain, ChainKind, ElementType, InstructionMix, Isa, LoopRole, StaticStride,
};
use loopwright_vocabulary::{MemoryLevel, VectorWidth};

/// Whether a recommendation states a fact of this form: `states!(r, Memory::TwoMove { bytes: 8, .. })`.
macro_rules! states {
    ($of:expr, $theme:ident :: $kind:ident $({ $($fields:tt)* })? $(if $guard:expr)?) => {
        $of.evidence.iter().any(|each| matches!(
            &each.fact,
            $crate::evidence::Fact::$theme($crate::evidence::$theme::$kind $({ $($fields)* })?) $(if $guard)?
        ))
    };
}
pub(crate) use states;

/// Whether a number is this one, but for what rounding made of it.
pub fn near(number: f64, expected: f64) -> bool {
    (number - expected).abs() <= 1e-3 * expected.abs().max(0.5)
}

mod counted;
mod firing;
mod traced;

pub use counted::{bound_by, count, in_nest, measured, trips};
pub use firing::{assert_sound, fired, fired_on};
pub use traced::{
    access, carried, carrier, checked, gathered, in_caches, of_array, outer, scattered, tlb, trace, traced,
};

/// A four-core AVX2 machine with FMA.
pub fn machine() -> MachineFacts {
    MachineFacts {
        name: "test".into(),
        cpus: 4,
        isa: Some(Isa::AVX2),
        core: None,
        fma: true,
        vector_bits: 256,
        cache_bytes: vec![32 << 10, 1 << 20, 32 << 20],
        line_bytes: 64,
        ceilings: None,
    }
}

/// Ceilings of that machine at about 3 GHz.
pub fn ceilings() -> Ceilings {
    let flop = |level, gflops| FlopCeiling { level, element: ElementType::F64, fma: false, cores: 1, gflops };
    let bandwidth = |level, gbytes| BandwidthCeiling { level, kernel: "triad".into(), cores: 1, gbytes };
    Ceilings {
        flops: vec![
            flop(VectorWidth::Scalar, 6.0),
            flop(VectorWidth::Bits128, 12.0),
            flop(VectorWidth::Bits256, 24.0),
        ],
        bandwidths: vec![
            bandwidth(MemoryLevel::L1, 200.0),
            bandwidth(MemoryLevel::L2, 90.0),
            bandwidth(MemoryLevel::L3, 40.0),
            bandwidth(MemoryLevel::Dram, 12.0),
        ],
        disturbed: None,
    }
}

/// A program without loops, built by gcc -O2, run on one of four cores.
pub fn program() -> Analysis {
    Analysis {
        top_down: None,
        trials: None,
        tuning: None,
        reproduction: None,
        energy: None,
        comm: None,
        io: None,
        heap: None,
        job: None,
        costs: Vec::new(),
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
        purposes: vec![],
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
        calls_itself: None,
        integer_divisions: None,
        unresolved_jumps: None,
        calls: None,
        work: None,
        complete: None,
        left_alone: vec![],
        by_thread: None,
        inlined: vec![],
    }
}

/// A scalar f64 loop `a[i] = b[i] * s + c[i]` with 40 % of the time, changed by `change`.
pub fn scalar_loop(change: impl FnOnce(&mut LoopFacts)) -> LoopFacts {
    let mut new = LoopFacts {
        id: 1,
        module: "app".into(),
        main_module: true,
        function: "kernel".into(),
        written_in: None,
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
            fp_multiply: 1,
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
        executions: vec![],
        width_conversions: None,
        operands: Default::default(),
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
        branches: Vec::new(),
        not_traced: None,
        bottleneck: None,
        not_injected: None,
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
    CarriedChain {
        carrier: register.to_owned().into(),
        instructions: vec![0x1210],
        latency_cycles,
        kind,
        chooses: false,
    }
}

/// A memory operand that follows the counter.
pub fn stride(bytes: i64, size: u32, store: bool) -> StaticStride {
    StaticStride { address: 0x1204, bytes, size, store, line: 11 }
}

pub fn call(target: Option<&str>) -> CallSite {
    CallSite { address: 0x1208, target: target.map(str::to_owned) }
}

/// The program with these loops.
pub fn with_loops(loops: Vec<LoopFacts>) -> Analysis {
    Analysis { loops, ..program() }
}

/// Time of library code that `work` calls at `work.cpp:12`.
pub fn purpose(purpose: Purpose, share: f64) -> PurposeFacts {
    PurposeFacts {
        purpose,
        seconds: share * 10.0,
        share,
        samples: (share * 10_000.0) as u64,
        kernel_share: 0.0,
        callback_share: 0.0,
        inside: vec![],
        functions: vec![PurposeFunction { function: "library_function".into(), share }],
        callers: vec![PurposeCaller { function: "work".into(), place: Some("work.cpp:12".into()), share }],
        holders: vec![PurposeFunction { function: "work".into(), share }],
        loops: vec![],
    }
}

/// The program with time for these purposes.
pub fn with_purposes(purposes: Vec<PurposeFacts>) -> Analysis {
    Analysis { purposes, ..program() }
}
