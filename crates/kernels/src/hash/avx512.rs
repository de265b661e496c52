//! Vectors of 512 bits, and narrower ones with the instructions of AVX-512 (rotations, functions of three bits), which
//! finish a few messages sooner.

use super::scalar::entries;
use super::{ahead, lanes};
use crate::vector::avx512::{Half32, Half64, Words32, Words64};

entries! { Avx512:
    md5_8(u32) = lanes::md5::<Half32, 1>;
    md5_24(u32) = lanes::md5::<Half32, 3>;
    md5_16(u32) = lanes::md5::<Words32, 1>;
    md5_32(u32) = lanes::md5::<Words32, 2>;
    sha1_8(u32) = lanes::sha1::<Half32>;
    sha1_16(u32) = lanes::sha1::<Words32>;
    sha256_8(u32) = lanes::sha256::<Half32>;
    sha256_16(u32) = lanes::sha256::<Words32>;
    sha512_4(u64) = lanes::sha512::<Half64>;
    sha512_8(u64) = lanes::sha512::<Words64>;
    sha512_1(u64) = ahead::sha512::<Words64>;
}
