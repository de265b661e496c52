//! The semi-sparse product: every form, compared with MKL's compressed rows, dense products and plain loops.

mod matrices;
mod plain;

use super::{Operation, Subject, every_level};
use crate::bounds;
use crate::buffers::Buffer;
use crate::case::{Case, Clock, Extent, Role, Run, Variant, Work};
use crate::peers::Peers;
use crate::peers::blas::{self, Real};
use crate::peers::mkl;
use crate::watched::only;
use loopwright_kernels::semi_sparse::{
    Choice, Element, Form, Options, SemiSparse as Plan, SparseError, SparseMatrix,
};
use loopwright_kernels::{Isa, IsaError, Profile};
use matrices::{Measured, Problem};
use std::hint::black_box;
use std::rc::Rc;

pub struct SemiSparse;

impl Subject for SemiSparse {
    fn kernel(&self) -> &'static str {
        "semi_sparse"
    }

    fn about(&self) -> &'static str {
        "products of constant matrices of 1 to 50 % density with vectors"
    }

    fn operations(&self) -> Vec<Operation> {
        vec![
            Operation { name: "tiles_f32", levels: every_level, run: |isa| once::<f32>(Form::Tiles, 1, isa) },
            Operation {
                name: "tiles_f64",
                levels: without_sse42,
                run: |isa| once::<f64>(Form::Tiles, 1, isa),
            },
            Operation {
                name: "tiles_i16",
                levels: without_sse42,
                run: |isa| once::<i16>(Form::Tiles, 1, isa),
            },
            Operation {
                name: "windows_f32",
                levels: every_level,
                run: |isa| once::<f32>(Form::Windows, 1, isa),
            },
            Operation {
                name: "windows_f64",
                levels: without_sse42,
                run: |isa| once::<f64>(Form::Windows, 1, isa),
            },
            Operation {
                name: "windows_i16",
                levels: without_sse42,
                run: |isa| once::<i16>(Form::Windows, 1, isa),
            },
            Operation { name: "batch_f32", levels: every_level, run: |isa| once::<f32>(Form::Tiles, 4, isa) },
            Operation { name: "dense_f32", levels: every_level, run: |isa| once::<f32>(Form::Dense, 1, isa) },
            Operation { name: "sell_f32", levels: every_level, run: |isa| once::<f32>(Form::Sell, 1, isa) },
            Operation { name: "sell_i16", levels: without_sse42, run: |isa| once::<i16>(Form::Sell, 1, isa) },
            Operation { name: "csr_f32", levels: every_level, run: |isa| once::<f32>(Form::Csr, 1, isa) },
            Operation { name: "csr_f64", levels: without_sse42, run: |isa| once::<f64>(Form::Csr, 1, isa) },
            Operation {
                name: "csr_batch_f32",
                levels: every_level,
                run: |isa| once::<f32>(Form::Csr, 4, isa),
            },
            Operation {
                name: "csr_batch_f64",
                levels: without_sse42,
                run: |isa| once::<f64>(Form::Csr, 4, isa),
            },
        ]
    }

    fn cases(&self, extent: Extent) -> Vec<Case> {
        const DENSITIES: &[u32] = &[10, 30, 100, 200, 300, 500];
        const FEW: &[u32] = &[1, 3];
        let shapes: &[((usize, usize), &[u32])] = match extent {
            Extent::Smoke => &[((40, 150), &[100, 500])],
            Extent::Full => &[
                ((1024, 1024), DENSITIES),
                ((4096, 4096), FEW),
                ((4096, 4096), DENSITIES),
                ((512, 16384), DENSITIES),
            ],
        };
        let all = || shapes.iter().flat_map(|&(shape, all)| all.iter().map(move |&one| (shape, one)));
        let mut cases = Vec::new();
        cases.extend(all().map(|(shape, density)| case::<f32>(shape, density, 1, real)));
        cases.extend(all().map(|(shape, density)| case::<f64>(shape, density, 1, real)));
        cases.extend(all().map(|(shape, density)| case::<i16>(shape, density, 1, whole)));
        // Several vectors at once share the matrix data read.
        let batch = || all().filter(|(shape, _)| *shape != (4096, 4096));
        cases.extend(batch().map(|(shape, density)| case::<f32>(shape, density, 8, real)));
        cases.extend(batch().map(|(shape, density)| case::<f64>(shape, density, 8, real)));
        cases
    }
}

/// Vectors of 128 bits gain nothing for 8-byte elements, nor for 16-bit ones.
fn without_sse42(_: &Profile) -> &'static [Isa] {
    &[Isa::Scalar, Isa::Avx2, Isa::Avx512]
}

/// One small product, to be observed.
fn once<T: Measured>(form: Form, count: usize, isa: Option<Isa>) -> Result<(), IsaError> {
    const ROWS: u32 = 18;
    const COLS: u32 = 40;
    let elements: Vec<(u32, u32, T)> = (0..ROWS * COLS)
        .filter(|place| form == Form::Csr || place % 3 == 0)
        .map(|place| (place / COLS, place % COLS, T::of_share(f64::from(place) / f64::from(ROWS * COLS))))
        .collect();
    let x = black_box(vec![T::of_share(0.5); count * COLS as usize]);
    let mut y = vec![T::Sum::default(); count * ROWS as usize];
    let done = SparseMatrix::from_triplets(ROWS as usize, COLS as usize, &elements).and_then(|matrix| {
        let plan = Plan::plan(&matrix, &Options { choice: Choice::Fixed(form), isa, ..Options::default() })?;
        // The plan takes much longer than the product.
        only(|| match isa {
            None if count == 1 => plan.multiply(&x, &mut y),
            None => plan.multiply_batch(count, &x, &mut y),
            Some(isa) if count == 1 => plan.multiply_with(isa, &x, &mut y),
            Some(isa) => plan.multiply_batch_with(isa, count, &x, &mut y),
        })
    });
    black_box(y);
    match done {
        Err(SparseError::Isa(error)) => Err(error),
        // No other error is possible with the matrix above.
        _ => Ok(()),
    }
}

/// Products into separate vectors.
struct Product<T: Measured, F> {
    problem: Rc<Problem<T>>,
    y: Vec<T::Sum>,
    work: F,
}

impl<T: Measured, F: FnMut(&[T], &mut [T::Sum])> Run for Product<T, F> {
    fn run(&mut self) {
        (self.work)(&self.problem.x, &mut self.y);
        black_box(&mut self.y);
    }
    fn warm_up(&mut self) {
        // A constant matrix is multiplied repeatedly: it is where the last product left it.
        self.run();
    }
    fn verify(&mut self) -> Result<(), String> {
        self.y.fill(T::Sum::default());
        (self.work)(&self.problem.x, &mut self.y);
        self.problem.verify(&self.y)
    }
}

fn product<T: Measured>(
    name: impl Into<String>,
    role: Role,
    problem: &Rc<Problem<T>>,
    work: impl FnMut(&[T], &mut [T::Sum]) + 'static,
) -> Variant {
    let y = vec![T::Sum::default(); problem.expected.len()];
    Variant::new(name, role, Product { problem: problem.clone(), y, work })
}

/// `density` is in thousandths, `count` the vectors of a product.
fn case<T: Measured>(
    (rows, cols): (usize, usize),
    density: u32,
    count: usize,
    peers_of: fn(&Rc<Problem<T>>, &mut Peers) -> Vec<Variant>,
) -> Case {
    let elements = (rows * cols) as u64 * u64::from(density) / 1000;
    let vectors = (count * (rows + cols) * T::BYTES) as u64;
    let operation = match count {
        1 => T::KIND.name().to_owned(),
        _ => format!("{}, {count} vectors", T::KIND.name()),
    };
    Case {
        operation,
        shape: format!("{rows} x {cols}, {} %", f64::from(density) / 10.0),
        work: Work::Once,
        working_set_bytes: elements * T::BYTES as u64 + vectors,
        clock: Clock::Thread,
        prepare: Box::new(move |peers| {
            let problem = Rc::new(Problem::<T>::new((rows, cols), density, count));
            let (mut variants, stored) = ours(&problem);
            variants.push(product("plain CSR loop", Role::Peer, &problem, {
                let problem = problem.clone();
                move |x, y| {
                    let vectors = x.chunks_exact(cols).zip(y.chunks_exact_mut(rows));
                    vectors.for_each(|(x, y)| plain::csr(&problem.matrix, x, y));
                }
            }));
            let dense = problem.dense();
            variants.push(product("plain dense loop", Role::Peer, &problem, move |x, y| {
                let vectors = x.chunks_exact(cols).zip(y.chunks_exact_mut(rows));
                vectors.for_each(|(x, y)| plain::dense(&dense, x, y));
            }));
            variants.extend(peers_of(&problem, peers));
            variants.extend(bounds_of::<T>(problem.matrix.nnz() * count, problem.matrix.nnz(), stored));
            variants
        }),
    }
}

/// The automatic choice and every form, where no level is named, and the model's choice at each level; and the bytes of the matrix
/// that the automatic choice reads.
fn ours<T: Measured>(problem: &Rc<Problem<T>>) -> (Vec<Variant>, usize) {
    let best = Isa::best();
    let count = problem.count;
    let planned = |choice: Choice, isa: Option<Isa>| {
        let options = Options { choice, isa, vectors: count, ..Options::default() };
        // A failed plan is a wrong product: it leaves zeros, and the verification reports that.
        Plan::plan(&problem.matrix, &options).ok()
    };
    let variant = |name: &str, role: Role, isa: Option<Isa>, plan: Option<Plan<T>>| {
        product(name, role, problem, move |x, y| {
            let _ = match (&plan, isa) {
                (Some(plan), Some(isa)) => plan.multiply_batch_with(isa, count, x, y),
                (Some(plan), None) => plan.multiply_batch(count, x, y),
                (None, _) => Ok(()),
            };
        })
    };
    let auto = planned(Choice::Measured, None);
    let stored = auto.as_ref().map_or(0, Plan::bytes);
    let mut variants = vec![variant("auto", Role::Automatic, None, auto)];
    for isa in Isa::available().filter(|&isa| isa <= best) {
        variants.push(variant(isa.name(), Role::Level(isa), Some(isa), planned(Choice::Modelled, Some(isa))));
    }
    for form in Form::ALL {
        variants.push(variant(form.name(), Role::Level(best), None, planned(Choice::Fixed(form), None)));
    }
    (variants, stored)
}

/// Libraries that multiply floats.
fn real<T: Measured<Sum = T> + Real>(problem: &Rc<Problem<T>>, peers: &mut Peers) -> Vec<Variant> {
    let matrix = &problem.matrix;
    let shape = (matrix.rows(), matrix.cols());
    let mut variants = Vec::new();
    let count = problem.count;
    if let Some(csr) = mkl::Csr::new(peers, shape, count, matrix.indptr(), matrix.indices(), matrix.values())
    {
        variants.push(product("MKL CSR", Role::Peer, problem, move |x, y| csr.multiply(x, y)));
    }
    let dense =
        [("MKL dense", mkl::dense::<T>(peers, shape)), ("OpenBLAS dense", blas::openblas(peers, shape))];
    for (name, gemv) in dense {
        if let Some(gemv) = gemv {
            let a = problem.dense();
            variants.push(product(name, Role::Peer, problem, move |x, y| gemv.multiply(&a, x, y)));
        }
    }
    variants
}

/// A dense loop over 16-bit integers as the compiler compiles it: it finds the multiplication of pairs.
fn whole(problem: &Rc<Problem<i16>>, _: &mut Peers) -> Vec<Variant> {
    let dense = problem.dense();
    vec![product("plain i16 loop", Role::Peer, problem, move |x, y| plain::fold(&dense, x, y))]
}

/// The values must be read, and the other data of the chosen form; and each vector of values takes a permute
/// and a multiplication (for i16 an addition, too), which share two ports. `products` are all
/// multiplications, `nnz` the elements of the matrix, `stored` the bytes of its form.
fn bounds_of<T: Element>(products: usize, nnz: usize, stored: usize) -> Vec<Variant> {
    let instructions = match T::PER_ROW {
        1 => 2,
        _ => 3,
    };
    // A vector has eight 64-bit lanes per 64 bytes.
    let lanes = (products * T::BYTES).div_ceil(64) * 8 * instructions;
    vec![
        Variant::new("reading the values", Role::Bound, Reading(Buffer::random(nnz * T::BYTES, 1))),
        Variant::new("reading the stored form", Role::Bound, Reading(Buffer::random(stored, 2))),
        Variant::bound("permutes and products", move || bounds::additions(lanes as u64)),
    ]
}

/// Reads all of a buffer.
struct Reading(Buffer);

impl Run for Reading {
    fn run(&mut self) {
        black_box(bounds::read(&self.0));
    }
    fn warm_up(&mut self) {
        self.run();
    }
    fn verify(&mut self) -> Result<(), String> {
        Ok(())
    }
}
