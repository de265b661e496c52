//! Which calls do not return.
//!
//! A call that does not return ends its block; taken for one that does, the code behind it, which
//! belongs to another path, would seem reachable from it and could close cycles that do not exist.
//! Two sources of evidence: names of functions that the language standards and run-time libraries
//! declare `noreturn`, and, for functions in the same file, the absence of any way out.

use super::decode::instruction_at;
use super::source::CodeSource;
use iced_x86::{FlowControl, Instruction, OpKind};
use std::collections::{HashMap, HashSet};

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

/// Instructions of a callee that are looked at before it is believed to return.
const SCAN: usize = 300;

/// How deep calls within callees are followed.
const DEPTH: u32 = 2;

/// Remembers what is known of callees.
#[derive(Debug, Default)]
pub struct Returns {
    known: HashMap<u64, bool>,
}

impl Returns {
    /// Whether control comes back from `call`.
    pub fn call_returns(&mut self, source: &dyn CodeSource, call: &Instruction) -> bool {
        self.returns(source, call, DEPTH)
    }

    fn returns(&mut self, source: &dyn CodeSource, call: &Instruction, depth: u32) -> bool {
        let target = match call.op0_kind() {
            OpKind::NearBranch64 => call.near_branch_target(),
            // `call [rip + got]`, as of `-fno-plt`.
            OpKind::Memory if call.is_ip_rel_memory_operand() => call.ip_rel_memory_address(),
            _ => return true,
        };
        if let Some(&known) = self.known.get(&target) {
            return known;
        }
        // A function that calls itself is taken to return.
        self.known.insert(target, true);
        let answer = match source.name_at(target) {
            Some(name) if never_returns(&name) => false,
            _ if call.op0_kind() == OpKind::NearBranch64 => self.has_way_out(source, target, depth),
            _ => true,
        };
        self.known.insert(target, answer);
        answer
    }

    /// Looks for a return or a jump out of the function that starts at `entry`.
    fn has_way_out(&mut self, source: &dyn CodeSource, entry: u64, depth: u32) -> bool {
        let Some(function) = source.function_at(entry).filter(|f| f.address == entry) else { return true };
        let inside = |a: u64| {
            function.address <= a && a < function.end || function.parts.iter().any(|p| p.0 <= a && a < p.1)
        };
        let end_of = |a: u64| {
            let part = function.parts.iter().find(|p| p.0 <= a && a < p.1);
            part.map_or(function.end, |p| p.1)
        };
        let mut seen = HashSet::new();
        let mut work = vec![entry];
        while let Some(address) = work.pop() {
            if !inside(address) {
                return true;
            }
            if !seen.insert(address) {
                continue;
            }
            if seen.len() > SCAN {
                return true;
            }
            let Some(instruction) = instruction_at(source, address, end_of(address)) else { return true };
            match instruction.flow_control() {
                FlowControl::Next => work.push(instruction.next_ip()),
                FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
                    if instruction.op0_kind() != OpKind::NearBranch64 {
                        return true;
                    }
                    let target = instruction.near_branch_target();
                    // A tail call returns to our caller if its target returns.
                    if !inside(target) || target == entry {
                        let ends = source.name_at(target).is_some_and(|n| never_returns(&n));
                        if !ends {
                            return true;
                        }
                    } else {
                        work.push(target);
                    }
                    if instruction.flow_control() == FlowControl::ConditionalBranch {
                        work.push(instruction.next_ip());
                    }
                }
                FlowControl::Call | FlowControl::IndirectCall => {
                    if depth == 0 || self.returns(source, &instruction, depth - 1) {
                        work.push(instruction.next_ip());
                    }
                }
                FlowControl::Exception => {}
                _ => return true,
            }
        }
        false
    }
}

fn never_returns(name: &str) -> bool {
    let name = name.split('@').next().unwrap_or(name);
    NAMES.contains(&name) || PREFIXES.iter().any(|p| name.starts_with(p))
}
