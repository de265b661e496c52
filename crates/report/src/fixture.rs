//! A synthetic analysis for the tests of the renderers: a lattice-Boltzmann program with one loop of
//! each kind that they must distinguish.

pub(crate) mod bottlenecks;
pub(crate) mod code;
pub(crate) mod counts;
pub(crate) mod patterns;
mod recommendations;

pub(crate) use recommendations::{recommendations, remark};

use crate::names::width;
use crate::style::TerminalStyle;
use loopwright_analysis::model::*;
use loopwright_binary::facts::{
    CallSite, CarriedChain, Carrier, ChainKind, ElementType, Idiom, InlineFrame, InstructionMix, Isa,
    LoopRole, SourceLocation, StaticStride, Trait,
};
use std::collections::BTreeMap;

/// The styles that snapshots are taken in.
pub(crate) fn styles() -> Vec<TerminalStyle> {
    let widths = [80, 120, 160];
    widths
        .into_iter()
        .flat_map(|width| [TerminalStyle::plain(width), TerminalStyle::terminal(width)])
        .collect()
}

/// Names a snapshot.
pub(crate) fn label(what: &str, style: &TerminalStyle) -> String {
    format!("{what}_{}_{}", style.width, if style.colour { "colour" } else { "plain" })
}

/// Escape sequences made visible, so that a snapshot can be read and compared.
pub(crate) fn visible(text: &str) -> String {
    text.replace('\u{1b}', "\\e")
}

/// Text without its colours.
pub(crate) fn without_colour(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        rest = rest[at..].split_once('m').map_or("", |(_, rest)| rest);
    }
    plain + rest
}

/// No line is wider than asked, none ends in spaces, nothing acts on the terminal but colours.
pub(crate) fn assert_fits(text: &str, style: &TerminalStyle) {
    for line in without_colour(text).lines() {
        assert!(width(line) <= style.width, "{} > {}: {line}", width(line), style.width);
        assert_eq!(line, line.trim_end(), "trailing spaces");
        assert!(!line.contains(char::is_control), "{line:?}");
        assert!(style.unicode || line.is_ascii(), "not ASCII: {line}");
    }
}

/// A scalar loop without any optional fact.
pub(crate) fn bare_loop(id: u32, function: &str, share: f64) -> LoopFacts {
    LoopFacts {
        id,
        module: "lbm".into(),
        main_module: true,
        function: function.into(),
        written_in: None,
        file: None,
        line: None,
        column: None,
        lines: None,
        address: format!("{:#x}", 0x1200 + 0x40 * id),
        parent: None,
        children: vec![],
        depth: 1,
        innermost: true,
        inlined_from: vec![],
        role: LoopRole::Whole,
        group: id,
        self_seconds: 24.1 * share,
        self_share: share,
        total_seconds: 24.1 * share,
        total_share: share,
        samples: (24_070.0 * share) as u64,
        group_share: share,
        vectorized: false,
        vector: None,
        types: vec![],
        traits: vec![],
        instruction_mix: InstructionMix::default(),
        instructions: 6,
        calls: vec![],
        exits: 1,
        chains: vec![],
        executions: vec![],
        width_conversions: None,
        operands: Default::default(),
        strides: vec![],
        constant_trips: None,
        bytes_loaded_per_iteration: 0,
        bytes_stored_per_iteration: 0,
        flop_per_iteration: BTreeMap::new(),
        idiom: None,
        why_not: vec![],
        compilers: vec![],
        producer: None,
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
    }
}

fn at(mut facts: LoopFacts, line: u32, end: u32) -> LoopFacts {
    facts.file = Some("/home/ada/lbm/src/lbm.c".into());
    facts.line = Some(line);
    facts.column = Some(5);
    facts.lines = Some((line, end));
    facts
}

fn equilibrium() -> LoopFacts {
    LoopFacts {
        parent: Some(3),
        depth: 2,
        written_in: Some("equilibrium".into()),
        inlined_from: vec![
            InlineFrame {
                function: "equilibrium".into(),
                call_site: Some(SourceLocation {
                    file: "/home/ada/lbm/src/lbm.c".into(),
                    line: 97,
                    column: 9,
                }),
            },
            InlineFrame { function: "relax".into(), call_site: None },
        ],
        types: vec![ElementType::F64],
        traits: vec![Trait::Spill, Trait::Call],
        instruction_mix: InstructionMix {
            fp_scalar: 14,
            load: 9,
            store: 1,
            integer: 2,
            branch: 1,
            call: 1,
            ..Default::default()
        },
        instructions: 28,
        calls: vec![
            CallSite { address: 0x1350, target: Some("exp".into()) },
            CallSite { address: 0x1360, target: None },
        ],
        operands: Default::default(),
        chains: vec![CarriedChain {
            carrier: Carrier::Register("xmm0".into()),
            instructions: vec![0x1310, 0x1318],
            latency_cycles: 4,
            kind: ChainKind::InOrderSum,
            chooses: false,
        }],
        strides: vec![
            StaticStride { address: 0x1304, bytes: 24, size: 8, store: false, line: 54 },
            StaticStride { address: 0x1308, bytes: 8, size: 8, store: true, line: 57 },
            StaticStride { address: 0x130c, bytes: 0, size: 8, store: false, line: 54 },
        ],
        constant_trips: Some(19),
        bytes_loaded_per_iteration: 72,
        bytes_stored_per_iteration: 8,
        flop_per_iteration: BTreeMap::from([(ElementType::F64, 14)]),
        why_not: vec![
            WhyNot {
                reason: "math-library-call".into(),
                compiler: Some("gcc 12.2.0".into()),
                message: "not vectorized: function is not vectorizable: exp (_12)".into(),
                file: Some("/home/ada/lbm/src/lbm.c".into()),
                line: Some(54),
                provenance: Provenance::Compiler,
            },
            WhyNot {
                reason: "fp-reduction-order".into(),
                compiler: None,
                message: "xmm0 accumulates one element after another".into(),
                file: None,
                line: None,
                provenance: Provenance::Binary,
            },
        ],
        compilers: vec![CompilerClaim {
            compiler: "gcc 12.2.0".into(),
            vectorized: false,
            vector_bytes: None,
        }],
        producer: Some("GNU C17 12.2.0 -O2 -g -mtune=generic".into()),
        threads: 4,
        callee_share: 0.12,
        serial_share: Some(0.08),
        ..at(bare_loop(12, "collide", 0.431), 52, 58)
    }
}

fn vector(isa: Isa, bits: u32, length: u32, gain: f64) -> Option<VectorFacts> {
    Some(VectorFacts {
        isa,
        bits,
        length,
        unroll: 2,
        types: vec![ElementType::F64],
        packed_share: 1.0,
        gain: Some(gain),
        efficiency: Some(gain / f64::from(length)),
        provenance: Provenance::Modelled,
    })
}

pub(crate) fn analysis() -> Analysis {
    let outer = LoopFacts {
        children: vec![12],
        innermost: false,
        total_share: 0.55,
        total_seconds: 13.2,
        compilers: vec![CompilerClaim {
            compiler: "gcc 12.2.0".into(),
            vectorized: false,
            vector_bytes: None,
        }],
        ..at(bare_loop(3, "collide", 0.018), 90, 110)
    };
    let body = LoopFacts {
        role: LoopRole::Body,
        group: 20,
        vectorized: true,
        vector: vector(Isa::AVX2, 256, 4, 2.4),
        types: vec![ElementType::F64],
        traits: vec![Trait::Shuffle, Trait::Fma],
        threads: 4,
        ..at(bare_loop(20, "stream", 0.142), 130, 134)
    };
    let remainder = LoopFacts {
        role: LoopRole::Remainder,
        group: 20,
        types: vec![ElementType::F64],
        ..at(bare_loop(21, "stream", 0.061), 130, 134)
    };
    let library = LoopFacts {
        module: "libfftw3.so.3".into(),
        main_module: false,
        vectorized: true,
        vector: vector(Isa::SSE2, 128, 2, 1.6),
        types: vec![ElementType::F64],
        ..bare_loop(
            40,
            "n1fv_16(double const*, double const*, double*, double*, long, long, long, long, long)",
            0.032,
        )
    };
    let template = LoopFacts {
        idiom: Some(Idiom::Memset),
        ..bare_loop(
            41,
            "std::vector<std::pair<int, std::basic_string<char, std::char_traits<char>, std::allocator<char>>>>::_M_default_append(unsigned long)",
            0.021,
        )
    };
    let tiny = bare_loop(77, "tiny", 0.000_04);
    Analysis {
        schema: SCHEMA,
        program: program(),
        machine: Some(machine()),
        counts: None,
        tracing: None,
        top_down: None,
        loops: vec![equilibrium(), body, remainder, library, template, outer, tiny],
        functions: functions(),
        purposes: vec![],
        modules: modules(),
        threads: threads(),
        tree: Some(tree()),
        warnings: vec![Warning::Said(
            "libfftw3.so.3 has no line information: its loops are named by address; install its debug package".into(),
        )],
        trials: None,
        tuning: None,
        reproduction: None,
        energy: None,
        comm: None,
        io: None,
        heap: None,
        job: None,
        costs: vec![Cost {
            phase: Phase::Counted,
            seconds: 7.25,
            cpu_seconds: 0.31,
            waiting_seconds: Some(0.25),
        }],
    }
}

fn program() -> ProgramFacts {
    ProgramFacts {
        command: ["./lbm", "--steps", "200", "cavity 64.toml"].map(String::from).to_vec(),
        started: "2026-01-02T03:04:05Z".into(),
        host: "node1".into(),
        outcome: "exited 0".into(),
        elapsed_seconds: 6.43,
        elapsed: None,
        kernel: None,
        load: None,
        cpu_seconds: 24.1,
        user_seconds: 23.0,
        system_seconds: 1.2,
        minor_faults: 18_000,
        major_faults: 0,
        peak_resident_bytes: 312 << 20,
        processes: 1,
        threads: 4,
        ranks: 1,
        ranks_started: None,
        samples: 24_070,
        lost_samples: 0,
        unresolved_share: 0.004,
        overhead_share: 0.008,
        sampler: "perf_event cpu-clock, 997 Hz, DWARF call stacks".into(),
        no_call_stacks: false,
        time: TimeShares {
            vectorized: 0.174,
            scalar: 0.531,
            outside_loops: 0.245,
            kernel: 0.05,
            libraries: 0.071,
        },
        cpu_usage: vec![0.05, 0.9, 0.08, 0.1, 5.3],
        cpus_allowed: 16,
    }
}

pub(crate) fn machine() -> MachineFacts {
    MachineFacts {
        name: "Intel(R) Xeon(R) D-2146NT CPU @ 2.30GHz".into(),
        cpus: 16,
        isa: Some(Isa::AVX512F),
        core: None,
        fma: true,
        vector_bits: 512,
        cache_bytes: vec![32 << 10, 1 << 20, 11 << 20],
        line_bytes: 64,
        ceilings: None,
    }
}

fn function(name: &str, module: &str, own: f64, total: f64) -> FunctionFacts {
    FunctionFacts {
        function: name.into(),
        module: module.into(),
        main_module: module == "lbm",
        file: (module == "lbm").then(|| "/home/ada/lbm/src/lbm.c".into()),
        line: (module == "lbm").then_some(40),
        self_seconds: 24.1 * own,
        self_share: own,
        total_seconds: 24.1 * total,
        total_share: total,
        samples: (24_070.0 * own) as u64,
        producer: Some("GNU C17 12.2.0 -O2 -g -mtune=generic".into()),
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

fn inlined(name: &str, own: f64, total: f64) -> InlinedFunction {
    InlinedFunction {
        function: name.into(),
        self_seconds: 24.1 * own,
        self_share: own,
        total_seconds: 24.1 * total,
        total_share: total,
        samples: (24_070.0 * own) as u64,
    }
}

fn functions() -> Vec<FunctionFacts> {
    vec![
        FunctionFacts {
            inlined: vec![
                inlined("relax", 0.3, 0.42),
                inlined("equilibrium", 0.002, 0.12),
                inlined("std::array<double, 19ul>::operator[](unsigned long)", 0.05, 0.05),
                inlined("density", 0.004, 0.004),
            ],
            ..function("collide", "lbm", 0.449, 0.57)
        },
        function("stream", "lbm", 0.203, 0.203),
        function("exp", "libm.so.6", 0.12, 0.12),
        function("main", "lbm", 0.000_02, 0.99),
    ]
}

fn modules() -> Vec<ModuleSummary> {
    let module = |path: &str, share: f64, has_lines: bool| ModuleSummary {
        path: path.into(),
        main_module: path.ends_with("/lbm"),
        self_seconds: 24.1 * share,
        self_share: share,
        has_symbols: true,
        has_lines,
        build_id: Some("5b7f2c".into()),
        producers: vec!["GNU C17 12.2.0 -O2 -g -mtune=generic".into()],
    };
    vec![module("/home/ada/lbm/lbm", 0.83, true), module("/usr/lib/x86_64-linux-gnu/libm.so.6", 0.12, false)]
}

fn threads() -> Vec<ThreadFacts> {
    let thread = |tid: u32, seconds: f64| ThreadFacts {
        rank: None,
        pid: 100,
        tid,
        name: if tid == 100 { "lbm".into() } else { format!("worker-{tid}") },
        cpu_seconds: seconds,
        cpu_share: seconds / 24.1,
        top_loops: vec![(12, seconds * 0.5), (20, seconds * 0.2)],
        ..ThreadFacts::default()
    };
    vec![thread(100, 6.4), thread(101, 6.1), thread(102, 6.0), thread(103, 5.6)]
}

/// A node of the tree with its shares.
pub(crate) fn node(
    kind: &str,
    name: &str,
    loop_id: Option<u32>,
    own: f64,
    total: f64,
    children: Vec<TreeNode>,
) -> TreeNode {
    TreeNode {
        kind: kind.into(),
        name: name.into(),
        loop_id,
        module: "lbm".into(),
        self_seconds: 24.1 * own,
        total_seconds: 24.1 * total,
        children,
    }
}

fn tree() -> TreeNode {
    let inner = node(
        "loop",
        "loop at lbm.c:52",
        Some(12),
        0.431,
        0.551,
        vec![node("function", "exp", None, 0.12, 0.12, vec![])],
    );
    let outer = node("loop", "loop at lbm.c:90", Some(3), 0.018, 0.569, vec![inner]);
    let collide = node("function", "collide", None, 0.0, 0.569, vec![outer]);
    let stream = node(
        "function",
        "stream",
        None,
        0.0,
        0.203,
        vec![node("loop", "loop at lbm.c:130", Some(20), 0.203, 0.203, vec![])],
    );
    let small = node("function", "print_progress", None, 0.000_2, 0.000_2, vec![]);
    node(
        "program",
        "lbm",
        None,
        0.0,
        1.0,
        vec![node("function", "main", None, 0.000_02, 0.99, vec![collide, stream, small])],
    )
}
