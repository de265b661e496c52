//! Vectors of 128 bits, and the SHA instructions.

pub mod sha_ni;

use super::lanes;
use super::scalar::entries;
use crate::vector::sse42::{Words32, Words64};

entries! { Sse42:
    md5_4(u32) = lanes::md5::<Words32, 1>;
    md5_8(u32) = lanes::md5::<Words32, 2>;
    sha1_4(u32) = lanes::sha1::<Words32>;
    sha256_4(u32) = lanes::sha256::<Words32>;
    sha512_2(u64) = lanes::sha512::<Words64>;
}
