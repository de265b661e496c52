//! Semi-sparse matrices: planned once, multiplied often.

use crate::isa::level;
use crate::memory::{disjoint, elements, elements_mut, not_null, put};
use crate::status::lw_status::{LW_ERROR_DATA, LW_ERROR_LENGTH, LW_ERROR_VALUE};
use crate::status::{Failure, lw_status, run};
use kernels::Isa;
use kernels::semi_sparse::{Choice, Element, Form, Options, SemiSparse, SparseError, SparseMatrix};

/// A constant matrix in the form that suits it best. Made by the lw_semi_sparse_plan functions, given back by
/// lw_semi_sparse_free(); used by any number of threads at once.
pub struct lw_semi_sparse(pub(crate) Planned);

pub(crate) enum Planned {
    F32(SemiSparse<f32>),
    F64(SemiSparse<f64>),
    I16(SemiSparse<i16>),
}

/// Runs an expression for the plan of whichever type.
macro_rules! each {
    ($planned:expr, $plan:ident => $value:expr) => {
        match $planned {
            Planned::F32($plan) => $value,
            Planned::F64($plan) => $value,
            Planned::I16($plan) => $value,
        }
    };
}
pub(crate) use each;

/// The form that a matrix is in.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lw_form {
    /// Tiles with relocation hints; what finds no place there in SELL-C-sigma.
    LW_FORM_TILES = 0,
    /// SELL-C-sigma.
    LW_FORM_SELL = 1,
    /// Compressed rows.
    LW_FORM_CSR = 2,
    /// Every element, zero or not.
    LW_FORM_DENSE = 3,
    /// Windows that slide over the columns; what finds no place there in SELL-C-sigma.
    LW_FORM_WINDOWS = 4,
}

/// How the form of a matrix is chosen.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lw_choice {
    /// The one that is cheapest by the costs of the machine.
    LW_CHOICE_MODELLED = 0,
    /// The fastest, measured at this moment; takes some milliseconds, and may choose differently from run to run.
    LW_CHOICE_MEASURED = 1,
    /// LW_FORM_TILES.
    LW_CHOICE_TILES = 2,
    /// LW_FORM_SELL.
    LW_CHOICE_SELL = 3,
    /// LW_FORM_CSR.
    LW_CHOICE_CSR = 4,
    /// LW_FORM_DENSE.
    LW_CHOICE_DENSE = 5,
    /// LW_FORM_WINDOWS.
    LW_CHOICE_WINDOWS = 6,
}

/// How to plan a matrix. All zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lw_semi_sparse_options {
    /// An lw_choice: how the form is chosen.
    pub choice: u32,
    /// Vectors that will be multiplied at once, 0 for one: some forms multiply several almost as fast as one. Any plan
    /// multiplies any number.
    pub vectors: usize,
}

/// # Safety
/// The pointer is null or points to options.
pub(crate) unsafe fn options(options: *const lw_semi_sparse_options) -> Result<Options, Failure> {
    use lw_choice::*;
    const ALL: [(lw_choice, Choice); 7] = [
        (LW_CHOICE_MODELLED, Choice::Modelled),
        (LW_CHOICE_MEASURED, Choice::Measured),
        (LW_CHOICE_TILES, Choice::Fixed(Form::Tiles)),
        (LW_CHOICE_SELL, Choice::Fixed(Form::Sell)),
        (LW_CHOICE_CSR, Choice::Fixed(Form::Csr)),
        (LW_CHOICE_DENSE, Choice::Fixed(Form::Dense)),
        (LW_CHOICE_WINDOWS, Choice::Fixed(Form::Windows)),
    ];
    // SAFETY: the caller passes options or null.
    let Some(given) = (unsafe { options.as_ref() }) else { return Ok(Options::default()) };
    let Some((_, choice)) = ALL.into_iter().find(|(choice, _)| *choice as u32 == given.choice) else {
        return Err(Failure::new(LW_ERROR_VALUE, format!("{} is no lw_choice", given.choice)));
    };
    Ok(Options { choice, vectors: given.vectors.max(1), ..Options::default() })
}

impl From<SparseError> for Failure {
    fn from(error: SparseError) -> Failure {
        let status = match error {
            SparseError::Isa(error) => return error.into(),
            SparseError::Lengths { .. } | SparseError::Vector { .. } | SparseError::Size { .. } => {
                LW_ERROR_LENGTH
            }
            SparseError::Stored { .. } | SparseError::Market { .. } => LW_ERROR_DATA,
            _ => LW_ERROR_VALUE,
        };
        Failure::new(status, error.to_string())
    }
}

/// # Safety
/// As the header says.
unsafe fn plan<T: Element>(
    rows: usize,
    columns: usize,
    indptr: *const usize,
    indices: *const u32,
    values: *const T,
    nnz: usize,
    options: *const lw_semi_sparse_options,
) -> Result<SemiSparse<T>, Failure> {
    // SAFETY: the caller passes options as the header says.
    let options = unsafe { self::options(options)? };
    // SAFETY: the caller passes arrays as the header says.
    let (indptr, indices, values) = unsafe {
        (
            elements(indptr, rows.saturating_add(1), "indptr")?,
            elements(indices, nnz, "indices")?,
            elements(values, nnz, "values")?,
        )
    };
    let matrix = SparseMatrix::from_csr(rows, columns, indptr, indices, values)?;
    Ok(SemiSparse::plan(&matrix, &options)?)
}

/// # Safety
/// As the header says.
unsafe fn multiply<T: Element>(
    plan: &SemiSparse<T>,
    isa: Isa,
    x: *const T,
    y: *mut T::Sum,
    count: usize,
    add: bool,
) -> Result<(), Failure> {
    let (reads, writes) = (plan.cols().saturating_mul(count), plan.rows().saturating_mul(count));
    disjoint(x, reads, y, writes)?;
    // SAFETY: the caller passes vectors as the header says.
    let (x, y) = unsafe { (elements(x, reads, "x")?, elements_mut(y, writes, "y")?) };
    match add {
        true => plan.multiply_add_batch_with(isa, count, x, y)?,
        false => plan.multiply_batch_with(isa, count, x, y)?,
    }
    Ok(())
}

/// Takes back what a function yields in *plan, and gives back the memory. Null is nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_free(plan: *mut lw_semi_sparse) {
    if !plan.is_null() {
        run(|| {
            // SAFETY: the caller passes what a plan function made, once.
            drop(unsafe { Box::from_raw(plan) });
            Ok(())
        });
    }
}

/// Rows; 0 of null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_rows(plan: *const lw_semi_sparse) -> usize {
    // SAFETY: the caller passes a plan or null.
    unsafe { plan.as_ref() }.map_or(0, |plan| each!(&plan.0, plan => plan.rows()))
}

/// Columns; 0 of null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_columns(plan: *const lw_semi_sparse) -> usize {
    // SAFETY: the caller passes a plan or null.
    unsafe { plan.as_ref() }.map_or(0, |plan| each!(&plan.0, plan => plan.cols()))
}

/// Elements that were given; 0 of null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_nnz(plan: *const lw_semi_sparse) -> usize {
    // SAFETY: the caller passes a plan or null.
    unsafe { plan.as_ref() }.map_or(0, |plan| each!(&plan.0, plan => plan.nnz()))
}

/// Bytes that a product reads of the matrix; 0 of null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_bytes(plan: *const lw_semi_sparse) -> usize {
    // SAFETY: the caller passes a plan or null.
    unsafe { plan.as_ref() }.map_or(0, |plan| each!(&plan.0, plan => plan.bytes()))
}

/// The form that the matrix is in, an lw_form, is written to form.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_form(plan: *const lw_semi_sparse, form: *mut u32) -> lw_status {
    run(|| {
        not_null(plan, "plan")?;
        // SAFETY: the caller passes a plan and a place for the number.
        unsafe {
            let found = each!(&(*plan).0, plan => plan.form());
            let found = match found {
                Form::Tiles => lw_form::LW_FORM_TILES,
                Form::Sell => lw_form::LW_FORM_SELL,
                Form::Csr => lw_form::LW_FORM_CSR,
                Form::Dense => lw_form::LW_FORM_DENSE,
                Form::Windows => lw_form::LW_FORM_WINDOWS,
            };
            put(form, "form", || Ok(found as u32))
        }
    })
}

/// Plans a matrix of float for many products; takes some thousand times as long as one. Row r has the elements indptr[r]
/// .. indptr[r + 1] of indices (columns from 0, rising) and of values; indptr has rows + 1 numbers, the others have nnz. All are
/// copied, and aligned to their elements. options may be null: the form by the machine's costs, one vector at a time. The plan is
/// written to plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_plan_f32(
    rows: usize,
    columns: usize,
    indptr: *const usize,
    indices: *const u32,
    values: *const f32,
    nnz: usize,
    options: *const lw_semi_sparse_options,
    plan: *mut *mut lw_semi_sparse,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe {
        put(plan, "plan", || {
            let planned = Planned::F32(self::plan(rows, columns, indptr, indices, values, nnz, options)?);
            Ok(Box::into_raw(Box::new(lw_semi_sparse(planned))))
        })
    })
}

/// y = A x, or y += A x if add is not 0, for count vectors, one after the other in x (count times columns elements) and in
/// y (count times rows). x and y have no byte in common, else LW_ERROR_OVERLAP. LW_ERROR_VALUE when the plan is not of float.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_multiply_f32(
    plan: *const lw_semi_sparse,
    x: *const f32,
    y: *mut f32,
    count: usize,
    add: i32,
) -> lw_status {
    run(|| {
        not_null(plan, "plan")?;
        // SAFETY: the caller passes a plan, and vectors as the header says.
        unsafe {
            match &(*plan).0 {
                Planned::F32(plan) => multiply(plan, Isa::best(), x, y, count, add != 0),
                _ => Err(other_type("f32")),
            }
        }
    })
}

/// lw_semi_sparse_multiply_f32() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_multiply_f32_with(
    isa: u32,
    plan: *const lw_semi_sparse,
    x: *const f32,
    y: *mut f32,
    count: usize,
    add: i32,
) -> lw_status {
    run(|| {
        not_null(plan, "plan")?;
        // SAFETY: the caller passes a plan, and vectors as the header says.
        unsafe {
            match &(*plan).0 {
                Planned::F32(plan) => multiply(plan, level(isa)?, x, y, count, add != 0),
                _ => Err(other_type("f32")),
            }
        }
    })
}

/// lw_semi_sparse_plan_f32() for double.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_plan_f64(
    rows: usize,
    columns: usize,
    indptr: *const usize,
    indices: *const u32,
    values: *const f64,
    nnz: usize,
    options: *const lw_semi_sparse_options,
    plan: *mut *mut lw_semi_sparse,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe {
        put(plan, "plan", || {
            let planned = Planned::F64(self::plan(rows, columns, indptr, indices, values, nnz, options)?);
            Ok(Box::into_raw(Box::new(lw_semi_sparse(planned))))
        })
    })
}

/// lw_semi_sparse_multiply_f32() for double.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_multiply_f64(
    plan: *const lw_semi_sparse,
    x: *const f64,
    y: *mut f64,
    count: usize,
    add: i32,
) -> lw_status {
    run(|| {
        not_null(plan, "plan")?;
        // SAFETY: the caller passes a plan, and vectors as the header says.
        unsafe {
            match &(*plan).0 {
                Planned::F64(plan) => multiply(plan, Isa::best(), x, y, count, add != 0),
                _ => Err(other_type("f64")),
            }
        }
    })
}

/// lw_semi_sparse_multiply_f64() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_multiply_f64_with(
    isa: u32,
    plan: *const lw_semi_sparse,
    x: *const f64,
    y: *mut f64,
    count: usize,
    add: i32,
) -> lw_status {
    run(|| {
        not_null(plan, "plan")?;
        // SAFETY: the caller passes a plan, and vectors as the header says.
        unsafe {
            match &(*plan).0 {
                Planned::F64(plan) => multiply(plan, level(isa)?, x, y, count, add != 0),
                _ => Err(other_type("f64")),
            }
        }
    })
}

/// lw_semi_sparse_plan_f32() for int16_t, summed in int32_t modulo 2^32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_plan_i16(
    rows: usize,
    columns: usize,
    indptr: *const usize,
    indices: *const u32,
    values: *const i16,
    nnz: usize,
    options: *const lw_semi_sparse_options,
    plan: *mut *mut lw_semi_sparse,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe {
        put(plan, "plan", || {
            let planned = Planned::I16(self::plan(rows, columns, indptr, indices, values, nnz, options)?);
            Ok(Box::into_raw(Box::new(lw_semi_sparse(planned))))
        })
    })
}

/// lw_semi_sparse_multiply_f32() for int16_t, summed in int32_t modulo 2^32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_multiply_i16(
    plan: *const lw_semi_sparse,
    x: *const i16,
    y: *mut i32,
    count: usize,
    add: i32,
) -> lw_status {
    run(|| {
        not_null(plan, "plan")?;
        // SAFETY: the caller passes a plan, and vectors as the header says.
        unsafe {
            match &(*plan).0 {
                Planned::I16(plan) => multiply(plan, Isa::best(), x, y, count, add != 0),
                _ => Err(other_type("i16")),
            }
        }
    })
}

/// lw_semi_sparse_multiply_i16() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_semi_sparse_multiply_i16_with(
    isa: u32,
    plan: *const lw_semi_sparse,
    x: *const i16,
    y: *mut i32,
    count: usize,
    add: i32,
) -> lw_status {
    run(|| {
        not_null(plan, "plan")?;
        // SAFETY: the caller passes a plan, and vectors as the header says.
        unsafe {
            match &(*plan).0 {
                Planned::I16(plan) => multiply(plan, level(isa)?, x, y, count, add != 0),
                _ => Err(other_type("i16")),
            }
        }
    })
}

fn other_type(wanted: &str) -> Failure {
    Failure::new(
        LW_ERROR_VALUE,
        format!(
            "the plan is not of {wanted}; multiply by the function that has the name of its plan function"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_what_was_given() {
        let of = |choice, vectors| {
            let given = lw_semi_sparse_options { choice, vectors };
            // SAFETY: the pointer is of options that live.
            unsafe { options(&given) }.map(|found| (found.choice, found.vectors))
        };
        assert_eq!(of(0, 0).unwrap(), (Choice::Modelled, 1));
        assert_eq!(of(1, 1).unwrap(), (Choice::Measured, 1));
        assert_eq!(of(4, 8).unwrap(), (Choice::Fixed(Form::Csr), 8));
        assert_eq!(of(7, 1).unwrap_err().status, LW_ERROR_VALUE);
        // SAFETY: null is allowed.
        assert_eq!(unsafe { options(std::ptr::null()) }.unwrap(), Options::default());
    }
}
