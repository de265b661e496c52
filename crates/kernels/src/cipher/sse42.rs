//! Vectors of 128 bits: AES-NI with the SHA extensions, or with SHA in general registers where those are missing.

use super::decrypt::decryption;
use super::lanes::{Several, engine};
use super::{ni, words};
use crate::sha1_ni::Sha1;
use std::arch::x86_64::__m128i;

engine!(SHA1_NI_1, "sse4.2,ssse3,popcnt,aes,sha", Sha1<false>, ni::Aes<1>, 1, from 1);
engine!(SHA1_NI_2, "sse4.2,ssse3,popcnt,aes,sha", Several<Sha1<false>, 2>, ni::Aes<2>, 2, from 2);
engine!(SHA1_NI_4, "sse4.2,ssse3,popcnt,aes,sha", Several<Sha1<false>, 4>, ni::Aes<4>, 4, from 3);
engine!(SHA1_1, "sse4.2,ssse3,popcnt,aes", words::Sha1<u32>, ni::Aes<1>, 1, from 1);
engine!(SHA256_NI_1, "sse4.2,ssse3,popcnt,aes,sha", ni::Sha256, ni::Aes<1>, 1, from 1);
engine!(SHA256_NI_2, "sse4.2,ssse3,popcnt,aes,sha", Several<ni::Sha256, 2>, ni::Aes<2>, 2, from 2);
engine!(SHA256_NI_4, "sse4.2,ssse3,popcnt,aes,sha", Several<ni::Sha256, 4>, ni::Aes<4>, 4, from 3);
engine!(SHA256_1, "sse4.2,ssse3,popcnt,aes", words::Sha256<u32>, ni::Aes<1>, 1, from 1);

decryption!(decrypt, "sse4.2,ssse3,popcnt,aes", __m128i);
