//! The semi-sparse product: every form, against MKL's compressed rows, dense products and plain loops.

mod matrices;
mod plain;

use super::{Operation, Subject};
use crate::bounds;
use crate::buffers::Buffer;
use crate::case::{Case, Clock, Extent, Role, Run, Variant, Work};
use crate::peers::Peers;
use crate::peers::blas::{self, Real};
use crate::peers::mkl;
use loopwright_kernels::semi_sparse::{
    Choice, Element, Form, Options, SemiSparse as Plan, SparseError, SparseMatrix,
};
use loopwright_kernels::{Isa, IsaError};
use matrices::{Measured, Problem};
use std::hint::black_box;
use std::rc::Rc;

/// The subject.
pub struct SemiSparse;

impl Subject for SemiSparse {
    fn kernel(&self) -> &'static str {
        "semi_sparse"
    }

    fn about(&self) -> &'static str {
        "products of constant matrices of 1 to 50 % density with vectors"
    }

    fn operations(&self) -> Vec<Operation> {
        const WITHOUT_SSE42: &[Isa] = &[Isa::Scalar, Isa::Avx2, Isa::Avx512];
        vec![
            Operation { name: "tiles_f32", levels: &Isa::ALL, run: |isa| once::<f32>(Form::Tiles, 1, isa) },
            Operation {
                name: "tiles_f64",
                levels: WITHOUT_SSE42,
                run: |isa| once::<f64>(Form::Tiles, 1, isa),
            },
            Operation {
                name: "tiles_i16",
                levels: WITHOUT_SSE42,
                run: |isa| once::<i16>(Form::Tiles, 1, isa),
            },
            Operation { name: "batch_f32", levels: &Isa::ALL, run: |isa| once::<f32>(Form::Tiles, 4, isa) },
            Operation { name: "dense_f32", levels: &Isa::ALL, run: |isa| once::<f32>(Form::Dense, 1, isa) },
            Operation { name: "sell_f32", levels: &Isa::ALL, run: |isa| once::<f32>(Form::Sell, 1, isa) },
            Operation { name: "sell_i16", levels: WITHOUT_SSE42, run: |isa| once::<i16>(Form::Sell, 1, isa) },
            Operation { name: "csr_f32", levels: &Isa::ALL, run: |isa| once::<f32>(Form::Csr, 1, isa) },
            Operation { name: "csr_f64", levels: WITHOUT_SSE42, run: |isa| once::<f64>(Form::Csr, 1, isa) },
        ]
    }

    fn cases(&self, extent: Extent) -> Vec<Case> {
        let (shapes, percents): (&[(usize, usize)], &[u32]) = match extent {
            Extent::Smoke => (&[(40, 150)], &[10, 50]),
            Extent::Full => (&[(1024, 1024), (4096, 4096), (512, 16384)], &[1, 3, 10, 20, 30, 50]),
        };
        let all = || shapes.iter().flat_map(|&shape| percents.iter().map(move |&percent| (shape, percent)));
        let mut cases = Vec::new();
        cases.extend(all().map(|(shape, percent)| case::<f32>(shape, percent, real)));
        cases.extend(all().map(|(shape, percent)| case::<f64>(shape, percent, real)));
        cases.extend(all().map(|(shape, percent)| case::<i16>(shape, percent, |_, _| Vec::new())));
        cases
    }
}

/// One small product, to be watched.
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
        let plan = Plan::plan(&matrix, &Options { choice: Choice::Fixed(form), ..Options::default() })?;
        match isa {
            None if count == 1 => plan.multiply(&x, &mut y),
            None => plan.multiply_batch(count, &x, &mut y),
            Some(isa) if count == 1 => plan.multiply_with(isa, &x, &mut y),
            Some(isa) => plan.multiply_batch_with(isa, count, &x, &mut y),
        }
    });
    black_box(y);
    match done {
        Err(SparseError::Isa(error)) => Err(error),
        // Nothing else can be wrong with the matrix above.
        _ => Ok(()),
    }
}

/// A product into a vector of its own.
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
    let y = vec![T::Sum::default(); problem.matrix.rows()];
    Variant::new(name, role, Product { problem: problem.clone(), y, work })
}

fn case<T: Measured>(
    (rows, cols): (usize, usize),
    percent: u32,
    peers_of: fn(&Rc<Problem<T>>, &mut Peers) -> Vec<Variant>,
) -> Case {
    let elements = (rows * cols) as u64 * u64::from(percent) / 100;
    Case {
        operation: T::KIND.name().to_owned(),
        shape: format!("{rows} x {cols}, {percent} %"),
        work: Work::Once,
        working_set_bytes: elements * T::BYTES as u64 + (rows + cols) as u64 * T::BYTES as u64,
        clock: Clock::Thread,
        prepare: Box::new(move |peers| {
            let problem = Rc::new(Problem::<T>::new(rows, cols, percent));
            let mut variants = ours(&problem);
            variants.push(product("plain CSR loop", Role::Peer, &problem, {
                let problem = problem.clone();
                move |x, y| plain::csr(&problem.matrix, x, y)
            }));
            let dense = problem.dense();
            variants.push(product("plain dense loop", Role::Peer, &problem, move |x, y| {
                plain::dense(&dense, x, y);
            }));
            variants.extend(peers_of(&problem, peers));
            variants.extend(bounds_of::<T>(problem.matrix.nnz()));
            variants
        }),
    }
}

/// The automatic choice, every form at the best level, and what the model chooses at lower ones.
fn ours<T: Measured>(problem: &Rc<Problem<T>>) -> Vec<Variant> {
    let best = Isa::best();
    let planned = |name: String, role: Role, choice: Choice, isa: Isa| {
        let options = Options { choice, isa: Some(isa), ..Options::default() };
        // A plan that fails is a product that is wrong: it leaves zeros, and the verification says so.
        let plan = Plan::plan(&problem.matrix, &options).ok();
        product(name, role, problem, move |x, y| {
            if let Some(plan) = &plan {
                let _ = plan.multiply_with(isa, x, y);
            }
        })
    };
    let mut variants = vec![planned("auto".into(), Role::Automatic, Choice::Measured, best)];
    for isa in Isa::available().filter(|&isa| isa < best) {
        variants.push(planned(isa.name().into(), Role::Level(isa), Choice::Modelled, isa));
    }
    variants.push(planned(best.name().into(), Role::Level(best), Choice::Modelled, best));
    for form in Form::ALL {
        variants.push(planned(form.name().into(), Role::Level(best), Choice::Fixed(form), best));
    }
    variants
}

/// Libraries that multiply floats.
fn real<T: Measured<Sum = T> + Real>(problem: &Rc<Problem<T>>, peers: &mut Peers) -> Vec<Variant> {
    let matrix = &problem.matrix;
    let shape = (matrix.rows(), matrix.cols());
    let mut variants = Vec::new();
    if let Some(csr) = mkl::Csr::new(peers, shape, matrix.indptr(), matrix.indices(), matrix.values()) {
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

/// The values have to be read, and each vector of them takes a permute and a multiplication (for i16 an addition,
/// too), which share two ports.
fn bounds_of<T: Element>(nnz: usize) -> Vec<Variant> {
    let values = Buffer::random(nnz * T::BYTES, 1);
    let instructions = match T::PER_ROW {
        1 => 2,
        _ => 3,
    };
    // A vector has eight 64-bit lanes to 64 bytes.
    let lanes = (nnz * T::BYTES).div_ceil(64) * 8 * instructions;
    vec![
        Variant::bound("reading the values", move || bounds::read(&values)),
        Variant::bound("permutes and products", move || bounds::additions(lanes as u64)),
    ]
}
