//! Which engines a level has.

use super::choice::Engines;
use super::keys::Keys;
use super::lanes::Engine;
use super::scalar;
use super::sha::Hash;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, sse42};
#[cfg(target_arch = "x86_64")]
use crate::extra::Extra;
use crate::isa::Isa;
use std::sync::OnceLock;

/// The engines of a level for a hash, and the choice among them, made once per process. `isa` is available.
///
/// A processor of the level that lacks AES-NI runs the portable code; one without VAES runs the level avx2's instead of
/// avx512's; SHA falls back to general registers and to eight lanes.
pub fn engines(isa: Isa, hash: Hash) -> &'static Engines {
    static ENGINES: [[OnceLock<Engines>; 2]; Isa::ALL.len()] =
        [const { [const { OnceLock::new() }; 2] }; Isa::ALL.len()];
    ENGINES[isa as usize][hash as usize].get_or_init(|| {
        let own = of_level(isa, hash);
        let mut all = own.to_vec();
        if isa == Isa::Avx512 {
            // What is narrower may be faster.
            all.extend_from_slice(of_level(Isa::Avx2, hash));
        }
        // Tables have engines in common.
        all.sort_by_key(|engine| (engine.lanes, engine.name));
        all.dedup_by_key(|engine| engine.name);
        Engines::measured(&format!("cipher.{}.{isa}", hash.name()), &all)
            .unwrap_or_else(|| Engines::shipped(own))
    })
}

fn of_level(isa: Isa, hash: Hash) -> &'static [Engine] {
    #[cfg(target_arch = "x86_64")]
    if Extra::AesNi.is_available(isa) {
        return table(isa, hash, Extra::ShaNi.is_available(isa), Extra::Vaes.is_available(isa));
    }
    let _ = isa;
    portable(hash)
}

/// The engines of a processor with AES-NI, fewest lanes first, with or without the SHA extensions and VAES.
#[cfg(target_arch = "x86_64")]
pub fn table(isa: Isa, hash: Hash, sha: bool, vaes: bool) -> &'static [Engine] {
    match (hash, isa, sha, vaes) {
        (_, Isa::Scalar, ..) => portable(hash),
        (Hash::Sha1, Isa::Sse42, true, _) => &[sse42::SHA1_NI_1, sse42::SHA1_NI_2, sse42::SHA1_NI_4],
        (Hash::Sha1, Isa::Sse42, false, _) => &[sse42::SHA1_1],
        (Hash::Sha1, Isa::Avx512, true, true) => {
            &[avx512::SHA1_NI_1, avx512::SHA1_NI_2, avx512::SHA1_NI_4, avx512::SHA1_8, avx512::SHA1_16]
        }
        (Hash::Sha1, Isa::Avx512, false, true) => {
            &[avx2::SHA1_1, avx512::SHA1_4, avx512::SHA1_8, avx512::SHA1_16]
        }
        (Hash::Sha1, _, true, true) => {
            &[avx2::SHA1_NI_1, avx2::SHA1_NI_2, avx2::SHA1_NI_4, avx2::SHA1_VAES_8]
        }
        (Hash::Sha1, _, true, false) => &[avx2::SHA1_NI_1, avx2::SHA1_NI_2, avx2::SHA1_NI_4],
        (Hash::Sha1, _, false, _) => &[avx2::SHA1_1, avx2::SHA1_8],
        (Hash::Sha256, Isa::Sse42, true, _) => &[sse42::SHA256_NI_1, sse42::SHA256_NI_2, sse42::SHA256_NI_4],
        (Hash::Sha256, Isa::Sse42, false, _) => &[sse42::SHA256_1],
        (Hash::Sha256, Isa::Avx512, true, true) => {
            &[avx2::SHA256_NI_1, avx2::SHA256_NI_2, avx2::SHA256_NI_4, avx512::SHA256_8, avx512::SHA256_16]
        }
        (Hash::Sha256, Isa::Avx512, false, true) => &[avx2::SHA256_1, avx512::SHA256_8, avx512::SHA256_16],
        (Hash::Sha256, _, true, _) => &[avx2::SHA256_NI_1, avx2::SHA256_NI_2, avx2::SHA256_NI_4],
        (Hash::Sha256, _, false, _) => &[avx2::SHA256_1, avx2::SHA256_8],
    }
}

/// The engines of every processor.
pub fn portable(hash: Hash) -> &'static [Engine] {
    match hash {
        Hash::Sha1 => &[scalar::SHA1_1, scalar::SHA1_4],
        Hash::Sha256 => &[scalar::SHA256_1, scalar::SHA256_4],
    }
}

/// Decrypts blocks in CBC mode. `isa` is available.
pub fn decrypt(isa: Isa, keys: &Keys, iv: &[u8; 16], blocks: &mut [[u8; 16]]) {
    #[cfg(target_arch = "x86_64")]
    if Extra::AesNi.is_available(isa) {
        let round_keys = &keys.decrypt[..=keys.rounds];
        let vaes = Extra::Vaes.is_available(isa);
        // SAFETY: the level and what it takes beside it are available.
        unsafe {
            match isa {
                Isa::Avx512 if vaes => avx512::decrypt(round_keys, iv, blocks),
                Isa::Avx512 | Isa::Avx2 if vaes => avx2::decrypt_vaes(round_keys, iv, blocks),
                Isa::Avx512 | Isa::Avx2 => avx2::decrypt(round_keys, iv, blocks),
                _ => sse42::decrypt(round_keys, iv, blocks),
            }
        }
        return;
    }
    let _ = isa;
    scalar::decrypt(&keys.encrypt, keys.rounds, iv, blocks);
}
