//! What a tracing run says of a loop: how it accesses memory, what caches make of it, what its iterations depend on.

use crate::names::Names;
use crate::random::Random;
use loopwright_analysis::model::*;
use loopwright_binary::facts::LoopCode;

fn access(random: &mut Random, names: &Names, code: &LoopCode, index: u32) -> AccessFacts {
    let location = code.location.as_ref();
    let stride = 8 << random.below(5);
    let operand = format!("{}[i*{}+{index}]", names.identifier(random), random.between(1, 9));
    AccessFacts {
        file: location.map(|at| at.file.clone()),
        line: location.map(|at| at.line + 1),
        operand: Some(names.text(random, &operand)),
        addresses: vec![format!("{:#x}", code.header + u64::from(index) * 4)],
        element_bytes: 8,
        operand_bytes: 8,
        lanes: 1,
        pattern: if stride == 8 { StridePattern::Unit } else { StridePattern::Constant },
        stride_bytes: Some(stride),
        stride_elements: Some(stride / 8),
        machine_stride_bytes: Some(stride),
        machine_stride_elements: Some(stride / 8),
        source_factor: 1,
        distribution: vec![(stride, 0.9 + random.share() / 10.0)],
        other_share: random.share() / 20.0,
        ascending_share: random.share(),
        same_line_share: random.share(),
        same_page_share: random.share(),
        executions: random.below(1 << 30),
        unaligned_share: random.share(),
        line_split_share: random.share() / 8.0,
        page_split_share: random.share() / 64.0,
        utilisation: Some(random.share()),
        footprint_bytes: Some(random.below(1 << 32)),
        array: Some(index),
        ..AccessFacts::default()
    }
}

fn cache(random: &mut Random, name: &str, accesses: u64) -> CacheFacts {
    let (misses, unknown) = (random.below(accesses), random.below(1000));
    let per_1000 = |misses: u64| misses as f64 * 1000.0 / accesses as f64;
    CacheFacts {
        name: name.into(),
        accesses,
        misses,
        unknown,
        estimated_misses: misses + unknown / 2,
        misses_per_1000: (per_1000(misses), per_1000(misses + unknown)),
        estimated_misses_per_1000: per_1000(misses + unknown / 2),
        bytes_in_per_iteration: (random.share() * 64.0, random.share() * 64.0 + 64.0),
        bytes_out_per_iteration: random.share() * 32.0,
        estimated_bytes_in_per_iteration: random.share() * 96.0,
        estimated_bytes_out_per_iteration: random.share() * 32.0,
        intensity: Some((random.share(), random.share() + 1.0)),
        estimated_intensity: Some(random.share() + 0.5),
    }
}

/// Fills in all facts of a trace.
pub fn trace(random: &mut Random, names: &Names, code: &LoopCode, facts: &mut LoopFacts) {
    facts.access = (0..random.between(2, 6) as u32).map(|index| access(random, names, code, index)).collect();
    let lines = random.between(1 << 20, 1 << 26);
    facts.memory = Some(MemoryFacts {
        traced_iterations: random.below(1 << 26),
        traced_entries: random.below(1 << 12),
        footprint_bytes: random.below(1 << 30),
        footprint_line_bytes: random.below(1 << 30),
        footprint_pages: random.below(1 << 18),
        utilisation: Some(random.share()),
        caches: vec![["L1", "L2", "L3", "DTLB", "STLB"].map(|name| cache(random, name, lines)).to_vec()],
        reuse: (0..8).map(|bit| (1 << bit, 2 << bit, random.share() / 8.0)).collect(),
        first_use_share: Some(random.share()),
        reuse_carriers: vec![ReuseCarrier {
            loop_id: Some(facts.id),
            place: facts.place(),
            share: random.share(),
            mean_bytes: random.share() * 1e6,
            ..ReuseCarrier::default()
        }],
        nodes: vec![(0, 0, random.share())],
        aliasing_4k: vec![],
        footprint_is_bound: false,
    });
    let carried = random.chance(0.5);
    facts.dependence = Some(DependenceFacts {
        vector: if carried { VectorVerdict::Unsafe } else { VectorVerdict::Safe },
        parallel: if carried { ParallelVerdict::Dependent } else { ParallelVerdict::Independent },
        verdict: format!(
            "{} dependence between iterations in {} iterations that were checked",
            if carried { "a" } else { "no" },
            random.below(1 << 26)
        ),
        checked_iterations: random.below(1 << 26),
        checked_machine_iterations: random.below(1 << 26),
        checked_entries: random.below(1 << 12),
        horizon: random.below(1 << 16),
        found: if carried {
            vec![FoundDependence {
                memory: true,
                distance: random.between(1, 8),
                distances: vec![(1, random.below(1 << 20))],
                source: DependenceEnd {
                    address: facts.address.clone(),
                    line: facts.line,
                    ..DependenceEnd::default()
                },
                sink: DependenceEnd {
                    address: facts.address.clone(),
                    line: facts.line,
                    ..DependenceEnd::default()
                },
                limits_vectors: true,
                ..FoundDependence::default()
            }]
        } else {
            vec![]
        },
        ..DependenceFacts::default()
    });
}
