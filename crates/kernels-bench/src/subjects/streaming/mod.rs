//! Streaming operations: compared with plain loops as the compiler compiles them (copy: the C library's
//! `memcpy`), and with only loading and storing.

mod plain;

use super::{Operation, RunOnce, Subject, every_level};
use crate::buffers::Buffer;
use crate::case::{Case, Clock, Extent, Role, Run, Variant, Work, size_text};
use crate::transfer::{faster, transfer};
use loopwright_kernels::streaming::{self, Element, StreamError};
use loopwright_kernels::{Isa, IsaError};
use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

pub struct Streaming;

/// The scalar. A power of two, so that results stay within the arrays' range.
const SCALAR: f32 = 0.5;

/// A loop on `a`, `b`, `c` and the scalar.
type Plain<T> = fn(&mut [T], &[T], &[T], T);

/// An operation on one type.
#[derive(Clone, Copy)]
struct Stream<T> {
    name: &'static str,
    operation: streaming::Operation<T>,
    plain: Plain<T>,
    peer: &'static str,
}

macro_rules! streams {
    ($element:ident: $($name:literal $operation:expr, $plain:ident $peer:literal;)+) => {
        [$(Stream::<$element> { name: $name, operation: $operation, plain: plain::$plain, peer: $peer }),+]
    };
}

const SINGLE: [Stream<f32>; 5] = streams! { f32:
    "copy_f32" streaming::Operation::Copy, copy32 "memcpy";
    "fill_f32" streaming::Operation::Fill(SCALAR), fill32 "plain loop";
    "scale_f32" streaming::Operation::Scale(SCALAR), scale32 "plain loop";
    "add_f32" streaming::Operation::Add, add32 "plain loop";
    "triad_f32" streaming::Operation::Triad(SCALAR), triad32 "plain loop";
};
const DOUBLE: [Stream<f64>; 5] = streams! { f64:
    "copy_f64" streaming::Operation::Copy, copy64 "memcpy";
    "fill_f64" streaming::Operation::Fill(SCALAR as f64), fill64 "plain loop";
    "scale_f64" streaming::Operation::Scale(SCALAR as f64), scale64 "plain loop";
    "add_f64" streaming::Operation::Add, add64 "plain loop";
    "triad_f64" streaming::Operation::Triad(SCALAR as f64), triad64 "plain loop";
};

/// Properties of a type that the loops of this module need besides [`Element`].
trait Number: Element + From<f32> + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self> {}
impl Number for f32 {}
impl Number for f64 {}

/// The public function of an operation: automatic, at a level, or on threads.
fn run<T: Number>(
    operation: streaming::Operation<T>,
    isa: Option<Isa>,
    parallel: bool,
    a: &mut [T],
    b: &[T],
    c: &[T],
) -> Result<(), StreamError> {
    use streaming::Operation::*;
    match (operation, isa, parallel) {
        (Copy, None, false) => streaming::copy(a, b),
        (Copy, None, true) => streaming::copy_par(a, b),
        (Copy, Some(isa), false) => streaming::copy_with(isa, a, b),
        (Copy, Some(isa), true) => streaming::copy_par_with(isa, a, b),
        (Fill(s), None, false) => streaming::fill(a, s),
        (Fill(s), None, true) => streaming::fill_par(a, s),
        (Fill(s), Some(isa), false) => streaming::fill_with(isa, a, s),
        (Fill(s), Some(isa), true) => streaming::fill_par_with(isa, a, s),
        (Scale(s), None, false) => streaming::scale(a, s, b),
        (Scale(s), None, true) => streaming::scale_par(a, s, b),
        (Scale(s), Some(isa), false) => streaming::scale_with(isa, a, s, b),
        (Scale(s), Some(isa), true) => streaming::scale_par_with(isa, a, s, b),
        (Add, None, false) => streaming::add(a, b, c),
        (Add, None, true) => streaming::add_par(a, b, c),
        (Add, Some(isa), false) => streaming::add_with(isa, a, b, c),
        (Add, Some(isa), true) => streaming::add_par_with(isa, a, b, c),
        (Triad(s), None, false) => streaming::triad(a, b, s, c),
        (Triad(s), None, true) => streaming::triad_par(a, b, s, c),
        (Triad(s), Some(isa), false) => streaming::triad_with(isa, a, b, s, c),
        (Triad(s), Some(isa), true) => streaming::triad_par_with(isa, a, b, s, c),
    }
}

impl Subject for Streaming {
    fn kernel(&self) -> &'static str {
        "streaming"
    }

    fn about(&self) -> &'static str {
        "copy, fill, scale, add and triad of arrays of f32 and f64"
    }

    fn operations(&self) -> Vec<Operation> {
        fn once<T: Number>(stream: &Stream<T>, isa: Option<Isa>) -> Result<(), IsaError> {
            let mut a = black_box([T::from(1.0); 300]);
            let (b, c) = (a, a);
            let done = run(stream.operation, isa, false, &mut a, &b, &c);
            black_box(&a);
            match done {
                Err(StreamError::Isa(error)) => Err(error),
                // The arrays have one length.
                _ => Ok(()),
            }
        }
        const SINGLES: [RunOnce; SINGLE.len()] = [
            |isa| once(&SINGLE[0], isa),
            |isa| once(&SINGLE[1], isa),
            |isa| once(&SINGLE[2], isa),
            |isa| once(&SINGLE[3], isa),
            |isa| once(&SINGLE[4], isa),
        ];
        const DOUBLES: [RunOnce; DOUBLE.len()] = [
            |isa| once(&DOUBLE[0], isa),
            |isa| once(&DOUBLE[1], isa),
            |isa| once(&DOUBLE[2], isa),
            |isa| once(&DOUBLE[3], isa),
            |isa| once(&DOUBLE[4], isa),
        ];
        let singles = SINGLE.iter().zip(SINGLES).map(|(stream, run)| (stream.name, run));
        let doubles = DOUBLE.iter().zip(DOUBLES).map(|(stream, run)| (stream.name, run));
        singles.chain(doubles).map(|(name, run)| Operation { name, levels: every_level, run }).collect()
    }

    fn cases(&self, extent: Extent) -> Vec<Case> {
        let (sizes, misaligned): (&[usize], usize) = match extent {
            Extent::Smoke => (&[4 << 10, 256 << 10], 4 << 10),
            Extent::Full => (&[4 << 10, 12 << 10, 384 << 10, 4 << 20, 16 << 20, 128 << 20], 12 << 10),
        };
        fn of<T: Number>(stream: &'static Stream<T>, sizes: &[usize], misaligned: usize) -> Vec<Case> {
            let mut cases: Vec<Case> = sizes.iter().map(|&size| case(stream, size, 0, false)).collect();
            cases.push(case(stream, misaligned, 1, false));
            cases.extend(sizes.last().map(|&size| case(stream, size, 0, true)));
            cases
        }
        let singles = SINGLE.iter().flat_map(|stream| of(stream, sizes, misaligned));
        let doubles = DOUBLE.iter().flat_map(|stream| of(stream, sizes, misaligned));
        singles.chain(doubles).collect()
    }
}

/// The arrays of a case, as bytes; all begin `offset` bytes after a page.
struct Arrays {
    a: Buffer,
    b: Buffer,
    c: Buffer,
    offset: usize,
}

impl Arrays {
    /// `elements` numbers per array from -1 to 1, `shift` elements after a page.
    fn new<T: Number>(elements: usize, shift: usize) -> Arrays {
        let bytes = (elements + shift) * size_of::<T>();
        let offset = shift * size_of::<T>();
        let mut arrays =
            Arrays { a: Buffer::zeroed(bytes), b: Buffer::zeroed(bytes), c: Buffer::zeroed(bytes), offset };
        let (_, b, c) = arrays.numbers::<T>();
        for (i, (b, c)) in b.iter_mut().zip(c).enumerate() {
            let number =
                |i: usize| T::from((i.wrapping_mul(0x9e37_79b1) >> 8 & 0xffff) as f32 / 32768.0 - 1.0);
            (*b, *c) = (number(i), number(i + 7));
        }
        arrays
    }

    fn numbers<T: Element>(&mut self) -> (&mut [T], &mut [T], &mut [T]) {
        fn numbers<T: Element>(bytes: &mut [u8]) -> &mut [T] {
            // SAFETY: T is f32 or f64; every bit pattern is a number.
            let (before, numbers, after) = unsafe { bytes.align_to_mut::<T>() };
            debug_assert!(
                before.is_empty() && after.is_empty(),
                "whole elements, aligned to a page or by elements"
            );
            numbers
        }
        let offset = self.offset;
        (numbers(&mut self.a[offset..]), numbers(&mut self.b[offset..]), numbers(&mut self.c[offset..]))
    }
}

/// Work on the arrays that all variants of a case share.
struct OnArrays<T, F> {
    arrays: Rc<RefCell<Arrays>>,
    operation: streaming::Operation<T>,
    work: F,
}

impl<T: Number, F: FnMut(&mut [T], &[T], &[T])> Run for OnArrays<T, F> {
    fn run(&mut self) {
        let arrays = &mut *self.arrays.borrow_mut();
        let (a, b, c) = arrays.numbers::<T>();
        (self.work)(a, b, c);
        black_box(&a);
    }

    fn verify(&mut self) -> Result<(), String> {
        self.arrays.borrow_mut().numbers::<T>().0.fill(T::from(f32::NAN));
        self.run();
        let arrays = &mut *self.arrays.borrow_mut();
        let (a, b, c) = arrays.numbers::<T>();
        for (i, ((&a, &b), &c)) in a.iter().zip(b.iter()).zip(c.iter()).enumerate() {
            use streaming::Operation::*;
            let expected = match self.operation {
                Copy => b,
                Fill(s) => s,
                Scale(s) => s * b,
                Add => b + c,
                Triad(s) => b + s * c,
            };
            if a != expected {
                return Err(format!("element {i} is {a:?}, not {expected:?}"));
            }
        }
        Ok(())
    }
}

/// A case on arrays of `size` bytes each that begin `shift` elements after a page.
fn case<T: Number>(stream: &'static Stream<T>, size: usize, shift: usize, parallel: bool) -> Case {
    let arrays = 1 + stream.operation.sources() as u64;
    let mut shape = size_text(size as u64);
    if shift > 0 {
        shape.push_str(&format!(" + {} B", shift * size_of::<T>()));
    }
    if parallel {
        shape.push_str(", threads");
    }
    Case {
        operation: stream.name.to_owned(),
        shape,
        work: Work::Bytes(arrays * size as u64),
        working_set_bytes: arrays * size as u64,
        clock: if parallel { Clock::Wall } else { Clock::Thread },
        prepare: Box::new(move |_| {
            let arrays = Rc::new(RefCell::new(Arrays::new::<T>(size / size_of::<T>(), shift)));
            variants(stream, &arrays, parallel)
        }),
    }
}

fn variants<T: Number>(
    stream: &'static Stream<T>,
    arrays: &Rc<RefCell<Arrays>>,
    parallel: bool,
) -> Vec<Variant> {
    let operation = stream.operation;
    let ours = |name: &str, role: Role, isa: Option<Isa>| {
        // An error leaves the destination unchanged, which the verification detects.
        let work = move |a: &mut [T], b: &[T], c: &[T]| _ = run(operation, isa, parallel, a, b, c);
        Variant::new(name, role, OnArrays { arrays: arrays.clone(), operation, work })
    };
    let mut variants = vec![ours("auto", Role::Automatic, None)];
    variants.extend(Isa::available().map(|isa| ours(isa.name(), Role::Level(isa), Some(isa))));
    let plain = stream.plain;
    let work = move |a: &mut [T], b: &[T], c: &[T]| plain(a, b, c, T::from(SCALAR));
    variants.push(Variant::new(
        stream.peer,
        Role::Peer,
        OnArrays { arrays: arrays.clone(), operation, work },
    ));
    if parallel {
        // The bound of one thread is not a bound of several.
        return variants;
    }
    let sources = operation.sources();
    let way = {
        let Arrays { a, b, c, .. } = &mut *arrays.borrow_mut();
        faster(a, &[&**b, &**c][..sources])
    };
    let arrays = arrays.clone();
    // Aligned, whatever the case's arrays are: the unavoidable work is the transfer.
    variants.push(Variant::bound("loads and stores", move || {
        let Arrays { a, b, c, .. } = &mut *arrays.borrow_mut();
        transfer(way, a, &[&**b, &**c][..sources]);
    }));
    variants
}
