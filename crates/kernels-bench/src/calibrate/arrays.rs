//! The tasks of kernels that write whole arrays: the sizes from which stores that bypass the caches, and
//! threads, are faster.

use super::{Finding, Limits, Task, crossover};
use crate::buffers::Buffer;
use crate::case::Clock;
use loopwright_kernels::byteswap::{Width, swap_bytes_into_par_with, swap_bytes_into_with};
use loopwright_kernels::streaming::{self, Operation};
use loopwright_kernels::tuning::Constant;
use loopwright_kernels::{Isa, Plan, Stores};
use std::cell::RefCell;
use std::rc::Rc;

/// The way for small sizes and the way for large ones.
type Pair = [Box<dyn FnMut()>; 2];

/// A constant that is the size from which on one way is faster than another.
struct BySize {
    constant: Constant,
    clock: Clock,
    prepare: Box<dyn Fn(u64) -> Pair>,
}

impl Task for BySize {
    fn constants(&self) -> Vec<Constant> {
        vec![self.constant]
    }

    fn measure(&self, limits: Limits) -> Vec<Finding> {
        vec![crossover(self.constant, self.clock, limits, &self.prepare)]
    }
}

/// Byte swapping. The width makes no difference to memory; 32 bits represent all.
pub fn byteswap() -> Vec<Box<dyn Task>> {
    let stores = |bytes| {
        both(2, bytes, move |second, arrays| {
            // Whole words of equal length are not refused.
            _ = swap_bytes_into_with(stores_of(second), Width::Four, &arrays.b, &mut arrays.a);
        })
    };
    let threads = |bytes| {
        both(2, bytes, move |second, arrays| {
            let plan = Plan::from(Isa::best());
            _ = match second {
                false => swap_bytes_into_with(plan, Width::Four, &arrays.b, &mut arrays.a),
                true => swap_bytes_into_par_with(plan, Width::Four, &arrays.b, &mut arrays.a),
            };
        })
    };
    vec![
        task(Constant::ByteswapNonTemporal, Clock::Thread, stores),
        task(Constant::ByteswapParallel, Clock::Wall, threads),
    ]
}

/// Streaming. The element makes no difference to memory; f64 represents both.
pub fn streaming() -> Vec<Box<dyn Task>> {
    // Not zero: some processors store zeros faster.
    let operations =
        [Operation::Copy, Operation::Fill(1.5), Operation::Scale(0.5), Operation::Add, Operation::Triad(0.5)];
    let mut tasks: Vec<Box<dyn Task>> = operations
        .into_iter()
        .map(|operation| {
            task(operation.constant(), Clock::Thread, move |bytes| {
                both(1 + operation.sources(), bytes, move |second, arrays| {
                    let (plan, [a, b, c]) = (stores_of(second), arrays.numbers());
                    // Arrays of one length are not refused.
                    _ = match operation {
                        Operation::Copy => streaming::copy_with(plan, a, b),
                        Operation::Fill(s) => streaming::fill_with(plan, a, s),
                        Operation::Scale(s) => streaming::scale_with(plan, a, s, b),
                        Operation::Add => streaming::add_with(plan, a, b, c),
                        Operation::Triad(s) => streaming::triad_with(plan, a, b, s, c),
                    };
                })
            })
        })
        .collect();
    tasks.push(task(Constant::StreamingParallel, Clock::Wall, |bytes| {
        both(3, bytes, |second, arrays| {
            let [a, b, c] = arrays.numbers();
            let plan = Plan::from(Isa::best());
            _ = match second {
                false => streaming::triad_with(plan, a, b, 0.5, c),
                true => streaming::triad_par_with(plan, a, b, 0.5, c),
            };
        })
    }));
    tasks
}

fn task(constant: Constant, clock: Clock, prepare: impl Fn(u64) -> Pair + 'static) -> Box<dyn Task> {
    Box::new(BySize { constant, clock, prepare: Box::new(prepare) })
}

/// Plain stores for small sizes, stores that bypass the caches for large ones.
fn stores_of(second: bool) -> Plan {
    let stores = if second { Stores::NonTemporal } else { Stores::Plain };
    Plan { isa: Isa::best(), stores }
}

/// Up to three arrays of one length; those that are not used are empty.
struct Arrays {
    a: Buffer,
    b: Buffer,
    c: Buffer,
}

impl Arrays {
    /// The arrays as numbers.
    fn numbers(&mut self) -> [&mut [f64]; 3] {
        // SAFETY: every bit pattern is a number.
        [&mut self.a, &mut self.b, &mut self.c].map(|bytes| unsafe { bytes.align_to_mut().1 })
    }
}

/// Both ways of `work` on the same `count` arrays of `bytes` bytes together; the flag passed to `work`
/// selects the second.
fn both(count: usize, bytes: u64, work: impl Fn(bool, &mut Arrays) + Copy + 'static) -> Pair {
    // Sizes come from `Limits::largest_bytes`, which memory holds; a page is whole elements of every kind.
    let each = usize::try_from(bytes).unwrap_or(usize::MAX) / count / 4096 * 4096;
    let array = |index: usize| {
        let mut array = Buffer::zeroed(if index < count { each } else { 0 });
        // Ordinary numbers of every kind: some processors store zeros faster and compute denormals slower.
        array.fill(0x3f);
        array
    };
    let arrays = Rc::new(RefCell::new(Arrays { a: array(0), b: array(1), c: array(2) }));
    let way = |second: bool| -> Box<dyn FnMut()> {
        let arrays = arrays.clone();
        Box::new(move || work(second, &mut arrays.borrow_mut()))
    };
    [way(false), way(true)]
}
