//! Names of mathematics functions, in the spellings that libraries use.
//!
//! glibc resolves `exp` to `__exp_fma`, `__exp_sse2` or `__ieee754_exp_fma` by the machine's features,
//! -ffast-math once called `__exp_finite`, and symbol versions follow an `@`. Vector versions
//! (`_ZGVdN4v_exp`, `Sleef_*`, `__svml_*`) are not scalar and are not named here.

/// Functions that glibc's libmvec has vector versions of (2.35 and later; the first six since 2.22).
const LIBMVEC: [&str; 27] = [
    "sin", "cos", "exp", "log", "pow", "sincos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh",
    "tanh", "asinh", "acosh", "atanh", "exp2", "exp10", "expm1", "log2", "log10", "log1p", "cbrt", "hypot",
    "erf", "erfc",
];

/// Functions without a vector version in libmvec.
const OTHERS: [&str; 8] = ["fmod", "tgamma", "lgamma", "remainder", "ldexp", "frexp", "j0", "y0"];

/// The same with the suffix of f32.
const SINGLE: [&str; 35] = [
    "sinf",
    "cosf",
    "expf",
    "logf",
    "powf",
    "sincosf",
    "tanf",
    "asinf",
    "acosf",
    "atanf",
    "atan2f",
    "sinhf",
    "coshf",
    "tanhf",
    "asinhf",
    "acoshf",
    "atanhf",
    "exp2f",
    "exp10f",
    "expm1f",
    "log2f",
    "log10f",
    "log1pf",
    "cbrtf",
    "hypotf",
    "erff",
    "erfcf",
    "fmodf",
    "tgammaf",
    "lgammaf",
    "remainderf",
    "ldexpf",
    "frexpf",
    "j0f",
    "y0f",
];

/// The plain name of a scalar mathematics function (`exp`, `sinf`), or nothing for any other name.
pub fn scalar_function(symbol: &str) -> Option<&'static str> {
    let name = symbol.split('@').next()?;
    let name = name.strip_prefix("std::").unwrap_or(name);
    let name = name.split('(').next()?;
    let name = name.strip_prefix("__").unwrap_or(name);
    let name = name.strip_prefix("ieee754_").unwrap_or(name);
    let suffixes = ["_finite", "_fma", "_fma4", "_avx", "_avx2", "_sse2", "_sse4_1", "_compat"];
    let name = suffixes.iter().find_map(|s| name.strip_suffix(s)).unwrap_or(name);
    let known = |list: &[&'static str]| list.iter().copied().find(|&n| n == name);
    known(&LIBMVEC).or_else(|| known(&OTHERS)).or_else(|| known(&SINGLE))
}

/// Whether libmvec has a vector version of this plain name.
pub fn in_libmvec(name: &str) -> bool {
    LIBMVEC.contains(&name) || name.strip_suffix('f').is_some_and(|n| LIBMVEC.contains(&n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_single_precision_names_are_the_double_ones_with_f() {
        for name in LIBMVEC.iter().chain(&OTHERS) {
            assert_eq!(
                scalar_function(&format!("{name}f")),
                SINGLE.iter().copied().find(|s| *s == format!("{name}f")),
                "{name}"
            );
            assert!(SINGLE.contains(&format!("{name}f").as_str()), "{name}");
        }
        assert_eq!(SINGLE.len(), LIBMVEC.len() + OTHERS.len());
    }

    #[test]
    fn spellings() {
        assert_eq!(scalar_function("__ieee754_exp_fma"), Some("exp"));
        assert_eq!(scalar_function("std::pow(double, double)"), Some("pow"));
        assert_eq!(scalar_function("_ZGVdN4v_sin"), None);
        assert!(in_libmvec("erff") && !in_libmvec("fmod"));
    }
}
