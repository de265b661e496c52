//! The task of the sparse product: the costs of its formats, on which plans are based.

use super::{Finding, Limits, Task};
use loopwright_kernels::semi_sparse::{Costs, measure};
use loopwright_kernels::tuning::Constant;

/// The sparse product's costs, measured together: most are differences of one another.
pub struct SparseCosts;

impl Task for SparseCosts {
    fn constants(&self) -> Vec<Constant> {
        Costs::default().constants().into_iter().map(|(constant, _)| constant).collect()
    }

    fn measure(&self, limits: Limits) -> Vec<Finding> {
        // Disturbances only increase times: of several measurements the least is the least disturbed.
        let mut least = measure().constants();
        for _ in 1..limits.rounds {
            for (least, (_, value)) in least.iter_mut().zip(measure().constants()) {
                least.1 = least.1.min(value);
            }
        }
        let finding = |(constant, value)| Finding { constant, value: Some(value), points: Vec::new() };
        least.into_iter().map(finding).collect()
    }
}
