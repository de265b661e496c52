//! Every form, type and level against the definition; ends of memory; bad input.

mod stored;

use crate::guarded::{At, Guarded};
use loopwright_kernels::Isa;
use loopwright_kernels::internals::semi_sparse::windows;
use loopwright_kernels::semi_sparse::*;
use proptest::prelude::*;

/// Numbers without a pattern (xorshift64).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Numbers(seed.wrapping_mul(2).wrapping_add(1))
    }
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    /// From 0 to 1.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// What the tests need of a type beside its products.
pub trait Checked: Element {
    fn some(numbers: &mut Numbers) -> Self;
    fn some_sum(numbers: &mut Numbers) -> Self::Sum;
    /// Asserts that `found` is the row's sum: for floats within `(n + 8) u` of the sum of magnitudes. The definition,
    /// to which it is compared, may itself be `n u` off.
    fn close(found: Self::Sum, expected: Self::Sum, elements: usize, magnitude: f64, note: &str);
    fn magnitude(self) -> f64;
    fn sum_magnitude(sum: Self::Sum) -> f64;
    fn bytes_of(values: &[Self]) -> Vec<u8> {
        let mut bytes = vec![0; values.len() * Self::BYTES];
        values.iter().zip(bytes.chunks_mut(Self::BYTES)).for_each(|(v, b)| v.put_le(b));
        bytes
    }
}

macro_rules! float {
    ($t:ty, $unit:expr) => {
        impl Checked for $t {
            fn some(numbers: &mut Numbers) -> $t {
                (numbers.share() * 2.0 - 1.0) as $t
            }
            fn some_sum(numbers: &mut Numbers) -> $t {
                Self::some(numbers)
            }
            fn close(found: $t, expected: $t, elements: usize, magnitude: f64, note: &str) {
                let bound = (2 * elements + 8) as f64 * $unit * magnitude;
                let off = (f64::from(found) - f64::from(expected)).abs();
                assert!(off <= bound, "{note}: {found} for {expected}, {off} beyond {bound}");
            }
            fn magnitude(self) -> f64 {
                f64::from(self.abs())
            }
            fn sum_magnitude(sum: $t) -> f64 {
                f64::from(sum.abs())
            }
        }
    };
}
float!(f32, (0.5f64).powi(24));
float!(f64, (0.5f64).powi(53));

impl Checked for i16 {
    fn some(numbers: &mut Numbers) -> i16 {
        // The extremes are where pairs overflow.
        match numbers.next() % 8 {
            0 => i16::MIN,
            1 => i16::MAX,
            _ => numbers.next() as i16,
        }
    }
    fn some_sum(numbers: &mut Numbers) -> i32 {
        numbers.next() as i32
    }
    fn close(found: i32, expected: i32, _: usize, _: f64, note: &str) {
        assert_eq!(found, expected, "{note}");
    }
    fn magnitude(self) -> f64 {
        f64::from(self).abs()
    }
    fn sum_magnitude(sum: i32) -> f64 {
        f64::from(sum).abs()
    }
}

/// A matrix whose rows' densities vary around `density`, so that tiles differ.
pub fn matrix<T: Checked>(rows: usize, cols: usize, density: f64, seed: u64) -> SparseMatrix<T> {
    let mut numbers = Numbers::new(seed);
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..rows {
        let density = density * 2.0 * numbers.share();
        for column in 0..cols {
            if numbers.share() < density {
                indices.push(column as u32);
                values.push(T::some(&mut numbers));
            }
        }
        indptr.push(values.len());
    }
    SparseMatrix::from_csr(rows, cols, &indptr, &indices, &values).unwrap()
}

pub fn fixed(form: Form, isa: Option<Isa>) -> Options {
    Options { choice: Choice::Fixed(form), isa, ..Options::default() }
}

/// Options under which tiles of every width and packing come about, whatever they cost.
fn tiles_of(isa: Isa, kind: Kind, width: usize, left_over: f64) -> Options {
    let mut options = fixed(Form::Tiles, Some(isa));
    let costs = options.costs.of_mut(isa, kind);
    costs.slot = [f64::INFINITY; 4];
    costs.slot[width] = 1.0;
    costs.line = 1e6;
    costs.sell_line = left_over;
    options
}

/// Options under which windows of one width come about, with few or many elements left over.
fn windows_of(isa: Isa, kind: Kind, width: usize, left_over: f64) -> Options {
    let mut options = fixed(Form::Windows, Some(isa));
    let costs = options.costs.of_mut(isa, kind);
    costs.slot = [f64::INFINITY; 4];
    costs.slot[width] = 1.0;
    costs.sell_line = left_over;
    options
}

/// Checks all products of a plan against the definition.
fn check<T: Checked>(matrix: &SparseMatrix<T>, plan: &SemiSparse<T>, isa: Isa, note: &str) {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    let mut numbers = Numbers::new((rows * 31 + cols) as u64);
    // Six: four share what is read and two are left. Compressed rows: also a line of vectors, or two, and some more.
    let counts: &[usize] = if plan.form() == Form::Csr { &[1, 6, 21] } else { &[1, 6] };
    for &count in counts {
        let x: Vec<T> = (0..count * cols).map(|_| T::some(&mut numbers)).collect();
        let before: Vec<T::Sum> = (0..count * rows).map(|_| T::some_sum(&mut numbers)).collect();
        for add in [false, true] {
            let mut found = before.clone();
            let done = match (count, add) {
                (1, false) => plan.multiply_with(isa, &x, &mut found),
                (1, true) => plan.multiply_add_with(isa, &x, &mut found),
                (_, false) => plan.multiply_batch_with(isa, count, &x, &mut found),
                (_, true) => plan.multiply_add_batch_with(isa, count, &x, &mut found),
            };
            assert_eq!(done, Ok(()), "{note}");
            for v in 0..count {
                let x = &x[v * cols..][..cols];
                let mut expected = before[v * rows..][..rows].to_vec();
                multiply_reference(matrix, x, &mut expected, add).unwrap();
                for row in 0..rows {
                    let products = matrix.row(row).map(|(c, a)| a.magnitude() * x[c as usize].magnitude());
                    let start = if add { T::sum_magnitude(before[v * rows + row]) } else { 0.0 };
                    let note =
                        format!("{note}, {isa}, {rows} x {cols}, vector {v} of {count}, row {row}, {add}");
                    let elements = matrix.row(row).count() + 1;
                    let magnitude = start + products.sum::<f64>();
                    T::close(found[v * rows + row], expected[row], elements, magnitude, &note);
                }
            }
        }
    }
}

fn every_form<T: Checked>(rows: usize, cols: usize, density: f64, seed: u64) {
    let matrix = matrix::<T>(rows, cols, density, seed);
    for isa in Isa::available() {
        let mut options: Vec<(String, Options)> =
            Form::ALL.map(|form| (form.name().to_owned(), fixed(form, Some(isa)))).into();
        for width in 0..4 {
            for left_over in [0.05, 20.0, 1e6] {
                let name = format!("tiles of {} columns, left over {left_over}", 8 << width);
                options.push((name, tiles_of(isa, T::KIND, width, left_over)));
                let name = format!("windows of {} columns, left over {left_over}", 8 << width);
                options.push((name, windows_of(isa, T::KIND, width, left_over)));
            }
        }
        for (name, options) in options {
            let plan = SemiSparse::plan(&matrix, &options).unwrap();
            let note = format!("{} {name} planned for {isa}, density {density}", T::KIND.name());
            // A plan runs at every level.
            Isa::available().for_each(|isa| check(&matrix, &plan, isa, &note));
        }
    }
}

#[test]
fn every_form_at_every_level_is_the_definition() {
    let shapes = [(0, 0), (0, 5), (5, 0), (1, 1), (3, 2), (16, 64), (17, 65), (40, 131), (33, 400)];
    for (seed, (rows, cols)) in shapes.into_iter().enumerate() {
        for density in [0.0, 0.01, 0.1, 0.3, 0.5] {
            every_form::<f32>(rows, cols, density, seed as u64);
            every_form::<f64>(rows, cols, density, seed as u64);
            every_form::<i16>(rows, cols, density, seed as u64);
        }
    }
}

/// Every shape of windows that a level has code for, with elements left over and without.
#[test]
fn windows_of_every_shape_are_the_definition() {
    fn one<T: Checked>() {
        for (rows, cols) in [(0, 3), (3, 0), (1, 1), (16, 31), (17, 64), (40, 131), (33, 400)] {
            for density in [0.02, 0.2, 0.6] {
                let matrix = matrix::<T>(rows, cols, density, rows as u64);
                for isa in Isa::available() {
                    for &shape in T::shapes(isa) {
                        for worth in [0.0, 0.3, 3.0] {
                            let (plan, any_left) = windows(&matrix, shape, worth);
                            assert!(worth > 0.0 || !any_left);
                            assert_eq!(SemiSparse::from_bytes(&plan.to_bytes()).as_ref(), Ok(&plan));
                            let note = format!("{} {shape:?}, worth {worth}", T::KIND.name());
                            Isa::available().for_each(|isa| check(&matrix, &plan, isa, &note));
                        }
                    }
                }
            }
        }
    }
    one::<f32>();
    one::<f64>();
    one::<i16>();
}

#[test]
fn what_is_measured_can_be_planned_with() {
    const COLUMNS: usize = 1024;
    let costs = measure();
    assert!(costs.byte.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", costs.byte);
    fn plans<T: Checked>(costs: &Costs) {
        for isa in Isa::available() {
            let options = Options { costs: costs.clone(), isa: Some(isa), ..Options::default() };
            SemiSparse::plan(&matrix::<T>(20, COLUMNS, 0.1, 1), &options).unwrap();
        }
    }
    plans::<f32>(&costs);
    plans::<f64>(&costs);
    plans::<i16>(&costs);
    let even: Vec<(u32, u32, f32)> =
        (0..100).flat_map(|row| (0..64).map(move |n| (row, n * 16 + row % 16, 1.0))).collect();
    let even = SparseMatrix::from_triplets(100, COLUMNS, &even).unwrap();
    let plan = SemiSparse::plan(&even, &Options { costs, ..Options::default() }).unwrap();
    let mut y = vec![0.0; 100];
    plan.multiply(&[1.0; COLUMNS], &mut y).unwrap();
    assert!(y.iter().all(|&sum| sum == 64.0));
}

#[test]
fn columns_beyond_sixteen_bits() {
    let cols = (1 << 16) + 70;
    let elements: Vec<(u32, u32, f32)> =
        (0..4000u32).map(|k| (k % 37, k * 16 + k % 5, 1.0 + k as f32 / 64.0)).collect();
    let matrix = SparseMatrix::from_triplets(37, cols, &elements).unwrap();
    for form in [Form::Tiles, Form::Windows, Form::Sell, Form::Csr] {
        let plan = SemiSparse::plan(&matrix, &fixed(form, None)).unwrap();
        Isa::available().for_each(|isa| check(&matrix, &plan, isa, form.name()));
    }
}

proptest! {
    #[test]
    fn random_matrices(
        rows in 0usize..70, cols in 0usize..200, density in 0.0f64..0.6, seed in any::<u64>(),
        search in prop::sample::select(vec![
            Search::Exact, Search::Cliques { pieces: 3 }, Search::Beam { pieces: 4, width: 3 },
        ]),
    ) {
        fn one<T: Checked>(rows: usize, cols: usize, density: f64, seed: u64, search: Search) {
            let matrix = matrix::<T>(rows, cols, density, seed);
            for isa in Isa::available() {
                for choice in [Choice::Modelled, Choice::Fixed(Form::Tiles)] {
                    let options = Options { search, choice, ..fixed(Form::Tiles, Some(isa)) };
                    let plan = SemiSparse::plan(&matrix, &options).unwrap();
                    check(&matrix, &plan, isa, "random");
                }
            }
        }
        one::<f32>(rows, cols, density, seed, search);
        one::<f64>(rows, cols, density, seed, search);
        one::<i16>(rows, cols, density, seed, search);
    }
}

/// Products of `count` vectors with `x` and `y` at the very ends of memory.
fn at_the_ends<T: Checked>(plan: &SemiSparse<T>, isa: Isa, count: usize, x: &[T]) {
    let rows = count * plan.rows();
    let mut expected = vec![T::Sum::default(); rows];
    plan.multiply_batch_with(isa, count, x, &mut expected).unwrap();
    let sums = size_of::<T::Sum>();
    for at in [At::Start(0), At::End(0), At::Start(sums)] {
        let guarded = Guarded::of(&T::bytes_of(x), at);
        let mut room = Guarded::new(rows * sums, at);
        // SAFETY: the bytes are those of as many elements, whose alignment pages and whole elements have; any bytes are
        // an element.
        let x = unsafe { std::slice::from_raw_parts(guarded.as_ptr().cast::<T>(), x.len()) };
        // SAFETY: as above, for `rows` sums, of which nothing else knows.
        let y = unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast::<T::Sum>(), rows) };
        plan.multiply_batch_with(isa, count, x, y).unwrap();
        assert_eq!(y, expected, "{} {isa} {count} {at:?}", plan.form().name());
        assert_eq!(room.strays(), 0);
    }
}

/// Products with `x` and `y` at the very ends of memory, and at every alignment that elements can have.
#[test]
fn vectors_between_guard_pages() {
    fn one<T: Checked>() {
        for (rows, cols) in [(1, 1), (16, 33), (19, 63), (35, 100), (50, 161)] {
            let matrix = matrix::<T>(rows, cols, 0.4, 3);
            let mut numbers = Numbers::new(9);
            let x: Vec<T> = (0..21 * cols).map(|_| T::some(&mut numbers)).collect();
            for form in Form::ALL {
                // Compressed rows have a loop of their own for several vectors.
                let counts: &[usize] = if form == Form::Csr { &[1, 3, T::ROWS, 21] } else { &[1] };
                let widths = if matches!(form, Form::Tiles | Form::Windows) { 0..4 } else { 0..1 };
                for width in widths {
                    for isa in Isa::available() {
                        let options = match form {
                            Form::Tiles => tiles_of(isa, T::KIND, width, 3.0),
                            Form::Windows => windows_of(isa, T::KIND, width, 3.0),
                            form => fixed(form, Some(isa)),
                        };
                        let plan = SemiSparse::plan(&matrix, &options).unwrap();
                        for &count in counts {
                            at_the_ends(&plan, isa, count, &x[..count * cols]);
                        }
                    }
                }
            }
        }
    }
    one::<f32>();
    one::<f64>();
    one::<i16>();
}

#[test]
fn bad_input_is_refused() {
    let refused = |indptr: &[usize], indices: &[u32], values: &[f32]| {
        SparseMatrix::from_csr(2, 3, indptr, indices, values).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&[0, 1], &[0], &[1.0]),
        "row pointers: there are 2; pass 3 of them, rising from 0 to the number of values"
    );
    assert!(refused(&[0, 1, 5], &[0], &[1.0]).contains("from 0 to 5 with 1 values"));
    assert!(refused(&[0, 7, 1], &[0], &[1.0]).contains("they fall after row 1"));
    assert_eq!(
        refused(&[0, 1, 2], &[0, 3], &[1.0; 2]),
        "row 1 has an element in column 3 of 3; columns count from 0"
    );
    assert!(refused(&[0, 2, 2], &[1, 1], &[1.0; 2]).starts_with("row 0: column 1 comes after"));
    assert!(refused(&[0, 2, 2], &[1], &[1.0; 2]).starts_with("1 column numbers for 2 values"));
    assert!(SparseMatrix::<f64>::from_csr(1 << 31, 0, &[], &[], &[]).is_err());
    assert!(SparseMatrix::from_triplets(2, 2, &[(2, 0, 1.0)]).is_err());
    assert!(SparseMatrix::from_triplets(2, 2, &[(1, 0, 1.0), (1, 0, 2.0)]).is_err());

    let matrix = matrix::<f32>(20, 30, 0.3, 1);
    let plan = SemiSparse::plan(&matrix, &Options::default()).unwrap();
    let error = plan.multiply(&[0.0; 29], &mut [0.0; 20]).unwrap_err();
    assert_eq!(error.to_string(), "x has 29 elements where the matrix needs 30");
    assert!(plan.multiply(&[0.0; 30], &mut [0.0; 21]).is_err());
    assert!(plan.multiply_batch(2, &[0.0; 60], &mut [0.0; 20]).is_err());
    assert!(plan.multiply_batch(usize::MAX, &[0.0; 30], &mut [0.0; 20]).is_err());
    assert_eq!(plan.multiply_batch(0, &[], &mut []), Ok(()));
    assert!(multiply_reference(&matrix, &[0.0; 3], &mut [0.0; 20], false).is_err());

    for search in [
        Search::Cliques { pieces: 0 },
        Search::Cliques { pieces: 9 },
        Search::Beam { pieces: 0, width: 1 },
        Search::Beam { pieces: 1, width: 0 },
    ] {
        assert!(SemiSparse::plan(&matrix, &Options { search, ..Options::default() }).is_err());
    }
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        let mut options = Options::default();
        options.costs.of_mut(Isa::best(), Kind::F32).line = bad;
        assert!(matches!(SemiSparse::plan(&matrix, &options), Err(SparseError::Cost { .. })));
        let mut options = Options::default();
        options.costs.of_mut(Isa::best(), Kind::F32).slot = [bad; 4];
        assert!(matches!(SemiSparse::plan(&matrix, &options), Err(SparseError::Cost { .. })));
    }
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.is_available()) {
        let plan = SemiSparse::plan(&matrix, &fixed(Form::Tiles, Some(isa)));
        assert!(matches!(plan, Err(SparseError::Isa(_))));
    }
}
