//! Which calls do not return.
//!
//! A call that does not return ends its block; if it were taken for one that does, the code after it, which
//! belongs to another path, would seem reachable from it and could close cycles that do not exist. Two
//! sources of evidence: names of functions that the language standards and run-time libraries declare
//! `noreturn`, and, for functions in the same file, the absence of any way out.

use super::marks::Bits;
use super::memo::{Call, Callee, DEPTH, Returns};
use super::reader::{Reader, contains, disjoint};
use super::source::CodeSource;
use iced_x86::{FlowControl, Instruction, OpKind};

/// Declared `noreturn` in C11, POSIX, the Itanium C++ ABI, libstdc++, glibc, libgfortran and Rust's core.
const NAMES: &[&str] = &[
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "pthread_exit",
    "thrd_exit",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "__assert_fail",
    "__assert_perror_fail",
    "__assert",
    "__stack_chk_fail",
    "__fortify_fail",
    "__chk_fail",
    "__libc_fatal",
    "__libc_start_main",
    "err",
    "errx",
    "verr",
    "verrx",
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_bad_cast",
    "__cxa_bad_typeid",
    "__cxa_call_unexpected",
    "__cxa_call_terminate",
    "__cxa_pure_virtual",
    "__cxa_throw_bad_array_new_length",
    "__clang_call_terminate",
    "_Unwind_Resume",
    "_ZSt9terminatev",
    "std::terminate",
    "std::terminate()",
    "_gfortran_runtime_error",
    "_gfortran_runtime_error_at",
    "_gfortran_os_error",
    "_gfortran_os_error_at",
    "_gfortran_stop_numeric",
    "_gfortran_stop_string",
    "_gfortran_error_stop_numeric",
    "_gfortran_error_stop_string",
    "__rust_start_panic",
    "rust_panic",
    "rust_begin_unwind",
    "__rust_alloc_error_handler",
];

/// Beginnings of names of the same kind.
const PREFIXES: &[&str] = &[
    "_ZSt17__throw_",
    "_ZSt16__throw_",
    "_ZSt20__throw_",
    "_ZSt24__throw_",
    "_ZSt19__throw_",
    "_ZSt18__throw_",
    "_ZSt21__throw_",
    "_ZSt25__throw_",
    "_ZSt28__throw_",
    "std::__throw_",
    "core::panicking::",
    "std::panicking::begin_panic",
    "core::option::unwrap_failed",
    "core::option::expect_failed",
    "core::result::unwrap_failed",
    "core::slice::index::slice_",
    "core::str::slice_error_fail",
    "alloc::raw_vec::handle_error",
    "alloc::raw_vec::capacity_overflow",
    "alloc::alloc::handle_alloc_error",
];

/// Parts of mangled names whose demangled form is one of those above.
const MANGLED: &[&str] = &[
    "__throw_",
    "terminate",
    "panicking",
    "unwrap_failed",
    "expect_failed",
    "slice_",
    "handle_error",
    "capacity_overflow",
    "handle_alloc_error",
];

/// Instructions of a callee that are examined before it is assumed to return.
const SCAN: usize = 300;

impl Call {
    fn of(call: &Instruction) -> Option<Self> {
        match call.op0_kind() {
            OpKind::NearBranch64 => Some(Self::Direct(call.near_branch_target())),
            OpKind::Memory if call.is_ip_rel_memory_operand() => {
                Some(Self::Through(call.ip_rel_memory_address()))
            }
            _ => None,
        }
    }

    fn address(self) -> u64 {
        let (Self::Direct(address) | Self::Through(address)) = self;
        address
    }
}

impl Returns {
    /// Whether control comes back from `call`.
    pub fn call_returns(&self, source: &dyn CodeSource, call: &Instruction) -> bool {
        Call::of(call).is_none_or(|call| self.returns(source, call, DEPTH))
    }

    fn returns(&self, source: &dyn CodeSource, call: Call, depth: usize) -> bool {
        let address = call.address();
        let answer = self.locked().get(&address).and_then(|c| *c.answers.get(depth)?);
        if let Some(answer) = answer {
            return answer;
        }
        let callee = self.callee(source, call);
        if let Some(answer) = callee.answers.get(depth).copied().flatten() {
            return answer;
        }
        let inner = |call: Call| depth == 0 || self.returns(source, call, depth - 1);
        // A way out that is open if all calls return is open if the calls on it do.
        let answer = callee.passed.iter().all(|c| inner(*c)) || has_way_out(source, address, inner);
        if let Some(known) = self.locked().get_mut(&address).and_then(|c| c.answers.get_mut(depth)) {
            *known = Some(answer);
        }
        answer
    }

    /// What is known of a callee from its name and one scan of its code.
    fn callee(&self, source: &dyn CodeSource, call: Call) -> Callee {
        let address = call.address();
        if let Some(callee) = self.locked().get(&address) {
            return callee.clone();
        }
        let whatever_the_depth = |answer| [Some(answer); DEPTH + 1];
        let mut passed = Vec::new();
        let answers = match call {
            _ if is_named(source, address) => whatever_the_depth(false),
            Call::Through(_) => whatever_the_depth(true),
            Call::Direct(entry) => {
                let all_return = |call| {
                    passed.push(call);
                    true
                };
                // The fewer calls return, the fewer ways are open.
                if has_way_out(source, entry, all_return) {
                    let mut answers = [None; DEPTH + 1];
                    answers[0] = Some(true);
                    answers
                } else {
                    whatever_the_depth(false)
                }
            }
        };
        self.locked().entry(address).or_insert(Callee { answers, passed: passed.into() }).clone()
    }
}

/// Looks for a return or a jump out of the function that starts at `entry`; `returns` answers whether control
/// comes back from a call in it.
fn has_way_out(source: &dyn CodeSource, entry: u64, mut returns: impl FnMut(Call) -> bool) -> bool {
    let spans = source.spans_at(entry);
    if spans.first().is_none_or(|main| main.0 != entry) {
        return true;
    }
    let ranges = disjoint(spans);
    let mut reader = Reader::new(source, &ranges);
    let mut seen = Bits::new(reader.areas.bytes());
    let mut count = 0;
    let mut work = vec![entry];
    while let Some(start) = work.pop() {
        let Some((decoder, first_bit)) = reader.seek(start) else { return true };
        loop {
            if !decoder.can_decode() {
                // On into another range, or out of the function.
                work.push(decoder.ip());
                break;
            }
            let bit = first_bit + decoder.position();
            if seen.get(bit) {
                break;
            }
            seen.set(bit);
            count += 1;
            let instruction = decoder.decode();
            if count > SCAN || instruction.is_invalid() {
                return true;
            }
            match instruction.flow_control() {
                FlowControl::Next => {}
                FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
                    if instruction.op0_kind() != OpKind::NearBranch64 {
                        return true;
                    }
                    let target = instruction.near_branch_target();
                    if contains(&ranges, target) && target != entry {
                        work.push(target);
                    } else if !is_named(source, target) {
                        // A tail call returns to our caller if its target returns.
                        return true;
                    }
                    if instruction.flow_control() == FlowControl::UnconditionalBranch {
                        break;
                    }
                }
                FlowControl::Call | FlowControl::IndirectCall => {
                    if !Call::of(&instruction).is_none_or(&mut returns) {
                        break;
                    }
                }
                FlowControl::Exception => break,
                _ => return true,
            }
        }
    }
    false
}

/// Whether the function that `address` leads to is declared never to return.
fn is_named(source: &dyn CodeSource, address: u64) -> bool {
    let Some(linkage) = source.linkage_name_at(address) else { return false };
    // Demangling takes long, and for nearly all names their parts decide.
    let starts = |list: &[&str]| list.iter().any(|name| linkage.starts_with(name));
    let mangled = linkage.starts_with('_') && MANGLED.iter().any(|part| linkage.contains(part));
    (mangled || starts(NAMES) || starts(PREFIXES))
        && source.name_at(address).is_some_and(|name| never_returns(&name))
}

fn never_returns(name: &str) -> bool {
    let name = name.split('@').next().unwrap_or(name);
    NAMES.contains(&name) || PREFIXES.iter().any(|p| name.starts_with(p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions};

    /// Functions 16 bytes apart: the first traps, each other one calls the one before and returns.
    struct Chain(Vec<u8>);

    const BASE: u64 = 0x1000;
    const FUNCTIONS: u64 = 6;

    impl Chain {
        fn new() -> Self {
            let mut code = vec![0x0f, 0x0b];
            for k in 1..FUNCTIONS as usize {
                code.resize(16 * k, 0xcc);
                code.push(0xe8);
                code.extend((-21i32).to_le_bytes());
                code.push(0xc3);
            }
            Self(code)
        }
    }

    impl CodeSource for Chain {
        fn code(&self, start: u64, end: u64) -> Option<&[u8]> {
            self.0.get(start.checked_sub(BASE)? as usize..end.checked_sub(BASE)? as usize)
        }
        fn data(&self, _: u64, _: usize) -> Option<&[u8]> {
            None
        }
        fn is_read_only(&self, _: u64) -> bool {
            true
        }
        fn spans_at(&self, address: u64) -> Vec<(u64, u64)> {
            let start = address & !15;
            vec![(start, (start + 16).min(BASE + self.0.len() as u64))]
        }
    }

    fn call_of(function: u64) -> Instruction {
        let mut code = vec![0xe8];
        code.extend((16 * function as i32 - 5).to_le_bytes());
        Decoder::with_ip(64, &code, BASE, DecoderOptions::NONE).decode()
    }

    #[test]
    fn answers_do_not_depend_on_the_order_of_questions() {
        let source = Chain::new();
        // The trap, and the callers from which it is seen two calls deep.
        let expected = |k: u64| k > DEPTH as u64;
        let n = FUNCTIONS;
        for first in 0..n {
            for step in [1, n - 1] {
                let returns = Returns::default();
                for k in (0..n).map(|i| (first + i * step) % n) {
                    assert_eq!(returns.call_returns(&source, &call_of(k)), expected(k), "{k} after {first}");
                }
            }
        }
    }

    #[test]
    fn names_are_told_by_their_mangled_form() {
        struct Named(&'static str, &'static str);
        impl CodeSource for Named {
            fn code(&self, _: u64, _: u64) -> Option<&[u8]> {
                None
            }
            fn data(&self, _: u64, _: usize) -> Option<&[u8]> {
                None
            }
            fn is_read_only(&self, _: u64) -> bool {
                true
            }
            fn name_at(&self, _: u64) -> Option<String> {
                Some(self.1.to_owned())
            }
            fn linkage_name_at(&self, _: u64) -> Option<std::borrow::Cow<'_, str>> {
                Some(self.0.into())
            }
        }
        for (linkage, name, never) in [
            ("abort", "abort", true),
            ("exit@@GLIBC_2.2.5", "exit", true),
            ("_ZSt9terminatev", "std::terminate()", true),
            ("_ZSt16__throw_bad_castv", "std::__throw_bad_cast()", true),
            ("_ZN4core9panicking5panic17h0123456789abcdefE", "core::panicking::panic", true),
            ("_RNvNtCs1234_4core6option13unwrap_failed", "core::option::unwrap_failed", true),
            ("_ZN3app9terminateEv", "app::terminate()", false),
            ("exit_code", "exit_code", false),
            ("_Z3addii", "add(int, int)", false),
        ] {
            assert_eq!(is_named(&Named(linkage, name), 0), never, "{linkage}");
            // Where only the demangled name is known.
            assert_eq!(is_named(&Named(name, name), 0), never, "{name}");
        }
    }
}
