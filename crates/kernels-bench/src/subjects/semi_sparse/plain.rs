//! The products as plain loops, compiled for the best level: the code of a program without a library.

use loopwright_kernels::Isa;
use loopwright_kernels::semi_sparse::{Element, SparseMatrix};

/// Compiles `$body` for the levels and calls the best one.
macro_rules! compiled {
    ($(#[$doc:meta])* $name:ident ($($argument:ident: $kind:ty),*) $body:block) => {
        $(#[$doc])*
        pub fn $name<T: Element>($($argument: $kind),*) {
            #[inline(always)]
            fn plain<T: Element>($($argument: $kind),*) $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi2")]
            fn avx2<T: Element>($($argument: $kind),*) {
                plain($($argument),*);
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma,bmi2")]
            fn avx512<T: Element>($($argument: $kind),*) {
                plain($($argument),*);
            }
            match Isa::available().next_back() {
                // SAFETY: the level is available.
                #[cfg(target_arch = "x86_64")]
                Some(Isa::Avx512) => unsafe { avx512($($argument),*) },
                // SAFETY: the level is available.
                #[cfg(target_arch = "x86_64")]
                Some(Isa::Avx2) => unsafe { avx2($($argument),*) },
                _ => plain($($argument),*),
            }
        }
    };
}

compiled! {
    /// Compressed rows, element by element.
    csr(matrix: &SparseMatrix<T>, x: &[T], y: &mut [T::Sum]) {
        for (row, y) in y.iter_mut().enumerate() {
            let mut sum = T::Sum::default();
            for (column, a) in matrix.row(row) {
                sum = T::mul_add(sum, a, x[column as usize]);
            }
            *y = sum;
        }
    }
}

compiled! {
    /// Dense rows with 64 sums to a row, which a compiler puts into vectors.
    dense(a: &[T], x: &[T], y: &mut [T::Sum]) {
        const SUMS: usize = 64;
        for (y, row) in y.iter_mut().zip(a.chunks_exact(x.len().max(1))) {
            let mut sums = [T::Sum::default(); SUMS];
            let (pieces, rest) = row.as_chunks::<SUMS>();
            let (of_x, rest_of_x) = x.as_chunks::<SUMS>();
            for (piece, x) in pieces.iter().zip(of_x) {
                for k in 0..SUMS {
                    sums[k] = T::mul_add(sums[k], piece[k], x[k]);
                }
            }
            for (&a, &x) in rest.iter().zip(rest_of_x) {
                sums[0] = T::mul_add(sums[0], a, x);
            }
            *y = sums.into_iter().fold(T::Sum::default(), T::add);
        }
    }
}

compiled! {
    /// Dense rows with one sum to a row: of integers a compiler may split it up.
    fold(a: &[T], x: &[T], y: &mut [T::Sum]) {
        for (y, row) in y.iter_mut().zip(a.chunks_exact(x.len().max(1))) {
            *y = row.iter().zip(x).fold(T::Sum::default(), |sum, (&a, &x)| T::mul_add(sum, a, x));
        }
    }
}
