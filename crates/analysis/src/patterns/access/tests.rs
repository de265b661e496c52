//! Operands of typical machine loops and the accesses of the loops as written.

use crate::fixtures::{function, module, scalar_loop, vector_loop};
use crate::model::{AccessFacts, StridePattern};
use loopwright_binary::facts::{ElementType, InstructionLine, LoopCode, LoopRole, StaticStride, Trait};
use loopwright_experiment::{Facts, Listing, Run};
use loopwright_instrument::traced::{Patterns, TracedModule};
use loopwright_patterns::facts::{
    AccessKind, Array, Dependence, Footprint, LaneSteps, LevelStrides, LoopPatterns, SitePattern,
};
use std::sync::Arc;

/// An operand: column, kind, bytes, bytes of an element, machine stride, array, and offset from its first operand.
#[derive(Clone, Copy)]
struct Op(u32, AccessKind, u32, u32, i64, u32, i64);

use AccessKind::{Load, Store};

const HEADER: u64 = 0x210;

fn steps(values: &[(i64, u64)]) -> LevelStrides {
    LevelStrides {
        header: HEADER,
        steps: values.iter().map(|value| value.1).sum(),
        values: values.to_vec(),
        ..LevelStrides::default()
    }
}

fn sites(operands: &[Op]) -> (Vec<SitePattern>, Vec<Array>) {
    let mut arrays: Vec<Array> = Vec::new();
    let mut sites = Vec::new();
    for (&Op(_, kind, size, element, stride, array, offset), index) in operands.iter().zip(0u32..) {
        while arrays.len() <= array as usize {
            arrays.push(Array { lines: 10, bytes: 320, ..Array::default() });
        }
        let first = arrays[array as usize].sites.first().copied();
        arrays[array as usize].sites.push(index);
        sites.push(SitePattern {
            function: 0x200,
            address: 0x214 + 4 * u64::from(index),
            kind,
            size,
            element,
            lanes: 1,
            executions: 1000,
            low: 0x1000,
            high: 0x9000,
            strides: vec![steps(&[(stride, 999)])],
            offset: first.map(|first| (first, offset)),
            ..SitePattern::default()
        });
    }
    (sites, arrays)
}

fn lifted(code: LoopCode, operands: &[Op]) -> Vec<AccessFacts> {
    let (sites, arrays) = sites(operands);
    lifted_sites(vec![code], operands, sites, arrays)
}

fn lifted_sites(
    codes: Vec<LoopCode>,
    operands: &[Op],
    sites: Vec<SitePattern>,
    arrays: Vec<Array>,
) -> Vec<AccessFacts> {
    lifted_with(codes, operands, sites, arrays, vec![])
}

fn lifted_with(
    mut codes: Vec<LoopCode>,
    operands: &[Op],
    sites: Vec<SitePattern>,
    arrays: Vec<Array>,
    dependences: Vec<Dependence>,
) -> Vec<AccessFacts> {
    (codes[0].header, codes[0].ranges) = (HEADER, vec![(HEADER, 0x2f0)]);
    let seen = LoopPatterns {
        function: 0x200,
        header: HEADER,
        iterations: 1000,
        sites,
        dependences,
        footprint: Footprint { line_bytes: 64, arrays, ..Footprint::default() },
        ..LoopPatterns::default()
    };
    let instructions = (operands.iter().zip(0u64..)).map(|(operand, at)| InstructionLine {
        address: 0x214 + 4 * at,
        text: String::new(),
        file: Some(0),
        line: 12,
        column: operand.0,
        in_loop: Some(0),
    });
    let listing = Listing { files: vec!["/src/w.c".into()], instructions: instructions.collect() };
    let patterns = Patterns {
        modules: vec![TracedModule { path: "/bin/a".into(), build_id: None, bias: None }],
        loops: vec![seen],
        strides: true,
        ..Patterns::default()
    };
    let code = module(vec![function(2, "work", (0x200, 0x300), codes, 3)]);
    let run = Run { id: 1, facts: patterns, code: vec![code], ..Run::default() };
    let text = format!("{}    out[i] = lbv[i*3] + lbv[i*3+2];\n", "\n".repeat(11));
    let facts = Facts {
        traced: vec![run],
        listings: [(2, listing)].into(),
        sources: [("/src/w.c".to_owned(), text)].into(),
        ..Facts::default()
    };
    crate::analyse(&facts).loops.into_iter().find(|l| l.id == 3).unwrap().access
}

/// Pattern, stride in bytes and elements, source factor and number of instructions.
type Summary = (StridePattern, Option<i64>, Option<i64>, u32, usize);

fn summary(access: &[AccessFacts]) -> Vec<Summary> {
    let one =
        |a: &AccessFacts| (a.pattern, a.stride_bytes, a.stride_elements, a.source_factor, a.addresses.len());
    access.iter().map(one).collect()
}

use StridePattern::{Constant, Uniform, Unit, Variable};

fn scalar() -> LoopCode {
    scalar_loop(0, (HEADER, 0x2f0), 12)
}

fn vector(length: u32, unroll: u32, traits: &[Trait]) -> LoopCode {
    let mut code = vector_loop(length);
    code.vector.as_mut().unwrap().unroll = unroll;
    code.traits = traits.to_vec();
    code
}

#[test]
fn a_scalar_loop_is_as_written() {
    let operands = [
        Op(3, Load, 8, 8, 8, 0, 0),
        Op(9, Load, 8, 8, 24, 1, 0),
        Op(15, Load, 8, 8, -8, 2, 0),
        Op(21, Store, 8, 8, 0, 3, 0),
    ];
    let access = lifted(scalar(), &operands);
    assert_eq!(
        summary(&access),
        [
            (Unit, Some(8), Some(1), 1, 1),
            (Constant, Some(24), Some(3), 1, 1),
            (Unit, Some(-8), Some(-1), 1, 1),
            (Uniform, Some(0), Some(0), 1, 1),
        ]
    );
    assert_eq!((access[0].file.as_deref(), access[0].line), (Some("/src/w.c"), Some(12)));
    assert_eq!(access[1].utilisation, Some(0.5));
}

#[test]
fn copies_of_a_loop_unrolled_by_four_are_one_access() {
    let mut operands = Vec::new();
    for copy in 0..4 {
        operands.push(Op(3, Load, 8, 8, 96, 0, 24 * copy));
        operands.push(Op(9, Store, 8, 8, 32, 1, 8 * copy));
    }
    let expected = [(Constant, Some(24), Some(3), 4, 4), (Unit, Some(8), Some(1), 4, 4)];
    assert_eq!(summary(&lifted(scalar(), &operands)), expected);
    // Backwards.
    let back: Vec<Op> = operands.iter().map(|o| Op(o.0, o.1, o.2, o.3, -o.4, o.5, -o.6)).collect();
    let expected = [(Constant, Some(-24), Some(-3), 4, 4), (Unit, Some(-8), Some(-1), 4, 4)];
    assert_eq!(summary(&lifted(scalar(), &back)), expected);
}

#[test]
fn neighbours_are_no_copies() {
    // a[i-1] and a[i+1] at places of their own, and both at one place.
    let apart = [Op(3, Load, 8, 8, 8, 0, 0), Op(9, Load, 8, 8, 8, 0, 16), Op(1, Store, 8, 8, 8, 1, 0)];
    let together = [Op(3, Load, 8, 8, 8, 0, 0), Op(3, Load, 8, 8, 8, 0, 16), Op(1, Store, 8, 8, 8, 1, 0)];
    for operands in [apart, together] {
        let access = lifted(scalar(), &operands);
        assert_eq!(summary(&access), [(Unit, Some(8), Some(1), 1, 1); 3]);
        assert_eq!(access.iter().map(|a| a.offset_bytes).collect::<Vec<_>>(), [None, Some(16), None]);
    }
    // The same unrolled by two: four operands at one place, two copies of each neighbour.
    let mut operands: Vec<Op> = [0, 8, 16, 24].map(|at| Op(3, Load, 8, 8, 16, 0, at)).to_vec();
    operands.extend([0, 8].map(|at| Op(1, Store, 8, 8, 16, 1, at)));
    let access = lifted(scalar(), &operands);
    assert_eq!(summary(&access), [(Unit, Some(8), Some(1), 2, 2); 3]);
    assert_eq!(access[1].offset_bytes, Some(16));
    // Real and imaginary part: fields, each with stride 2, not a unit stride unrolled by two.
    let parts = [Op(3, Load, 8, 8, 16, 0, 0), Op(9, Load, 8, 8, 16, 0, 8)];
    assert_eq!(summary(&lifted(scalar(), &parts)), [(Constant, Some(16), Some(2), 1, 1); 2]);
}

#[test]
fn a_vector_loop_over_plain_arrays_has_unit_strides() {
    let operands = [Op(3, Load, 32, 8, 32, 0, 0), Op(9, Store, 32, 4, 32, 1, 0)];
    let access = lifted(vector(4, 1, &[]), &operands);
    // The store is written with the instruction for single precision.
    assert_eq!(summary(&access), [(Unit, Some(8), Some(1), 4, 1); 2]);
    assert_eq!((access[1].element_bytes, access[1].machine_stride_elements), (8, Some(4)));
    // A complex number in each iteration of a scalar loop.
    let access = lifted(scalar(), &[Op(3, Load, 16, 8, 16, 0, 0)]);
    assert_eq!((summary(&access), access[0].element_bytes), (vec![(Unit, Some(16), Some(1), 1, 1)], 16));
    // Unrolled by two, whether the code shows it or not.
    let mut operands = Vec::new();
    for copy in 0..2 {
        operands.push(Op(3, Load, 32, 8, 64, 0, 32 * copy));
        operands.push(Op(9, Store, 32, 8, 64, 1, 32 * copy));
    }
    for unroll in [1, 2] {
        let access = lifted(vector(4, unroll, &[]), &operands);
        assert_eq!(summary(&access), [(Unit, Some(8), Some(1), 8, 2); 2]);
    }
}

#[test]
fn stride_3_and_12_are_one() {
    // Structures of three doubles, four at a time: wide loads and shuffles (GCC for AVX2).
    let wide: Vec<Op> = [0, 32, 64].map(|at| Op(3, Load, 32, 8, 96, 0, at)).to_vec();
    let access = lifted(vector(4, 1, &[Trait::Shuffle]), &wide);
    assert_eq!(summary(&access), [(Constant, Some(24), Some(3), 4, 3)]);
    assert_eq!(access[0].machine_stride_elements, Some(12));
    // Each load at the place of one of the three.
    let apart: Vec<Op> = [0, 32, 64].map(|at| Op(3 + at as u32, Load, 32, 8, 96, 0, at)).to_vec();
    let access = lifted(vector(4, 1, &[Trait::Shuffle]), &apart);
    assert_eq!(summary(&access), [(Constant, Some(24), Some(3), 4, 1); 3]);
    // One double at a time, put into vectors (SSE2: two structures a time), x and z.
    let single = [(3, 0), (3, 24), (9, 16), (9, 40)].map(|(column, at)| Op(column, Load, 8, 8, 48, 0, at));
    let access = lifted(vector(2, 1, &[Trait::Insert]), &single);
    assert_eq!(summary(&access), [(Constant, Some(24), Some(3), 2, 2); 2]);
    assert_eq!(access[1].offset_bytes, Some(16));
    // Pieces of all sizes, some loaded twice (Clang).
    let pieces = [(32, 0), (32, 32), (8, 72), (16, 80), (32, 96), (8, 64), (8, 168), (16, 176)];
    let pieces = pieces.map(|(size, at)| Op(3, Load, size, 8, 192, 0, at));
    let access = lifted(vector(4, 2, &[Trait::Shuffle]), &pieces);
    assert_eq!(summary(&access), [(Constant, Some(24), Some(3), 8, 8)]);
    // A scalar remainder beside the body shows the factor where the lanes do not.
    let mut body = vector(2, 1, &[Trait::Shuffle]);
    body.role = LoopRole::Body;
    let stride = |bytes| StaticStride { address: 0, bytes, size: 8, store: false, line: 12 };
    body.strides = vec![stride(96)];
    let mut rest = scalar_loop(1, (0x2f0, 0x2f8), 12);
    (rest.role, rest.group, rest.strides) = (LoopRole::Remainder, 0, vec![stride(24)]);
    let (sites, arrays) = sites(&wide);
    let access = lifted_sites(vec![body, rest], &wide, sites, arrays);
    assert_eq!(summary(&access), [(Constant, Some(24), Some(3), 4, 3)]);
}

#[test]
fn conversions_and_indices_keep_their_sizes() {
    // float to double, eight at a time; 32-bit indices beside doubles.
    let operands = [
        Op(3, Load, 16, 4, 32, 0, 0),
        Op(3, Load, 16, 4, 32, 0, 16),
        Op(9, Store, 32, 8, 64, 1, 0),
        Op(9, Store, 32, 8, 64, 1, 32),
    ];
    let mut code = vector(4, 2, &[Trait::Conversion]);
    code.types = vec![ElementType::F64, ElementType::F32];
    let access = lifted(code, &operands);
    assert_eq!(summary(&access), [(Unit, Some(4), Some(1), 8, 2), (Unit, Some(8), Some(1), 8, 2)]);
    let operands = [Op(3, Load, 16, 16, 16, 0, 0), Op(9, Store, 32, 8, 32, 1, 0)];
    let access = lifted(vector(4, 1, &[Trait::Gather]), &operands);
    assert_eq!(summary(&access), [(Unit, Some(4), Some(1), 4, 1), (Unit, Some(8), Some(1), 4, 1)]);
}

#[test]
fn gathers_have_the_stride_of_their_lanes() {
    let operands = [Op(3, Load, 32, 8, 96, 0, 0), Op(9, Load, 32, 8, 0, 1, 0)];
    let (mut sites, arrays) = sites(&operands);
    let affine = LaneSteps {
        values: vec![(24, 3000)],
        affine: 1000,
        ascending: 1000,
        lines: 2000,
        active: 4000,
        ..LaneSteps::default()
    };
    sites[0].lanes = 4;
    sites[0].lane_steps = Some(affine);
    // Through an index: each lane elsewhere.
    sites[1].lanes = 4;
    sites[1].strides = vec![steps(&[(800, 10), (-16, 9), (64, 9)])];
    sites[1].lane_steps =
        Some(LaneSteps { values: vec![(8, 20)], others: 2980, active: 4000, ..LaneSteps::default() });
    let access = lifted_sites(vec![vector(4, 1, &[Trait::Gather])], &operands, sites, arrays);
    assert_eq!(summary(&access), [(Constant, Some(24), Some(3), 4, 1), (Variable, None, None, 4, 1)]);
    let gather = access[0].gather.as_ref().unwrap();
    assert_eq!(
        (gather.lane_stride_bytes, gather.affine_share, gather.lines_per_execution),
        (Some(24), 1.0, 2.0)
    );
    assert_eq!(access[1].gather.as_ref().unwrap().lane_stride_bytes, None);
}

#[test]
fn a_stride_is_constant_from_99_percent_on() {
    let operands = [Op(3, Load, 8, 8, 8, 0, 0)];
    for (regular, expected) in [(990, Unit), (989, Variable)] {
        let (mut sites, arrays) = sites(&operands);
        sites[0].strides = vec![steps(&[(8, regular), (4096, 1000 - regular)])];
        let access = lifted_sites(vec![scalar()], &operands, sites, arrays);
        assert_eq!(access[0].pattern, expected);
        assert_eq!(access[0].distribution[0], (8, regular as f64 / 1000.0));
    }
}

#[test]
fn a_factor_that_contradicts_what_was_seen_is_not_used() {
    // The code says eight lanes, the operand moves by four elements.
    let operands = [Op(3, Load, 8, 8, 32, 0, 0), Op(9, Load, 8, 8, 32, 1, 0)];
    let access = lifted(vector(8, 1, &[Trait::Insert]), &operands);
    assert_eq!(access[0].source_factor, 4);
    // One element is stored in each machine iteration: that is one of the source, too.
    let operands = [Op(3, Load, 8, 8, 32, 0, 0), Op(9, Store, 8, 8, 32, 1, 0)];
    let access = lifted(vector(8, 1, &[Trait::Insert]), &operands);
    assert_eq!((access[0].source_factor, access[1].stride_bytes), (1, Some(32)));
    // An unrolled scalar body without columns.
    let mut body = scalar();
    body.role = LoopRole::Body;
    let copies: Vec<Op> = (0..4).map(|copy| Op(0, Load, 8, 8, 32, 0, 8 * copy)).collect();
    assert_eq!(summary(&lifted(body, &copies)), [(Unit, Some(8), Some(1), 4, 4)]);
    // Not unrolled for sure: four fields of a structure.
    assert_eq!(summary(&lifted(scalar(), &copies)), [(Constant, Some(32), Some(4), 1, 1); 4]);
}

#[test]
fn accesses_are_named_as_written() {
    // Columns of `=`, `lbv[i*3]` and `lbv[i*3+2]`; unrolled by two.
    let operands: Vec<Op> = (0..2)
        .flat_map(|copy| {
            [
                Op(14, Load, 8, 8, 48, 0, 24 * copy),
                Op(25, Load, 8, 8, 48, 0, 24 * copy + 16),
                Op(12, Store, 8, 8, 16, 1, 8 * copy),
            ]
        })
        .collect();
    let access = lifted(scalar(), &operands);
    let names: Vec<Option<&str>> = access.iter().map(|a| a.operand.as_deref()).collect();
    assert_eq!(names, [Some("lbv[i*3]"), Some("lbv[i*3+2]"), Some("out[i]")]);
}

#[test]
fn copies_of_a_sum_may_have_different_places() {
    use loopwright_binary::facts::{CarriedKind, CarriedValue};
    // Columns of `lbv[i*3]` and of the `+` before the other reference, in one loop that adds twice to one sum.
    let sum = |copies| {
        let mut code = scalar();
        code.carried =
            Some(vec![CarriedValue { kind: CarriedKind::Reduction, copies, ..Default::default() }]);
        code
    };
    // Two references are open at the `+`: they may be parts of structures.
    let open = [Op(14, Load, 8, 8, 16, 0, 0), Op(23, Load, 8, 8, 16, 0, 8)];
    assert_eq!(summary(&lifted(sum(2), &open)), [(Constant, Some(16), Some(2), 1, 1); 2]);
    // One at both columns; an addition each to two sums are complex numbers.
    let one = [Op(14, Load, 8, 8, 16, 0, 0), Op(17, Load, 8, 8, 16, 0, 8)];
    assert_eq!(summary(&lifted(sum(2), &one)), [(Unit, Some(8), Some(1), 2, 2)]);
    assert_eq!(summary(&lifted(sum(1), &one)), [(Constant, Some(16), Some(2), 1, 1); 2]);
    // Nothing between them is loaded: every second element, and every second of those.
    let gaps = [Op(14, Load, 8, 8, 32, 0, 0), Op(17, Load, 8, 8, 32, 0, 16)];
    assert_eq!(summary(&lifted(sum(2), &gaps)), [(Constant, Some(32), Some(4), 1, 1); 2]);
}

#[test]
fn variables_name_what_no_reference_does() {
    use loopwright_binary::facts::VariableInfo;
    let operands = [Op(14, Load, 8, 8, 24, 0, 0), Op(40, Load, 8, 8, 8, 1, 0)];
    let (sites, arrays) = sites(&operands);
    let seen = LoopPatterns {
        function: 0x200,
        header: HEADER,
        iterations: 1000,
        sites,
        footprint: Footprint { line_bytes: 64, arrays, ..Footprint::default() },
        ..LoopPatterns::default()
    };
    let named = |bias: Option<u64>, size: u64| -> Vec<Option<String>> {
        let mut code = scalar();
        (code.header, code.ranges) = (HEADER, vec![(HEADER, 0x2f0)]);
        let mut code = module(vec![function(2, "work", (0x200, 0x300), vec![code], 3)]);
        Arc::make_mut(&mut code.facts).variables =
            vec![VariableInfo { name: "table".into(), address: 0x800, size }];
        let patterns = Patterns {
            modules: vec![TracedModule { path: "/bin/a".into(), build_id: None, bias }],
            loops: vec![seen.clone()],
            strides: true,
            ..Patterns::default()
        };
        let run = Run { id: 1, facts: patterns, code: vec![code], ..Run::default() };
        let facts = Facts { traced: vec![run], ..Facts::default() };
        let analysis = crate::analyse(&facts);
        analysis
            .loops
            .into_iter()
            .find(|l| l.id == 3)
            .unwrap()
            .access
            .into_iter()
            .map(|a| a.operand)
            .collect()
    };
    // The operands are at [0x1000, 0x9000).
    let table = Some("table[…]".to_owned());
    assert_eq!(named(Some(0x800), 0x8000), [table.clone(), table]);
    assert_eq!(named(Some(0x800), 0x7fff), [None, None], "it reaches beyond the variable");
    assert_eq!(named(Some(0x900), 0x8000), [None, None], "elsewhere");
    assert_eq!(named(None, 0x8000), [None, None], "the place of the module is not known");
    assert_eq!(named(Some(0x2000), u64::MAX), [None, None], "stored numbers may be anything");
}

#[test]
fn lanes_of_another_loop_are_no_iterations_of_this_one() {
    // b[k][j..j+3] and a broadcast of a[k] in a loop over k: rows of 1000 doubles.
    let operands = [Op(3, Load, 32, 8, 8000, 0, 0), Op(9, Load, 8, 8, 8, 1, 0)];
    let (mut sites, arrays) = sites(&operands);
    sites[0].strides.push(LevelStrides {
        header: 0x204,
        steps: 9,
        values: vec![(32, 9)],
        ..Default::default()
    });
    for code in [vector(4, 1, &[]), vector(4, 1, &[Trait::Shuffle])] {
        let access = lifted_sites(vec![code], &operands, sites.clone(), arrays.clone());
        assert_eq!(
            summary(&access),
            [(Constant, Some(8000), Some(1000), 1, 1), (Unit, Some(8), Some(1), 1, 1)]
        );
        // Over j, whose iterations the lanes are.
        assert_eq!((access[0].outer[0].pattern, access[0].outer[0].stride_bytes), (Unit, Some(8)));
    }
    // Only such operands, and a stencil of them.
    let neighbours = [0, 16, 8000].map(|at| Op(3 + at as u32, Load, 32, 8, 8000, 0, at));
    assert_eq!(
        summary(&lifted(vector(4, 1, &[]), &neighbours)),
        [(Constant, Some(8000), Some(1000), 1, 1); 3]
    );
    // The same unrolled by two.
    let twice: Vec<Op> = [0, 8000].map(|at| Op(3, Load, 32, 8, 16000, 0, at)).to_vec();
    assert_eq!(summary(&lifted(vector(4, 1, &[]), &twice)), [(Constant, Some(8000), Some(1000), 2, 2)]);
}

#[test]
fn parts_of_structures_that_shuffles_put_together_are_iterations() {
    // Four of eight doubles of each structure, four structures at a time, transposed.
    let halves: Vec<Op> = (0..4).map(|n| Op(3, Load, 32, 8, 256, 0, 64 * n)).collect();
    let access = lifted(vector(4, 1, &[Trait::Shuffle]), &halves);
    assert_eq!((access[0].source_factor, access[0].stride_elements), (4, Some(8)));
}

/// What never ran is not listed, but what a dependence is about is.
#[test]
fn operands_that_did_not_run_are_left_out() {
    let operands = [Op(3, Load, 8, 8, 8, 0, 0), Op(9, Load, 8, 8, 24, 1, 0), Op(15, Store, 8, 8, 8, 2, 0)];
    let listed = |dependences: Vec<Dependence>| {
        let (mut sites, arrays) = sites(&operands);
        sites[1].executions = 0;
        let access = lifted_with(vec![scalar()], &operands, sites, arrays, dependences);
        access.iter().map(|access| access.addresses.concat()).collect::<Vec<_>>()
    };
    assert_eq!(listed(vec![]), ["0x214", "0x21c"]);
    let dependence = Dependence { source: 2, sink: 1, ..Dependence::default() };
    assert_eq!(listed(vec![dependence]), ["0x214", "0x218", "0x21c"]);
}
