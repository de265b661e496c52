//! The list of tasks. A test compares it with the library's table: every constant has a task.

use super::Task;
use super::arrays;
use super::sparse::SparseCosts;

/// Every task.
pub fn tasks() -> Vec<Box<dyn Task>> {
    let mut tasks = Vec::new();
    // One line per kernel.
    tasks.extend(arrays::byteswap());
    tasks.extend(arrays::streaming());
    tasks.push(Box::new(SparseCosts));
    tasks
}

#[test]
fn every_constant_has_one_task() {
    use loopwright_kernels::tuning::Constant;
    let mut measured: Vec<Constant> = tasks().iter().flat_map(|task| task.constants()).collect();
    measured.sort();
    assert_eq!(measured, Constant::ALL);
}
