//! Byte swapping: compared with plain loops as the compiler compiles them, and with only loading and storing.

mod plain;

use super::{Operation, RunOnce, Subject, every_level};
use crate::buffers::Buffer;
use crate::case::{Case, Clock, Extent, Role, Run, Variant, Work, size_text};
use crate::transfer;
use loopwright_kernels::byteswap::{self, ByteswapError, Width};
use loopwright_kernels::{Isa, IsaError};
use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

pub struct Byteswap;

/// A measured swap.
struct Swap {
    operation: &'static str,
    width: Width,
    target: Target,
}

enum Target {
    Same { plain: fn(&mut [u8]) },
    Other { plain: fn(&[u8], &mut [u8]) },
}

const SWAPS: [Swap; 6] = [
    Swap {
        operation: "swap16_in_place",
        width: Width::Two,
        target: Target::Same { plain: plain::in_place16 },
    },
    Swap {
        operation: "swap32_in_place",
        width: Width::Four,
        target: Target::Same { plain: plain::in_place32 },
    },
    Swap {
        operation: "swap64_in_place",
        width: Width::Eight,
        target: Target::Same { plain: plain::in_place64 },
    },
    Swap { operation: "swap16_into", width: Width::Two, target: Target::Other { plain: plain::into16 } },
    Swap { operation: "swap32_into", width: Width::Four, target: Target::Other { plain: plain::into32 } },
    Swap { operation: "swap64_into", width: Width::Eight, target: Target::Other { plain: plain::into64 } },
];

/// Both arrays of a case, and the expected destination. In place, only the destination is used.
struct Arrays {
    source: Buffer,
    destination: Buffer,
    expected: Vec<u8>,
    offset: usize,
}

/// Work on the arrays that all variants of a case share.
struct OnArrays<F> {
    arrays: Rc<RefCell<Arrays>>,
    work: F,
}

impl<F: FnMut(&[u8], &mut [u8])> Run for OnArrays<F> {
    fn run(&mut self) {
        let Arrays { source, destination, offset, .. } = &mut *self.arrays.borrow_mut();
        (self.work)(&source[*offset..], &mut destination[*offset..]);
        black_box(&destination);
    }

    fn verify(&mut self) -> Result<(), String> {
        {
            let arrays = &mut *self.arrays.borrow_mut();
            // In place it is the input, out of place it must be overwritten.
            arrays.destination.copy_from_slice(&arrays.source);
        }
        self.run();
        let arrays = self.arrays.borrow();
        let found = &arrays.destination[arrays.offset..];
        match found.iter().zip(&arrays.expected).position(|(found, expected)| found != expected) {
            None => Ok(()),
            Some(at) => Err(format!("byte {at} is {:#x}, not {:#x}", found[at], arrays.expected[at])),
        }
    }
}

/// The public function of a swap: automatic, at a level, or on threads.
fn run(
    swap: &Swap,
    isa: Option<Isa>,
    parallel: bool,
    source: &[u8],
    destination: &mut [u8],
) -> Result<(), ByteswapError> {
    let width = swap.width;
    match (&swap.target, isa, parallel) {
        (Target::Same { .. }, None, false) => byteswap::swap_bytes_in_place(width, destination),
        (Target::Same { .. }, None, true) => byteswap::swap_bytes_in_place_par(width, destination),
        (Target::Same { .. }, Some(isa), false) => {
            byteswap::swap_bytes_in_place_with(isa, width, destination)
        }
        (Target::Same { .. }, Some(isa), true) => {
            byteswap::swap_bytes_in_place_par_with(isa, width, destination)
        }
        (Target::Other { .. }, None, false) => byteswap::swap_bytes_into(width, source, destination),
        (Target::Other { .. }, None, true) => byteswap::swap_bytes_into_par(width, source, destination),
        (Target::Other { .. }, Some(isa), false) => {
            byteswap::swap_bytes_into_with(isa, width, source, destination)
        }
        (Target::Other { .. }, Some(isa), true) => {
            byteswap::swap_bytes_into_par_with(isa, width, source, destination)
        }
    }
}

impl Subject for Byteswap {
    fn kernel(&self) -> &'static str {
        "byteswap"
    }

    fn about(&self) -> &'static str {
        "byte order of arrays of 16-, 32- and 64-bit words"
    }

    fn operations(&self) -> Vec<Operation> {
        fn once(swap: usize, isa: Option<Isa>) -> Result<(), IsaError> {
            let source = black_box([0x5a; 2 << 10]);
            let mut destination = source;
            let done = run(&SWAPS[swap], isa, false, &source, &mut destination);
            black_box(&destination);
            match done {
                Err(ByteswapError::Isa(error)) => Err(error),
                // The lengths are equal and whole words.
                _ => Ok(()),
            }
        }
        const RUNS: [RunOnce; SWAPS.len()] = [
            |isa| once(0, isa),
            |isa| once(1, isa),
            |isa| once(2, isa),
            |isa| once(3, isa),
            |isa| once(4, isa),
            |isa| once(5, isa),
        ];
        let operation =
            |(swap, run): (&Swap, _)| Operation { name: swap.operation, levels: every_level, run };
        SWAPS.iter().zip(RUNS).map(operation).collect()
    }

    fn cases(&self, extent: Extent) -> Vec<Case> {
        let (sizes, misaligned): (&[usize], usize) = match extent {
            Extent::Smoke => (&[4 << 10, 256 << 10], 4 << 10),
            Extent::Full => (&[4 << 10, 16 << 10, 384 << 10, 4 << 20, 16 << 20, 256 << 20], 16 << 10),
        };
        let mut cases = Vec::new();
        for swap in &SWAPS {
            cases.extend(sizes.iter().map(|&size| case(swap, size, 0, false)));
            cases.push(case(swap, misaligned, 3, false));
            cases.extend(sizes.last().map(|&size| case(swap, size, 0, true)));
        }
        cases
    }
}

fn case(swap: &'static Swap, size: usize, offset: usize, parallel: bool) -> Case {
    let in_place = matches!(swap.target, Target::Same { .. });
    let mut shape = size_text(size as u64);
    if offset > 0 {
        shape.push_str(&format!(" + {offset} B"));
    }
    if parallel {
        shape.push_str(", threads");
    }
    Case {
        operation: swap.operation.to_owned(),
        shape,
        work: Work::Bytes(2 * size as u64),
        working_set_bytes: if in_place { size as u64 } else { 2 * size as u64 },
        clock: if parallel { Clock::Wall } else { Clock::Thread },
        prepare: Box::new(move |_| {
            let arrays = Rc::new(RefCell::new(arrays(swap.width, size, offset)));
            variants(swap, &arrays, parallel)
        }),
    }
}

fn arrays(width: Width, size: usize, offset: usize) -> Arrays {
    let source = Buffer::random(size + offset, size as u64);
    let words = source[offset..].chunks(width.bytes());
    let expected = words.flat_map(|word| word.iter().rev().copied()).collect();
    Arrays { source, destination: Buffer::zeroed(size + offset), expected, offset }
}

fn variants(swap: &'static Swap, arrays: &Rc<RefCell<Arrays>>, parallel: bool) -> Vec<Variant> {
    let ours = |name: &str, role: Role, isa: Option<Isa>| {
        // An error leaves the destination unchanged, which the verification detects.
        let work = move |b: &[u8], a: &mut [u8]| _ = run(swap, isa, parallel, b, a);
        Variant::new(name, role, OnArrays { arrays: arrays.clone(), work })
    };
    let mut variants = vec![ours("auto", Role::Automatic, None)];
    variants.extend(Isa::available().map(|isa| ours(isa.name(), Role::Level(isa), Some(isa))));
    let work = move |b: &[u8], a: &mut [u8]| match swap.target {
        Target::Same { plain } => plain(a),
        Target::Other { plain } => plain(b, a),
    };
    variants.push(Variant::new("plain loop", Role::Peer, OnArrays { arrays: arrays.clone(), work }));
    if parallel {
        // The bound of one thread is not a bound of several.
        return variants;
    }
    let arrays = arrays.clone();
    variants.push(match swap.target {
        Target::Same { .. } => Variant::bound("updating", move || {
            // Aligned, whatever the case's array is: the unavoidable work is the transfer.
            transfer::update(&mut arrays.borrow_mut().destination);
        }),
        Target::Other { .. } => {
            let way = {
                let Arrays { source, destination, .. } = &mut *arrays.borrow_mut();
                transfer::faster(destination, &[source])
            };
            // Aligned here, too.
            Variant::bound("copying", move || {
                let Arrays { source, destination, .. } = &mut *arrays.borrow_mut();
                transfer::transfer(way, destination, &[source]);
            })
        }
    });
    variants
}
