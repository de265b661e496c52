//! The kernels against their definitions, bit for bit: every level, store, operation, length and alignment, ends of
//! memory, threads.

use crate::guarded::{At, Guarded};
use loopwright_kernels::streaming::*;
use loopwright_kernels::{Isa, Plan, Stores};
use proptest::prelude::*;

/// A number as the tests need it: bits to compare, values that round.
trait Number: Element + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self> {
    fn number(i: usize) -> Self;
    fn bits(self) -> u64;
}

macro_rules! number {
    ($kind:ident) => {
        impl Number for $kind {
            fn number(i: usize) -> Self {
                // Thirds and sevenths, so that every operation rounds; now and then what is no ordinary number.
                match i % 61 {
                    17 => $kind::INFINITY,
                    29 => -0.0,
                    43 => $kind::MIN_POSITIVE / 4.0,
                    _ => (i as $kind - 40.0) / 3.0 * ((i % 7) as $kind + 1.0 / 7.0),
                }
            }
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
        }
    };
}
number!(f32);
number!(f64);

fn plans() -> impl Iterator<Item = Plan> {
    Isa::available().flat_map(|isa| Stores::ALL.map(|stores| Plan { isa, stores }))
}

fn operations<T: Number>() -> [Operation<T>; 5] {
    let s = T::number(50);
    [Operation::Copy, Operation::Fill(s), Operation::Scale(s), Operation::Add, Operation::Triad(s)]
}

/// The definitions.
fn expected<T: Number>(operation: Operation<T>, b: &[T], c: &[T]) -> Vec<u64> {
    let value = |(&b, &c): (&T, &T)| match operation {
        Operation::Copy => b,
        Operation::Fill(s) => s,
        Operation::Scale(s) => s * b,
        Operation::Add => b + c,
        Operation::Triad(s) => b + s * c,
    };
    b.iter().zip(c).map(value).map(T::bits).collect()
}

fn bits<T: Number>(values: &[T]) -> Vec<u64> {
    values.iter().map(|value| value.bits()).collect()
}

/// The public function of an operation.
fn run_with<T: Number>(plan: Plan, operation: Operation<T>, a: &mut [T], b: &[T], c: &[T]) {
    let done = match operation {
        Operation::Copy => copy_with(plan, a, b),
        Operation::Fill(s) => fill_with(plan, a, s),
        Operation::Scale(s) => scale_with(plan, a, s, b),
        Operation::Add => add_with(plan, a, b, c),
        Operation::Triad(s) => triad_with(plan, a, b, s, c),
    };
    assert_eq!(done, Ok(()));
}

fn run_par_with<T: Number>(plan: Plan, operation: Operation<T>, a: &mut [T], b: &[T], c: &[T]) {
    let done = match operation {
        Operation::Copy => copy_par_with(plan, a, b),
        Operation::Fill(s) => fill_par_with(plan, a, s),
        Operation::Scale(s) => scale_par_with(plan, a, s, b),
        Operation::Add => add_par_with(plan, a, b, c),
        Operation::Triad(s) => triad_par_with(plan, a, b, s, c),
    };
    assert_eq!(done, Ok(()));
}

/// A guarded buffer as numbers.
fn numbers<T>(buffer: &mut Guarded) -> &mut [T] {
    assert_eq!(buffer.as_ptr() as usize % align_of::<T>(), 0);
    // SAFETY: aligned, as just checked; every bit pattern is a number.
    unsafe { std::slice::from_raw_parts_mut(buffer.as_mut_ptr().cast(), buffer.len() / size_of::<T>()) }
}

/// Every plan and operation on `len` elements, `a`, `b` and `c` at the given places.
fn check<T: Number>(len: usize, [at, at_b, at_c]: [At; 3]) {
    let (mut b, mut c) = (Guarded::new(len * size_of::<T>(), at_b), Guarded::new(len * size_of::<T>(), at_c));
    let (b, c) = (numbers::<T>(&mut b), numbers::<T>(&mut c));
    for i in 0..len {
        (b[i], c[i]) = (T::number(i), T::number(3 * i + 1));
    }
    for plan in plans() {
        for operation in operations::<T>() {
            let mut a = Guarded::new(len * size_of::<T>(), at);
            run_with(plan, operation, numbers(&mut a), b, c);
            let note = || format!("{plan:?} {operation:?} {len} {at:?} {at_b:?} {at_c:?}");
            assert!(bits(numbers::<T>(&mut a)) == expected(operation, b, c), "{}", note());
            assert_eq!(a.strays(), 0, "{}", note());
        }
    }
}

#[test]
fn known_answers() {
    for isa in Isa::available() {
        let (b, c) = ([1.0f32, 2.0, 3.0], [10.0f32, 20.0, 30.0]);
        let mut a = [0.0; 3];
        triad_with(isa, &mut a, &b, 2.0, &c).unwrap();
        assert_eq!(a, [21.0, 42.0, 63.0]);
        add_with(isa, &mut a, &b, &c).unwrap();
        assert_eq!(a, [11.0, 22.0, 33.0]);
        scale_with(isa, &mut a, 3.0, &b).unwrap();
        assert_eq!(a, [3.0, 6.0, 9.0]);
        copy_with(isa, &mut a, &c).unwrap();
        assert_eq!(a, c);
        fill_with(isa, &mut a, 5.0).unwrap();
        assert_eq!(a, [5.0; 3]);
        // (1 + 3 e)^2 = 1 + 6 e + 9 e^2 loses its last term when it rounds; fused, the result would have it.
        let factor = 1.0 + 3.0 * f64::EPSILON;
        let mut a = [0.0; 9];
        triad_with(isa, &mut a, &[-1.0; 9], factor, &[factor; 9]).unwrap();
        assert_eq!(a, [6.0 * f64::EPSILON; 9]);
        assert_ne!(factor.mul_add(factor, -1.0), a[0]);
    }
}

#[test]
fn every_short_length_at_both_ends_of_memory() {
    for len in (0..=100).chain([127, 128, 129, 250, 511, 1024, 1030]) {
        let ends = [At::End(0), At::Start(0), At::End(0)];
        check::<f32>(len, ends);
        check::<f64>(len, ends);
    }
}

#[test]
fn every_alignment() {
    for slack in (0..64).step_by(4) {
        let at = At::Start(slack);
        check::<f32>(300, [at, At::Start(4), At::Start(0)]);
        check::<f32>(300, [At::Start(4), at, at]);
        if slack % 8 == 0 {
            check::<f64>(150, [at, At::Start(8), At::Start(0)]);
            check::<f64>(150, [At::Start(8), at, at]);
        }
    }
}

#[test]
fn threads_do_what_one_does() {
    fn on<T: Number>() {
        let len = 50_003;
        let b: Vec<T> = (0..len).map(T::number).collect();
        let c: Vec<T> = (0..len).map(|i| T::number(5 * i)).collect();
        for operation in operations::<T>() {
            let right = expected(operation, &b, &c);
            for plan in plans() {
                let mut a = vec![T::number(2); len];
                run_par_with(plan, operation, &mut a, &b, &c);
                assert!(bits(&a) == right, "{plan:?} {operation:?}");
            }
        }
    }
    for threads in [1, 2, 5] {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            on::<f32>();
            on::<f64>();
        });
    }
    // As users call it, on both sides of any switch-over size up to 16 MiB.
    let b: Vec<f64> = (0..(1 << 20)).map(f64::number).collect();
    let mut a = vec![0.0; b.len()];
    triad_par(&mut a, &b, 0.5, &b).unwrap();
    assert!(bits(&a) == expected(Operation::Triad(0.5), &b, &b));
    copy_par(&mut a[..100], &b[..100]).unwrap();
    scale_par(&mut a[..100], 0.25, &b[..100]).unwrap();
    add_par(&mut a[100..200], &b[..100], &b[..100]).unwrap();
    fill_par(&mut a[200..300], 1.0).unwrap();
    assert!(bits(&a[100..200]) == expected(Operation::Add, &b[..100], &b[..100]));
}

#[test]
fn bad_input_is_refused_and_nothing_written() {
    let mut a = [1.0f32; 4];
    let refused = add(&mut a, &[0.0; 4], &[0.0; 3]);
    assert_eq!(refused, Err(StreamError::Length { array: 'c', expected: 4, found: 3 }));
    assert_eq!(copy(&mut a, &[]), Err(StreamError::Length { array: 'b', expected: 4, found: 0 }));
    assert!(scale(&mut a, 2.0, &[0.0; 5]).is_err() && triad(&mut a, &[0.0; 5], 2.0, &[0.0; 4]).is_err());
    assert_eq!(a, [1.0; 4]);
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.is_available()) {
        assert!(matches!(fill_with(isa, &mut a, 0.0), Err(StreamError::Isa(_))));
    }
}

#[test]
fn pointers_may_be_the_same_but_not_overlap() {
    let mut array: Vec<f64> = (0..1100).map(f64::number).collect();
    let b = array[..1000].to_vec();
    let before = array.clone();
    let p = array.as_mut_ptr();
    let raw = |plan, operation, a: *mut f64, b: *const f64, c: *const f64| {
        // SAFETY: the arrays are in `array`, which nothing else uses, or are not used.
        unsafe { run_raw(plan, false, operation, a, b, c, 1000) }
    };
    for plan in plans() {
        array.copy_from_slice(&before);
        assert_eq!(raw(plan, Operation::Triad(2.0), p, p, p), Ok(()));
        assert!(bits(&array[..1000]) == expected(Operation::Triad(2.0), &b, &b), "{plan:?}");
    }
    let plan = Plan::best();
    array.copy_from_slice(&before);
    let shifted = p.wrapping_add(3);
    let overlap = |array| Err(StreamError::Overlap { array, distance: 24 });
    assert_eq!(raw(plan, Operation::Copy, p, shifted, std::ptr::null()), overlap('b'));
    assert_eq!(raw(plan, Operation::Add, p, p, shifted), overlap('c'));
    // The fill reads nothing, so nothing can overlap.
    assert_eq!(raw(plan, Operation::Fill(0.0), p, shifted, shifted), Ok(()));
    assert!(array[..1000].iter().all(|&x| x == 0.0) && bits(&array[1000..]) == bits(&before[1000..]));
    let odd = p.cast::<u8>().wrapping_add(4).cast::<f64>();
    let refused = raw(plan, Operation::Fill(1.0), odd, std::ptr::null(), std::ptr::null());
    assert_eq!(refused, Err(StreamError::Misaligned { address: odd.addr(), bytes: 8 }));
    // SAFETY: refused before anything is touched.
    let refused = unsafe { run_raw(plan, false, Operation::Fill(1.0), p, p, p, usize::MAX / 4) };
    assert!(matches!(refused, Err(StreamError::Size { .. })));
}

proptest! {
    #[test]
    fn any_array(len in 0usize..1500, a in 0usize..16, b in 0usize..16, c in 0usize..16) {
        check::<f32>(len, [At::Start(4 * a), At::Start(4 * b), At::Start(4 * c)]);
        check::<f64>(len, [At::Start(8 * a), At::Start(8 * b), At::Start(8 * c)]);
    }
}
