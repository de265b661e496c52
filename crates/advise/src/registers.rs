//! Names of registers: where the source's name of a value is not known, facts name the register that holds it.

/// Whether this is the name of a general or vector register of x86-64. Variables may have such a name (`dx`); they are then
/// named by their line, too, which is no false statement.
pub fn is_register(name: &str) -> bool {
    let numbered =
        |rest: &str| !rest.is_empty() && rest.len() <= 2 && rest.bytes().all(|b| b.is_ascii_digit());
    let vector = ["xmm", "ymm", "zmm", "mm"].iter().any(|kind| name.strip_prefix(kind).is_some_and(numbered));
    let added = || {
        let rest = name.strip_prefix('r')?;
        let number = rest.strip_suffix(['b', 'w', 'd', 'l']).unwrap_or(rest);
        number.parse::<u32>().ok().filter(|n| (8..16).contains(n) && numbered(number))
    };
    let word = name.strip_prefix(['r', 'e']).unwrap_or(name);
    let general = ["ax", "bx", "cx", "dx", "si", "di", "bp", "sp"].contains(&word);
    let byte = ["al", "bl", "cl", "dl", "ah", "bh", "ch", "dh", "sil", "dil", "bpl", "spl"].contains(&name);
    vector || general || byte || added().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_no_variables() {
        for name in ["edx", "rax", "r8", "r14d", "r9b", "sil", "al", "xmm0", "zmm25", "ebp", "di"] {
            assert!(is_register(name), "{name}");
        }
        for name in ["rho", "r", "r2", "r16", "rest", "wet", "sum", "exp", "xmm", "mm", "t", "radius", ""] {
            assert!(!is_register(name), "{name}");
        }
    }
}
