//! What the tests in `tests/kernels` compare beside the public functions: references, engines one by one, plans that the
//! model would not choose. No part of the interface: it changes without notice.
//!
//! Those tests are an executable of their own because the engines would be generated again for unit tests.

#![allow(missing_docs)]

pub mod byteswap {
    pub use crate::byteswap::file::{Failure, WINDOW, pass};
}

pub mod cipher {
    pub use crate::cipher::choice::Engines;
    pub use crate::cipher::dispatch::portable;
    #[cfg(target_arch = "x86_64")]
    pub use crate::cipher::dispatch::table;
    pub use crate::cipher::job::{Job, finish};
    pub use crate::cipher::keys::{Keys, digest};
    pub use crate::cipher::lanes::{Engine, Lanes, MOST, ROUND_KEYS};
    pub use crate::cipher::schedule::Work;
    pub use crate::cipher::sha::{Hash, SHA1_K, SHA256_K};
}

pub mod fletcher {
    pub use crate::fletcher::reference::{fletcher2, fletcher4};
}

pub mod hash {
    use crate::hash::Algorithm;
    pub use crate::hash::engine::Plan;
    use crate::hash::many::Whole;
    use crate::hash::rows::LIVE;
    use crate::hash::slots::Slots;

    /// The digests of messages, all in work at once, by the engines of a plan.
    pub fn hash_by<A: Algorithm>(plan: &Plan<A::Word>, messages: &[Vec<u8>], digests: &mut [A::Digest]) {
        Slots::<A>::new().drive(plan, LIVE, false, &mut Whole::<A, _>::new(messages, digests, None));
    }
}

pub mod semi_sparse {
    use crate::semi_sparse::product::Body;
    use crate::semi_sparse::slide::{Slide, pack};
    pub use crate::semi_sparse::stored::HEADER;
    use crate::semi_sparse::windows::Shape;
    use crate::semi_sparse::{Element, Form, SemiSparse, SparseMatrix};

    /// A plan of windows of a shape, in which a column of a window is worth `worth` elements that are left over; and whether
    /// any are.
    pub fn windows<T: Element>(matrix: &SparseMatrix<T>, shape: Shape, worth: f64) -> (SemiSparse<T>, bool) {
        let (windows, left) = pack(matrix, &Slide::of(shape, worth, 1.0), 64).expect("a small matrix");
        let any = !left.is_empty();
        (SemiSparse::of(Form::Windows, matrix.nnz(), Body::Windows { windows, left }), any)
    }
}
