//! The program: functions with nests of loops, their instructions and samples, their sources, and what compilers said.

use crate::names::Names;
use crate::random::Random;
use loopwright_binary::facts::{
    CallSite, CarriedChain, Carrier, ChainKind, ElementType, FunctionCode, FunctionInfo, FunctionOrigin,
    InlineFrame, InstructionLine, InstructionMix, Isa, LoopCode, LoopRole, SourceLocation, StaticStride,
    Trait, VectorUse,
};
use loopwright_remarks::remark::{Family, Outcome, Remark, SourcePosition};
use loopwright_report::page::Function;
use std::collections::{BTreeMap, HashMap};

/// Functions that share a file.
const FUNCTIONS_OF_A_FILE: usize = 10;
/// Time that a sample represents.
pub const SAMPLE_NS: u64 = 1_003_009;

/// All of it.
pub struct Program {
    pub functions: Vec<Function>,
    /// Texts by file.
    pub texts: HashMap<String, String>,
    pub remarks: Vec<Remark>,
}

/// What compilers say, with the id of the reason.
pub const MESSAGES: [(&str, &str); 5] = [
    ("fp-reduction-order", "not vectorized: relevant phi not supported: sum_{} = PHI <sum_{}(5), 0.0(4)>"),
    ("complex-control-flow", "not vectorized: control flow in loop {}."),
    (
        "alias-checks",
        "not vectorized: versioning for alias required: can't determine dependence between a_{} and b_{}",
    ),
    ("opaque-call", "not vectorized: statement clobbers memory: step_{} (&x_{});"),
    ("loop-nest-shape", "not vectorized: multiple nested loops ({})."),
];

/// Makes `loops` loops in `count` functions.
pub fn program(random: &mut Random, names: &Names, loops: usize, count: usize) -> Program {
    let mut program = Program { functions: Vec::new(), texts: HashMap::new(), remarks: Vec::new() };
    let mut next_id = 1;
    let (mut file, mut text, mut lines) = (String::new(), String::new(), 0);
    for index in 0..count {
        if index % FUNCTIONS_OF_A_FILE == 0 {
            program.texts.insert(std::mem::take(&mut file), std::mem::take(&mut text));
            file = names.file(random, index / FUNCTIONS_OF_A_FILE);
            text = format!("/* {} */\n#include <math.h>\n\n", names.text(random, "the solver"));
            lines = text.lines().count() as u32;
        }
        let wanted = loops * (index + 1) / count - loops * index / count;
        let mut writer = Writer {
            random,
            names,
            file: &file,
            text: &mut text,
            lines: &mut lines,
            address: 0x40_1000 + 0x4000 * index as u64,
            code: Vec::new(),
            loops: Vec::new(),
            nanoseconds: HashMap::new(),
            remarks: &mut program.remarks,
            // A few functions take most of the time.
            heat: 40_000.0 / (index as f64 + 3.0),
        };
        let code = writer.function(index, wanted);
        let nanoseconds = writer.nanoseconds;
        let loop_ids = (next_id..).take(code.loops.len()).collect();
        next_id += code.loops.len() as u32;
        program.functions.push(Function { module: "solver".into(), code, loop_ids, nanoseconds });
    }
    program.texts.insert(file, text);
    program.texts.remove("");
    program
}

struct Writer<'a> {
    random: &'a mut Random,
    names: &'a Names,
    file: &'a str,
    text: &'a mut String,
    lines: &'a mut u32,
    address: u64,
    code: Vec<InstructionLine>,
    loops: Vec<LoopCode>,
    nanoseconds: HashMap<u64, u64>,
    remarks: &'a mut Vec<Remark>,
    heat: f64,
}

impl Writer<'_> {
    /// The line that was written last.
    fn line(&self) -> u32 {
        *self.lines
    }

    fn write(&mut self, indent: usize, line: &str) {
        self.text.push_str(&"    ".repeat(indent));
        self.text.push_str(line);
        self.text.push('\n');
        *self.lines += 1 + line.matches('\n').count() as u32;
    }

    fn function(&mut self, index: usize, wanted: usize) -> FunctionCode {
        let name = self.names.function(self.random, index);
        let start = self.address;
        self.write(0, &format!("void step_{index}(int n, double *restrict a, const double *restrict b)"));
        self.write(0, "{");
        let first = self.line();
        self.instructions(4, None, first, 0.0);
        while self.loops.len() < wanted {
            let depth = self.random.between(1, 3) as usize;
            self.nest(None, depth.min(wanted - self.loops.len()));
        }
        self.instructions(3, None, first, 0.0);
        self.write(0, "}\n");
        let end = self.address;
        FunctionCode {
            function: FunctionInfo {
                name,
                linkage_name: None,
                address: start,
                end,
                parts: vec![],
                origin: FunctionOrigin::Symtab,
            },
            location: Some(SourceLocation { file: self.file.to_owned(), line: first, column: 6 }),
            producer: Some("GNU C17 12.2.0 -O2 -g".into()),
            unit: None,
            loops: std::mem::take(&mut self.loops),
            irreducible: vec![],
            unresolved_jumps: vec![],
            places: vec![],
            operations: vec![],
            inlined: Default::default(),
            other_stores: None,
            files: vec![self.file.to_owned()],
            instructions: std::mem::take(&mut self.code),
        }
    }

    /// Instructions of one line; the time of each decreases with `heat`.
    fn instructions(&mut self, count: usize, in_loop: Option<u32>, line: u32, heat: f64) {
        for _ in 0..count {
            let (a, b) = (self.random.below(16), self.random.below(16));
            let offset = self.random.below(64) * 8;
            let text = match self.random.below(6) {
                0 => format!("vmovupd ymm{a}, [rsi+rax*8+{offset:#x}]"),
                1 => format!("vfmadd231pd ymm{a}, ymm{b}, [rdi+{offset:#x}]"),
                2 => format!("vaddsd  xmm{a}, xmm{b}, [rdx+r{}*8]", 8 + b % 8),
                3 => format!("add     r{}, {offset:#x}", 8 + a % 8),
                4 => format!("cmp     r{}, r{}", 8 + a % 8, 8 + b % 8),
                _ => format!("jne     {:#x}", self.address.saturating_sub(offset)),
            };
            let text = self.names.text(self.random, &text);
            let samples = (heat * self.random.share() * self.random.share()) as u64;
            if samples > 0 {
                self.nanoseconds.insert(self.address, samples * SAMPLE_NS);
            }
            let column = self.random.between(5, 40) as u32;
            self.code.push(InstructionLine {
                address: self.address,
                text,
                file: Some(0),
                line,
                column,
                in_loop,
            });
            self.address += self.random.between(3, 8);
        }
    }

    /// A loop with `depth - 1` loops inside each other.
    fn nest(&mut self, parent: Option<u32>, depth: usize) {
        let index = self.loops.len() as u32;
        let level = parent.map_or(1, |parent| self.loops[parent as usize].depth + 1);
        let indent = level as usize;
        let variable = ["i", "j", "k", "l"][indent % 4];
        let bound = self.names.identifier(self.random);
        self.write(indent, &format!("for (int {variable} = 0; {variable} < {bound}; {variable}++) {{"));
        let line = self.line();
        let header = self.address;
        let this = self.looped(index, parent, level, line, depth == 1);
        self.loops.push(this);
        let heat = if depth == 1 { self.heat * self.random.share().powi(3) } else { self.heat * 0.002 };
        self.instructions(3, Some(index), line, heat * 0.2);
        if depth > 1 {
            self.nest(Some(index), depth - 1);
        } else {
            let (x, y) = (self.names.identifier(self.random), self.names.identifier(self.random));
            let factor = self.random.share();
            self.write(
                indent + 1,
                &format!("{x}[{variable}] += {factor:.4} * ({y}[{variable}] - b[{variable}]);"),
            );
            let body = self.line();
            self.instructions(4, Some(index), body, heat);
        }
        self.instructions(2, Some(index), line, heat * 0.1);
        self.write(indent, "}");
        let last = self.line();
        let range = (header, self.address);
        let this = &mut self.loops[index as usize];
        this.header = header;
        this.ranges = vec![range];
        this.lines = Some((line, last));
        this.strides[0].address = header;
        this.strides[0].line = line;
        self.remark(line);
    }

    fn looped(
        &mut self,
        index: u32,
        parent: Option<u32>,
        depth: u32,
        line: u32,
        innermost: bool,
    ) -> LoopCode {
        let random = &mut *self.random;
        let vectorized = innermost && random.chance(0.35);
        let vector = vectorized.then(|| VectorUse {
            isa: Isa::AVX2,
            bits: 256,
            length: 4,
            unroll: random.between(1, 4) as u32,
            types: vec![ElementType::F64],
            packed_share: 0.5 + random.share() / 2.0,
        });
        let instructions = random.between(7, 60) as u32;
        let arithmetic = instructions / 3;
        let mix = InstructionMix {
            fp_scalar: if vectorized { 0 } else { arithmetic },
            fp_vector: if vectorized { arithmetic } else { 0 },
            load: random.between(1, 12) as u32,
            store: random.between(0, 4) as u32,
            integer: random.between(1, 6) as u32,
            branch: random.between(1, 3) as u32,
            moves: random.between(0, 5) as u32,
            ..InstructionMix::default()
        };
        let inlined_from = if random.chance(0.1) {
            let function = self.names.text(random, "inlined_kernel");
            vec![InlineFrame { function, call_site: None }]
        } else {
            vec![]
        };
        LoopCode {
            index,
            header: 0,
            ranges: vec![],
            parent,
            depth,
            innermost,
            location: Some(SourceLocation { file: self.file.to_owned(), line, column: 5 * depth }),
            lines: None,
            inlined_from,
            role: if vectorized { LoopRole::Body } else { LoopRole::Whole },
            group: index,
            instructions,
            vectorized,
            vector,
            types: vec![ElementType::F64],
            traits: if random.chance(0.3) {
                vec![*random.pick(&[Trait::Shuffle, Trait::Fma, Trait::Spill])]
            } else {
                vec![]
            },
            calls: if random.chance(0.1) {
                vec![CallSite { address: random.next() >> 40, target: Some("exp".into()) }]
            } else {
                vec![]
            },
            exits: 1 + u32::from(random.chance(0.1)),
            chains: vec![CarriedChain {
                carrier: Carrier::Register(format!("xmm{}", random.below(16))),
                instructions: vec![random.next() >> 40],
                latency_cycles: random.between(1, 12) as u32,
                kind: ChainKind::InOrderSum,
                chooses: false,
            }],
            carried: None,
            ends: None,
            followed: Vec::new(),
            counter_stores: Vec::new(),
            keeps_stack: false,
            address_classes: Vec::new(),
            operands: Default::default(),
            constant_trips: random.chance(0.1).then(|| random.between(2, 64)),
            bytes_loaded: mix.load * 8,
            bytes_stored: mix.store * 8,
            flop: BTreeMap::from([(ElementType::F64, arithmetic * if vectorized { 4 } else { 1 })]),
            strides: vec![StaticStride {
                address: 0,
                bytes: 8 << random.below(4),
                size: 8,
                store: false,
                line: 0,
            }],
            idiom: None,
            mix,
        }
    }

    fn remark(&mut self, line: u32) {
        let (reason, message) = *self.random.pick(&MESSAGES);
        let number = self.random.below(1000).to_string();
        let place = SourcePosition { file: self.file.to_owned(), line, column: 5 };
        let mut remark = Remark::new(Family::Gcc, "vect", Outcome::Missed, place, String::new());
        remark.message = self.names.text(self.random, &message.replace("{}", &number));
        remark.compiler = "gcc 12.2.0".into();
        remark.reason = Some(reason.to_owned());
        self.remarks.push(remark);
    }
}
