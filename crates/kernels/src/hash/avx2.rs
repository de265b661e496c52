//! Vectors of 256 bits, and single messages with rotations that leave their source alone.

use super::scalar::entries;
use super::{ahead, lanes};
use crate::vector::avx2::{Words32, Words64};

entries! { Avx2:
    md5_8(u32) = lanes::md5::<Words32, 1>;
    md5_16(u32) = lanes::md5::<Words32, 2>;
    sha1_8(u32) = lanes::sha1::<Words32>;
    sha256_8(u32) = lanes::sha256::<Words32>;
    sha512_4(u64) = lanes::sha512::<Words64>;
    sha1(u32) = lanes::sha1::<u32>;
    sha256(u32) = lanes::sha256::<u32>;
    sha512(u64) = lanes::sha512::<u64>;
    sha256_1(u32) = ahead::sha256::<Words32>;
    sha512_1(u64) = ahead::sha512::<Words64>;
}
