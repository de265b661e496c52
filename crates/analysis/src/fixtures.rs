//! Small facts for this crate's tests.

use loopwright_binary::facts::{
    ElementType, FunctionCode, FunctionInfo, FunctionOrigin, InstructionMix, Isa, LoopCode, LoopRole,
    SourceLocation, VectorUse,
};
use loopwright_experiment::{CodeModule, StoredFunction};
use loopwright_sample::recording::{Frame, Module, ModuleKind, Recording, Sample, StackNode, Thread};

/// A scalar loop over `range` at `line`.
pub fn scalar_loop(index: u32, range: (u64, u64), line: u32) -> LoopCode {
    LoopCode {
        index,
        header: range.0,
        ranges: vec![range],
        parent: None,
        depth: 1,
        innermost: true,
        location: Some(SourceLocation { file: "/src/a.c".into(), line, column: 5 }),
        lines: Some((line, line + 2)),
        inlined_from: Vec::new(),
        role: LoopRole::Whole,
        group: index,
        instructions: 5,
        mix: InstructionMix { fp_scalar: 2, load: 1, ..InstructionMix::default() },
        vectorized: false,
        vector: None,
        types: vec![ElementType::F64],
        traits: Vec::new(),
        calls: Vec::new(),
        exits: 1,
        chains: Vec::new(),
        carried: None,
        ends: None,
        followed: Vec::new(),
        counter_stores: Vec::new(),
        keeps_stack: false,
        address_classes: Vec::new(),
        operands: Default::default(),
        constant_trips: None,
        bytes_loaded: 8,
        bytes_stored: 0,
        flop: Default::default(),
        strides: Vec::new(),
        idiom: None,
    }
}

/// A vectorised loop of f64 with `length` lanes and no instructions yet.
pub fn vector_loop(length: u32) -> LoopCode {
    LoopCode {
        vectorized: true,
        mix: InstructionMix::default(),
        vector: Some(VectorUse {
            isa: Isa::AVX2,
            bits: length * 64,
            length,
            unroll: 1,
            types: vec![ElementType::F64],
            packed_share: 1.0,
        }),
        ..scalar_loop(0, (0x100, 0x140), 10)
    }
}

/// A function with loops, stored under `id`; loop ids count from `first_loop`.
pub fn function(
    id: i64,
    name: &str,
    bounds: (u64, u64),
    loops: Vec<LoopCode>,
    first_loop: u32,
) -> StoredFunction {
    StoredFunction {
        id,
        loop_ids: (first_loop..).take(loops.len()).collect(),
        code: FunctionCode {
            function: FunctionInfo {
                name: name.into(),
                linkage_name: None,
                address: bounds.0,
                end: bounds.1,
                parts: Vec::new(),
                origin: FunctionOrigin::Symtab,
            },
            location: Some(SourceLocation { file: "/src/a.c".into(), line: 1, column: 0 }),
            producer: Some("GNU C17 12.2.0 -O2".into()),
            loops,
            irreducible: Vec::new(),
            unit: None,
            unresolved_jumps: Vec::new(),
            files: Vec::new(),
            instructions: Vec::new(),
            places: Vec::new(),
            operations: Vec::new(),
            inlined: Default::default(),
            other_stores: Some(Default::default()),
        },
    }
}

/// A recording of one thread in one module from `(stack outermost first, samples)`; 1 ms a sample.
pub fn recording(stacks: &[(&[u64], u32)]) -> Recording {
    let mut recording = Recording {
        threads: vec![Thread { pid: 1, tid: 1, name: "a".into() }],
        modules: vec![Module { path: "/bin/a".into(), kind: ModuleKind::Main, build_id: None }],
        ..Recording::default()
    };
    recording.sampler.frequency_hz = 1000;
    for (frames, count) in stacks {
        let mut parent = None;
        for &address in *frames {
            let frame = Frame { module: Some(0), address, symbol: None };
            let frame = recording.frames.iter().position(|known| *known == frame).unwrap_or_else(|| {
                recording.frames.push(frame);
                recording.frames.len() - 1
            }) as u32;
            let node = StackNode { parent, frame };
            let at = recording.stacks.iter().position(|known| *known == node).unwrap_or_else(|| {
                recording.stacks.push(node);
                recording.stacks.len() - 1
            });
            parent = Some(at as u32);
        }
        for _ in 0..*count {
            recording.samples.push(Sample {
                time_ns: (recording.samples.len() as u64 + 1) * 1_000_000,
                thread: 0,
                cpu: 0,
                stack: parent.unwrap_or(0),
                weight_ns: 1_000_000,
                kernel: false,
            });
        }
    }
    recording.target.elapsed_seconds = recording.samples.len() as f64 / 1000.0;
    recording
}

/// The code of the recording's only module.
pub fn module(functions: Vec<StoredFunction>) -> CodeModule {
    CodeModule { position: 0, facts: Default::default(), functions: functions.into() }
}
