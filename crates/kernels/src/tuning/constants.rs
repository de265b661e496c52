//! The table of constants.
//!
//! A kernel that needs one adds a row here and a task in `kernels-bench` (`calibrate/tasks.rs`) that measures it.

use crate::processor::Profile;
use crate::semi_sparse::Costs;

/// What a constant's value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of all arrays together; the constant is a size up to which one way is better, above which another.
    Bytes,
    /// Nanoseconds: the cost of something.
    Nanoseconds,
}

impl Unit {
    /// The unit's name, as tables write it.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::Nanoseconds => "ns",
        }
    }
}

macro_rules! constants {
    ($($variant:ident $name:literal $unit:ident $default:expr, $about:literal;)+) => {
        /// A constant that `loopwright-kernels calibrate` measures.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Constant {
            $(#[doc = $about] $variant,)+
        }

        impl Constant {
            /// Every constant.
            pub const ALL: [Constant; [$(Constant::$variant),+].len()] = [$(Constant::$variant),+];

            /// Its name in the calibration file.
            pub const fn name(self) -> &'static str {
                match self { $(Constant::$variant => $name,)+ }
            }

            /// What it decides.
            pub const fn about(self) -> &'static str {
                match self { $(Constant::$variant => $about,)+ }
            }

            /// What its value counts.
            pub const fn unit(self) -> Unit {
                match self { $(Constant::$variant => Unit::$unit,)+ }
            }

            /// Its value where nothing has been measured.
            pub fn default_value(self) -> f64 {
                match self { $(Constant::$variant => $default,)+ }
            }
        }
    };
}

constants! {
    ByteswapNonTemporal "byteswap.non_temporal_bytes" Bytes beyond_the_caches(),
        "byte swapping out of place: source and destination above which stores pass the caches";
    ByteswapParallel "byteswap.parallel_bytes" Bytes WORTH_THREADS,
        "byte swapping: bytes of all arrays above which the `_par` functions use threads";
    CopyNonTemporal "streaming.copy.non_temporal_bytes" Bytes beyond_the_caches(),
        "copy: bytes of both arrays above which stores pass the caches";
    FillNonTemporal "streaming.fill.non_temporal_bytes" Bytes beyond_the_caches(),
        "fill: bytes of the array above which stores pass the caches";
    ScaleNonTemporal "streaming.scale.non_temporal_bytes" Bytes beyond_the_caches(),
        "scale: bytes of both arrays above which stores pass the caches";
    AddNonTemporal "streaming.add.non_temporal_bytes" Bytes beyond_the_caches(),
        "add: bytes of the three arrays above which stores pass the caches";
    TriadNonTemporal "streaming.triad.non_temporal_bytes" Bytes beyond_the_caches(),
        "triad: bytes of the three arrays above which stores pass the caches";
    StreamingParallel "streaming.parallel_bytes" Bytes WORTH_THREADS,
        "streaming: bytes of all arrays above which the `_par` functions use threads";
    SparseF32Multiply "semi_sparse.f32.multiply_ns" Nanoseconds sparse(Constant::SparseF32Multiply),
        "sparse products of f32: multiplying a line of 64 bytes by `x`, without a gather";
    SparseF32Gather "semi_sparse.f32.gather_ns" Nanoseconds sparse(Constant::SparseF32Gather),
        "sparse products of f32: gathering a line of `x` from 16 columns (CostG)";
    SparseF32LeftOver "semi_sparse.f32.left_over_ns" Nanoseconds sparse(Constant::SparseF32LeftOver),
        "sparse products of f32: an element that is left over (CostL)";
    SparseF64Multiply "semi_sparse.f64.multiply_ns" Nanoseconds sparse(Constant::SparseF64Multiply),
        "sparse products of f64: multiplying a line of 64 bytes by `x`, without a gather";
    SparseF64Gather "semi_sparse.f64.gather_ns" Nanoseconds sparse(Constant::SparseF64Gather),
        "sparse products of f64: gathering a line of `x` from 16 columns (CostG)";
    SparseF64LeftOver "semi_sparse.f64.left_over_ns" Nanoseconds sparse(Constant::SparseF64LeftOver),
        "sparse products of f64: an element that is left over (CostL)";
    SparseI16Multiply "semi_sparse.i16.multiply_ns" Nanoseconds sparse(Constant::SparseI16Multiply),
        "sparse products of i16: multiplying a line of 64 bytes by `x`, without a gather";
    SparseI16Gather "semi_sparse.i16.gather_ns" Nanoseconds sparse(Constant::SparseI16Gather),
        "sparse products of i16: gathering a line of `x` from 16 columns (CostG)";
    SparseI16LeftOver "semi_sparse.i16.left_over_ns" Nanoseconds sparse(Constant::SparseI16LeftOver),
        "sparse products of i16: an element that is left over (CostL)";
    SparseByteL2 "semi_sparse.byte_l2_ns" Nanoseconds sparse(Constant::SparseByteL2),
        "sparse products: a byte of the matrix that comes from the second cache";
    SparseByteL3 "semi_sparse.byte_l3_ns" Nanoseconds sparse(Constant::SparseByteL3),
        "sparse products: a byte of the matrix that comes from the third cache";
    SparseByteMemory "semi_sparse.byte_memory_ns" Nanoseconds sparse(Constant::SparseByteMemory),
        "sparse products: a byte of the matrix that comes from memory";
}

/// Waking the threads of a pool takes some 10 microseconds, in which one thread moves about 0.5 MB between caches; at
/// eight times that the loss is small where threads do not gain.
const WORTH_THREADS: f64 = (4 << 20) as f64;

/// Three quarters of the last cache, because the rest of a program lives there, too. Not beyond 64 MiB: virtual
/// machines name the cache of a whole host, of which a guest has a share.
fn beyond_the_caches() -> f64 {
    let last = Profile::active().last_cache_bytes.unwrap_or(16 << 20);
    (last / 4 * 3).clamp(1 << 20, 64 << 20) as f64
}

/// What the sparse product's default costs say of a constant.
fn sparse(constant: Constant) -> f64 {
    let costs = Costs::default().constants();
    costs.into_iter().find(|(named, _)| *named == constant).map_or(0.0, |(_, value)| value)
}
