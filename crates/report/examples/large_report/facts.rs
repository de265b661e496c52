//! The analysis of the program, as the joined facts of a survey, a counting run and a tracing run would give it.

use crate::code::{MESSAGES, Program, SAMPLE_NS};
use crate::energy::energy;
use crate::names::Names;
use crate::patterns::trace;
use crate::random::Random;
use crate::searches::Searches;
use crate::work::{LEVELS, by_thread, roofline, trips, work};
use loopwright_advise::evidence::{Evidence, Time};
use loopwright_advise::{Confidence, How, Recommendation};
use loopwright_analysis::model::*;
use loopwright_analysis::thread_trees::{ThreadTree, ThreadTrees};
use loopwright_binary::facts::{Isa, LoopCode};
use loopwright_report::page::Function;
use loopwright_vocabulary::VectorWidth;

/// Loops that a tracing run looked at.
const TRACED: usize = 200;
/// Loops with something to change.
const ADVISED: usize = 300;
/// Loops that several threads ran.
const SHARED: usize = 2000;
/// Nodes below this share are not in the tree.
const SMALLEST: f64 = 0.0005;

/// What the report is made from, beside the program.
pub struct Facts {
    pub analysis: Analysis,
    /// What to change.
    pub recommendations: Vec<Recommendation>,
    /// Trees of the threads.
    pub threads: ThreadTrees,
}

/// Makes them.
pub fn facts(random: &mut Random, names: &Names, program: &Program) -> Facts {
    let whole_ns: u64 = program.functions.iter().flat_map(|function| function.nanoseconds.values()).sum();
    let whole = seconds(whole_ns.max(1));
    let mut loops = Vec::new();
    for function in &program.functions {
        for index in 0..function.code.loops.len() {
            let facts = looped(random, names, function, index, whole);
            loops.push((facts, &function.code.loops[index]));
        }
    }
    loops.sort_by(|(a, _), (b, _)| b.self_seconds.total_cmp(&a.self_seconds).then(a.id.cmp(&b.id)));
    for (at, (facts, code)) in loops.iter_mut().enumerate() {
        if at < TRACED {
            trace(random, names, code, facts);
        }
        if at < SHARED
            && let (Some(work), Some(trips)) = (&facts.work, &facts.trip_count)
        {
            facts.by_thread = Some(by_thread(random, facts.self_seconds, work, trips));
        }
    }
    let loops: Vec<LoopFacts> = loops.into_iter().map(|(facts, _)| facts).collect();
    let recommendations = loops.iter().take(ADVISED).map(|facts| advice(random, names, facts)).collect();
    let functions = functions(program, &loops, whole);
    let tree = tree(program, &loops, whole, 1.0, SMALLEST);
    let threads = (100..108)
        .map(|tid| ThreadTree {
            rank: None,
            pid: 100,
            tid,
            name: String::new(),
            tree: Some(self::tree(program, &loops, whole, 0.05 + random.share() / 8.0, SMALLEST * 4.0)),
        })
        .collect();
    let mut searches = Searches::new(names);
    let analysis = Analysis {
        trials: None,
        tuning: Some(searches.tuning()),
        reproduction: Some(searches.reproduction()),
        energy: Some(energy(&loops, &functions, whole)),
        comm: None,
        io: None,
        heap: None,
        job: None,
        schema: SCHEMA,
        purposes: vec![],
        program: run(random, names, whole),
        machine: Some(machine()),
        counts: Some(CountingFacts {
            runs: 1,
            loops: loops.len() as u32,
            functions: functions.len() as u32,
            threads: 8,
            processes: 1,
            counted_share: Some(0.98),
            elapsed_seconds: whole / 4.0,
            overhead: Some(1.37),
            outcome: "exited 0".into(),
            ..CountingFacts::default()
        }),
        tracing: None,
        top_down: None,
        costs: vec![],
        threads: (100..108)
            .map(|tid| ThreadFacts {
                rank: None,
                pid: 100,
                tid,
                name: names.text(random, "solver"),
                cpu_seconds: whole / 8.0,
                cpu_share: 0.125,
                top_loops: loops.iter().take(3).map(|facts| (facts.id, facts.self_seconds / 8.0)).collect(),
                ..ThreadFacts::default()
            })
            .collect(),
        loops,
        functions,
        modules: vec![ModuleSummary {
            path: "/home/ada/solver/bin/solver".into(),
            main_module: true,
            self_seconds: whole,
            self_share: 1.0,
            has_symbols: true,
            has_lines: true,
            build_id: Some("5b7f2c0d".into()),
            producers: vec!["GNU C17 12.2.0 -O2 -g".into()],
        }],
        tree: Some(tree),
        warnings: vec![Warning::Said(
            names.text(random, "libm.so.6 has no line information: install its debug package"),
        )],
    };
    Facts { analysis, recommendations, threads: ThreadTrees { threads, left_out: 0 } }
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// Self time of the loop's own instructions.
fn own_ns(function: &Function, index: usize) -> u64 {
    let own = function.code.instructions.iter().filter(|each| each.in_loop == Some(index as u32));
    own.filter_map(|each| function.nanoseconds.get(&each.address)).sum()
}

fn total_ns(function: &Function, code: &LoopCode) -> u64 {
    let inside = |address: u64| code.ranges.iter().any(|(from, to)| (*from..*to).contains(&address));
    let all = function.code.instructions.iter().filter(|each| inside(each.address));
    all.filter_map(|each| function.nanoseconds.get(&each.address)).sum()
}

fn looped(random: &mut Random, names: &Names, function: &Function, index: usize, whole: f64) -> LoopFacts {
    let code = &function.code.loops[index];
    let id = function.loop_ids[index];
    let (own, total) = (own_ns(function, index), total_ns(function, code));
    let (self_seconds, total_seconds) = (seconds(own), seconds(total));
    let trips = trips(random, code, own);
    let own_work = work(code, trips.iterations);
    let gain = code.vector.as_ref().map(|vector| f64::from(vector.length) * (0.3 + 0.7 * random.share()));
    let (reason, message) = *random.pick(&MESSAGES);
    let message = message.replace("{}", &random.below(1000).to_string());
    let location = code.location.as_ref();
    LoopFacts {
        id,
        module: function.module.clone(),
        main_module: true,
        function: function.code.function.name.clone(),
        written_in: code.inlined_from.first().map(|frame| frame.function.clone()),
        file: location.map(|at| at.file.clone()),
        line: location.map(|at| at.line),
        column: location.map(|at| at.column),
        lines: code.lines,
        address: format!("{:#x}", code.header),
        parent: code.parent.map(|parent| function.loop_ids[parent as usize]),
        children: (function.code.loops.iter().zip(&function.loop_ids))
            .filter(|(each, _)| each.parent == Some(code.index))
            .map(|(_, id)| *id)
            .collect(),
        depth: code.depth,
        innermost: code.innermost,
        inlined_from: code.inlined_from.clone(),
        role: code.role,
        group: id,
        self_seconds,
        self_share: self_seconds / whole,
        total_seconds,
        total_share: total_seconds / whole,
        samples: own / SAMPLE_NS,
        group_share: self_seconds / whole,
        vectorized: code.vectorized,
        vector: code.vector.as_ref().map(|vector| VectorFacts {
            isa: vector.isa,
            bits: vector.bits,
            length: vector.length,
            unroll: vector.unroll,
            types: vector.types.clone(),
            packed_share: vector.packed_share,
            gain,
            efficiency: gain.map(|gain| gain / f64::from(vector.length)),
            provenance: Provenance::Modelled,
        }),
        types: code.types.clone(),
        traits: code.traits.clone(),
        instruction_mix: code.mix.clone(),
        instructions: code.instructions,
        calls: code.calls.clone(),
        exits: code.exits,
        chains: code.chains.clone(),
        executions: Vec::new(),
        width_conversions: None,
        operands: code.operands,
        strides: code.strides.clone(),
        constant_trips: code.constant_trips,
        bytes_loaded_per_iteration: code.bytes_loaded,
        bytes_stored_per_iteration: code.bytes_stored,
        flop_per_iteration: code.flop.clone(),
        idiom: code.idiom,
        why_not: if code.vectorized {
            vec![]
        } else {
            vec![WhyNot {
                reason: reason.into(),
                compiler: Some("gcc 12.2.0".into()),
                message: names.text(random, &message),
                file: location.map(|at| at.file.clone()),
                line: location.map(|at| at.line),
                provenance: Provenance::Compiler,
            }]
        },
        compilers: vec![CompilerClaim {
            compiler: "gcc 12.2.0".into(),
            vectorized: code.vectorized,
            vector_bytes: code.vectorized.then_some(32),
        }],
        producer: function.code.producer.clone(),
        threads: if own > 0 { 8 } else { 0 },
        callee_share: if own > 0 { random.share() / 10.0 } else { 0.0 },
        serial_share: (own > 0).then(|| random.share()),
        roofline: roofline(&own_work, self_seconds),
        total_work: Some(if code.innermost { own_work.clone() } else { work(code, trips.iterations * 3) }),
        work: Some(own_work),
        trip_count: Some(trips),
        by_thread: None,
        not_counted: None,
        access: vec![],
        dependence: None,
        memory: None,
        sharing: None,
        branches: vec![],
        not_traced: None,
        bottleneck: None,
        not_injected: None,
    }
}

fn functions(program: &Program, loops: &[LoopFacts], whole: f64) -> Vec<FunctionFacts> {
    let mut works: std::collections::HashMap<&str, u64> = std::collections::HashMap::new();
    for facts in loops {
        *works.entry(&facts.function).or_default() += facts.work.as_ref().map_or(0, |work| work.instructions);
    }
    let mut functions: Vec<FunctionFacts> = program
        .functions
        .iter()
        .map(|function| {
            let own: u64 = function.nanoseconds.values().sum();
            let instructions = works.get(function.code.function.name.as_str()).copied().unwrap_or(0);
            FunctionFacts {
                function: function.code.function.name.clone(),
                module: function.module.clone(),
                main_module: true,
                file: function.code.location.as_ref().map(|at| at.file.clone()),
                line: function.code.location.as_ref().map(|at| at.line),
                self_seconds: seconds(own),
                self_share: seconds(own) / whole,
                total_seconds: seconds(own),
                total_share: seconds(own) / whole,
                samples: own / SAMPLE_NS,
                producer: function.code.producer.clone(),
                irreducible_seconds: None,
                calls_itself: None,
                integer_divisions: None,
                unresolved_jumps: None,
                calls: Some(instructions / 1000),
                work: Some(WorkRow { instructions, ..WorkRow::default() }),
                complete: Some(true),
                left_alone: vec![],
                by_thread: None,
                inlined: inlined(&function.code.function.name, seconds(own), whole),
            }
        })
        .collect();
    functions.sort_by(|a, b| b.self_seconds.total_cmp(&a.self_seconds));
    functions
}

/// Two functions within a function of `own` seconds, the smaller one within the larger one; their names contain its name.
fn inlined(name: &str, own: f64, whole: f64) -> Vec<InlinedFunction> {
    let part = |prefix: &str, own: f64, total: f64| InlinedFunction {
        function: format!("{prefix}{name}"),
        self_seconds: own,
        self_share: own / whole,
        total_seconds: total,
        total_share: total / whole,
        samples: (own * 1e9) as u64 / SAMPLE_NS,
    };
    vec![part("outer_", own * 0.5, own * 0.75), part("inner_", own * 0.25, own * 0.25)]
}

/// The tree of all time, or of a thread that has `part` of it.
fn tree(program: &Program, loops: &[LoopFacts], whole: f64, part: f64, smallest: f64) -> TreeNode {
    let node = |kind: &str, name: &str, own: f64, total: f64, children: Vec<TreeNode>| TreeNode {
        kind: kind.into(),
        name: name.into(),
        loop_id: None,
        module: "solver".into(),
        self_seconds: own * part,
        total_seconds: total * part,
        children,
    };
    let by_id: std::collections::HashMap<u32, &LoopFacts> =
        loops.iter().map(|facts| (facts.id, facts)).collect();
    fn nest(
        facts: &LoopFacts,
        by_id: &std::collections::HashMap<u32, &LoopFacts>,
        part: f64,
        smallest: f64,
    ) -> TreeNode {
        let children = facts.children.iter().filter_map(|id| by_id.get(id));
        TreeNode {
            kind: "loop".into(),
            name: format!("loop at {}", facts.place()),
            loop_id: Some(facts.id),
            module: "solver".into(),
            self_seconds: facts.self_seconds * part,
            total_seconds: facts.total_seconds * part,
            children: children
                .filter(|child| child.total_share > smallest)
                .map(|child| nest(child, by_id, part, smallest))
                .collect(),
        }
    }
    let functions = program.functions.iter().filter_map(|function| {
        let own = seconds(function.nanoseconds.values().sum());
        let roots = function.loop_ids.iter().filter_map(|id| by_id.get(id));
        let roots = roots.filter(|facts| facts.parent.is_none() && facts.total_share > smallest);
        let children = roots.map(|facts| nest(facts, &by_id, part, smallest)).collect();
        (own / whole > smallest).then(|| node("function", &function.code.function.name, 0.0, own, children))
    });
    let main = node("function", "main", 0.0, whole, functions.collect());
    node("program", "./solver case.toml", 0.0, whole, vec![main])
}

fn advice(random: &mut Random, names: &Names, facts: &LoopFacts) -> Recommendation {
    let low = 1.0 + random.share();
    let high = low + random.share() * 3.0;
    let (share, samples) = (facts.self_share, facts.samples);
    let program = |gain: f64| 1.0 / (1.0 - share + share / gain);
    Recommendation {
        tried: None,
        id: "reassociate-sum".into(),
        rule: "reassociate-sum".into(),
        title: names.text(random, "Let the compiler reorder the sum"),
        loop_id: Some(facts.id),
        group: Some(facts.group),
        function: Some(facts.function.clone()),
        written_in: facts.written_in.clone(),
        place: Some(facts.place()),
        share: Some(share),
        loop_gain: Some((low, high).into()),
        program_gain: Some((program(low), program(high)).into()),
        confidence: *random.pick(&[Confidence::Low, Confidence::Medium, Confidence::High]),
        evidence: vec![Evidence::new(Provenance::Measured, Time::LoopShare { share, samples, pieces: 1 })],
        how: How::new("Allow it with `#pragma omp simd reduction(+:sum)`; results differ in the last bits.")
            .c(
                "for (int i = 0; i < n; i++)\n    sum += x[i] * y[i];",
                "#pragma omp simd reduction(+:sum)\nfor (int i = 0; i < n; i++)\n    sum += x[i] * y[i];",
            ),
        next: None,
        case: None,
        sources: vec!["OpenMP 5.0, 2.9.3".into()],
        places: vec![],
        also: Vec::new(),
        modelled_gain: None,
        minor: false,
    }
}

fn run(random: &mut Random, names: &Names, whole: f64) -> ProgramFacts {
    ProgramFacts {
        command: vec![names.text(random, "./solver"), names.text(random, "case.toml")],
        started: "2026-01-02T03:04:05Z".into(),
        host: names.text(random, "node1"),
        outcome: "exited 0".into(),
        elapsed_seconds: whole / 7.3,
        cpu_seconds: whole,
        user_seconds: whole * 0.99,
        system_seconds: whole * 0.01,
        minor_faults: 183_211,
        peak_resident_bytes: 3 << 30,
        processes: 1,
        threads: 8,
        ranks: 1,
        samples: (whole * 1e9) as u64 / SAMPLE_NS,
        unresolved_share: 0.0013,
        overhead_share: 0.008,
        sampler: "perf_event cpu-clock, 997 Hz, DWARF call stacks".into(),
        no_call_stacks: false,
        time: TimeShares {
            vectorized: 0.31,
            scalar: 0.55,
            outside_loops: 0.12,
            kernel: 0.02,
            libraries: 0.04,
        },
        cpu_usage: (0..9).map(|cpus| f64::from(cpus) * 1.37).collect(),
        cpus_allowed: 16,
        ..ProgramFacts::default()
    }
}

fn machine() -> MachineFacts {
    let flop = |level: VectorWidth, cores: u32, gflops: f64| FlopCeiling {
        level,
        element: loopwright_binary::facts::ElementType::F64,
        fma: level != VectorWidth::Scalar,
        cores,
        gflops,
    };
    let bandwidth =
        |level, cores: u32, gbytes: f64| BandwidthCeiling { level, kernel: "triad".into(), cores, gbytes };
    MachineFacts {
        name: "Intel(R) Xeon(R) D-2146NT CPU @ 2.30GHz".into(),
        cpus: 16,
        isa: Some(Isa::AVX512F),
        core: None,
        fma: true,
        vector_bits: 512,
        cache_bytes: vec![32 << 10, 1 << 20, 11 << 20],
        line_bytes: 64,
        ceilings: Some(Ceilings {
            flops: vec![
                flop(VectorWidth::Scalar, 1, 7.4),
                flop(VectorWidth::Bits512, 1, 96.0),
                flop(VectorWidth::Bits512, 8, 711.3),
            ],
            bandwidths: LEVELS
                .iter()
                .flat_map(|&(level, gbytes)| [bandwidth(level, 1, gbytes), bandwidth(level, 8, gbytes * 5.1)])
                .collect(),
            disturbed: None,
        }),
    }
}
