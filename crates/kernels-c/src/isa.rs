//! Instruction-set levels by number.

use crate::memory::put;
use crate::status::lw_status::LW_ERROR_ISA_UNKNOWN;
use crate::status::{Failure, lw_status, run};
use kernels::Isa;
use std::ffi::c_char;

/// An instruction-set level: which code of a kernel runs. Functions that end in _with run the level that is passed and
/// refuse one that the processor lacks; the others run the one that is fastest here (lw_self_calibration()), or the one that the
/// environment variable LOOPWRIGHT_ISA names (scalar, sse42, avx2 or avx512), which is read once per process. Results never
/// depend on it.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lw_isa {
    /// What every processor of the architecture has.
    LW_ISA_SCALAR = 0,
    /// SSE4.2, SSSE3 and POPCNT (x86-64-v2): vectors of 128 bits.
    LW_ISA_SSE42 = 1,
    /// AVX2, FMA, BMI1, BMI2, LZCNT, F16C and MOVBE (x86-64-v3): vectors of 256 bits.
    LW_ISA_AVX2 = 2,
    /// AVX-512 F, BW, CD, DQ and VL (x86-64-v4): vectors of 512 bits and masks.
    LW_ISA_AVX512 = 3,
}

impl From<Isa> for lw_isa {
    fn from(isa: Isa) -> lw_isa {
        match isa {
            Isa::Scalar => lw_isa::LW_ISA_SCALAR,
            Isa::Sse42 => lw_isa::LW_ISA_SSE42,
            Isa::Avx2 => lw_isa::LW_ISA_AVX2,
            Isa::Avx512 => lw_isa::LW_ISA_AVX512,
        }
    }
}

/// The level of a number: C programs can pass any.
pub(crate) fn level(number: u32) -> Result<Isa, Failure> {
    let found = Isa::ALL.into_iter().find(|isa| lw_isa::from(*isa) as u32 == number);
    found.ok_or_else(|| {
        Failure::new(
            LW_ERROR_ISA_UNKNOWN,
            format!("{number} is no instruction-set level; use LW_ISA_SCALAR, _SSE42, _AVX2 or _AVX512"),
        )
    })
}

/// The highest level that functions without _with use.
#[unsafe(no_mangle)]
pub extern "C" fn lw_isa_best() -> lw_isa {
    Isa::best().into()
}

/// 1 if this processor can run the level, else 0.
#[unsafe(no_mangle)]
pub extern "C" fn lw_isa_is_available(isa: u32) -> i32 {
    level(isa).is_ok_and(Isa::is_available).into()
}

/// The level's name, as LOOPWRIGHT_ISA takes it; null for a number that is none.
#[unsafe(no_mangle)]
pub extern "C" fn lw_isa_name(isa: u32) -> *const c_char {
    match level(isa) {
        Ok(Isa::Scalar) => c"scalar".as_ptr(),
        Ok(Isa::Sse42) => c"sse42".as_ptr(),
        Ok(Isa::Avx2) => c"avx2".as_ptr(),
        Ok(Isa::Avx512) => c"avx512".as_ptr(),
        Err(_) => std::ptr::null(),
    }
}

/// The level that LOOPWRIGHT_ISA names is written to isa; without the variable, the best level. Fails when the value of
/// the variable is refused (lw_last_error() says why); *isa is the best level then, and it is the one that runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_isa_override(isa: *mut u32) -> lw_status {
    run(|| {
        // SAFETY: the caller passes a place for the level, or null.
        unsafe { put(isa, "isa", || Ok(lw_isa_best() as u32)) }?;
        kernels::isa::override_error().map_or(Ok(()), |error| Err(error.clone().into()))
    })
}

/// Whether a choice between ways to do the same work is measured when it is first needed: yes (1, the default), or made by figures
/// that were measured on other machines (0). Measuring takes some hundred microseconds once for each choice, at most 50 ms in a
/// process, and is kept in the user's cache folder. Choices that were made before this call stay. Results never depend on it.
#[unsafe(no_mangle)]
pub extern "C" fn lw_self_calibration(on: i32) -> lw_status {
    run(|| {
        kernels::tuning::self_calibration(on != 0);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn numbers_and_names_are_the_kernels() {
        for isa in Isa::ALL {
            let number = lw_isa::from(isa) as u32;
            assert_eq!(level(number).unwrap(), isa);
            assert_eq!(lw_isa_is_available(number), i32::from(isa.is_available()));
            // SAFETY: names are static.
            let name = unsafe { CStr::from_ptr(lw_isa_name(number)) };
            assert_eq!(name.to_str().unwrap(), isa.name());
        }
        assert!(level(4).is_err() && lw_isa_name(4).is_null() && lw_isa_is_available(4) == 0);
    }
}
