//! Where the functions of a module are entered from elsewhere, found by one sweep over all of its code.
//!
//! The sweep must see the whole module, however little of it will run, code that no symbol names included: a
//! function may be entered at whatever address is jumped to from other functions, taken by code or data, named by a
//! symbol, or listed in a table of another function's `switch` or in its exception table (GCC and BOLT split
//! functions into parts that share both).

use crate::module::{in_parallel, is_filling};
use crate::region;
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};
use loopwright_binary::facts::FunctionInfo;
use loopwright_binary::image::Image;
use std::collections::HashSet;

/// Addresses of a module at which code is entered from elsewhere.
#[derive(Debug)]
pub struct Entered {
    /// Targets of jumps from other functions, sorted.
    pub jumped: Vec<u64>,
    /// Addresses that code takes (or that other modules can), sorted.
    pub taken: Vec<u64>,
}

impl Entered {
    /// Also, by function, how many bytes a jump at its entry overwrites, where it fits.
    pub fn find(image: &Image, functions: &[FunctionInfo]) -> (Self, Vec<Start>) {
        let fixed = !image.facts().pie;
        let indices: Vec<usize> = (0..functions.len()).collect();
        let parts = in_parallel(&indices, |&k| sweep(image, functions, k, fixed));
        let (mut jumped, mut taken, mut tables) = (Vec::new(), Vec::new(), Vec::new());
        let mut starts = Vec::with_capacity(functions.len());
        for (k, part) in parts.into_iter().enumerate() {
            jumped.extend(part.jumped);
            taken.extend(part.taken);
            if part.indirect {
                tables.extend(part.data.into_iter().map(|at| (at, k)));
            }
            starts.push(Start { bytes: part.start, system_call: part.system_call });
        }
        for (start, end) in nameless(image, functions) {
            sweep_nameless(image, (start, end), &mut jumped, &mut taken);
        }
        jumped.extend(leading_elsewhere(image, functions, tables));
        for list in [&mut jumped, &mut taken] {
            list.sort_unstable();
            list.dedup();
        }
        (Self { jumped, taken }, starts)
    }

    /// Whether something may lead into the bytes that a jump at the function's entry overwrites, behind the first.
    pub fn may_enter_head(&self, image: &Image, function: &FunctionInfo, bytes: u8) -> bool {
        let (start, end) = (function.address + 1, function.address + u64::from(bytes).max(NEAR));
        let inside = |sorted: &[u64]| !within(sorted, start, end).is_empty();
        inside(&self.taken) || inside(image.code_symbols()) || !image.address_taken((start, end)).is_empty()
    }

    /// Whether code outside may enter the function elsewhere than at its entry.
    pub fn has_side_entries(&self, function: &FunctionInfo) -> bool {
        let main = (function.address, function.end);
        std::iter::once(&main).chain(&function.parts).any(|&(start, end)| {
            // Addresses that are only taken are labels of the function's own computed jumps.
            within(&self.jumped, start, end).iter().any(|a| *a != function.address)
        })
    }
}

/// Those of the sorted addresses that lie in `[start, end)`.
pub fn within(sorted: &[u64], start: u64, end: u64) -> &[u64] {
    let first = sorted.partition_point(|a| *a < start);
    let last = sorted.partition_point(|a| *a < end);
    sorted.get(first..last).unwrap_or(&[])
}

/// What the sweep found for arming.
pub struct Start {
    /// Bytes that a jump at the entry overwrites, if it fits.
    pub bytes: Option<u8>,
    /// A system call around which nothing may change.
    pub system_call: Option<&'static str>,
}

/// Functions that those in `from` may call, directly and not. Where a computed call is among them, that is every
/// function whose address is taken.
pub fn reach(
    image: &Image,
    functions: &[FunctionInfo],
    from: HashSet<usize>,
    entered: &Entered,
) -> HashSet<usize> {
    let fixed = !image.facts().pie;
    let mut reached = HashSet::new();
    let mut computed = false;
    let mut work: Vec<usize> = from.into_iter().collect();
    while let Some(index) = work.pop() {
        if !reached.insert(index) {
            continue;
        }
        let swept = sweep(image, functions, index, fixed);
        // Addresses that it takes may be called by what it hands them to.
        let named = swept.jumped.iter().chain(&swept.taken);
        work.extend(named.filter_map(|&a| image.function_at(a)));
        if swept.computed && !std::mem::replace(&mut computed, true) {
            let taken = |f: &FunctionInfo| {
                !within(&entered.taken, f.address, f.address + 1).is_empty()
                    || !image.address_taken((f.address, f.address + 1)).is_empty()
            };
            work.extend((0..functions.len()).filter(|&k| taken(&functions[k])));
        }
    }
    reached
}

/// What the bytes of one function tell, decoded one after the other.
#[derive(Default)]
struct Swept {
    /// Targets outside the function.
    jumped: Vec<u64>,
    /// Code addresses taken.
    taken: Vec<u64>,
    /// Bytes that a jump at the entry overwrites, if it fits.
    start: Option<u8>,
    /// A system call around which nothing may change.
    system_call: Option<&'static str>,
    /// It calls or jumps to what it computes.
    computed: bool,
    /// It jumps to what it computes.
    indirect: bool,
    /// Read-only data whose address it takes.
    data: Vec<u64>,
}

/// Bytes of a near jump.
const NEAR: u64 = 5;

/// Stretches of executable sections that belong to no function, linkage stubs apart.
fn nameless(image: &Image, functions: &[FunctionInfo]) -> Vec<(u64, u64)> {
    let own = |f: &FunctionInfo| std::iter::once((f.address, f.end)).chain(f.parts.clone());
    let mut named: Vec<(u64, u64)> = functions.iter().flat_map(own).collect();
    named.sort_unstable();
    let mut found = Vec::new();
    for (start, end) in image.code_stretches() {
        if image.section_at(start).is_some_and(|name| name.starts_with(".plt") || name == ".iplt") {
            continue;
        }
        let first = named.partition_point(|n| n.1 <= start);
        let mut at = start;
        for &(from, to) in named[first..].iter().take_while(|n| n.0 < end) {
            if at < from {
                found.push((at, from));
            }
            at = at.max(to);
        }
        if at < end {
            found.push((at, end));
        }
    }
    found
}

/// Where code leads that no symbol or unwind entry names.
fn sweep_nameless(image: &Image, range: (u64, u64), jumped: &mut Vec<u64>, taken: &mut Vec<u64>) {
    let Some(bytes) = image.code(range.0, range.1) else { return };
    let mut decoder = Decoder::with_ip(64, bytes, range.0, DecoderOptions::NONE);
    let mut i = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut i);
        if i.op0_kind() == OpKind::NearBranch64 {
            jumped.push(i.near_branch_target());
        } else if i.mnemonic() == Mnemonic::Lea && i.is_ip_rel_memory_operand() {
            taken.push(i.ip_rel_memory_address());
        }
    }
}

/// Places inside functions to which tables of other functions' `switch` lead. `tables` are the addresses at which
/// they may begin, each with the function that takes it; each ends where another begins or an entry leads to no code.
fn leading_elsewhere(image: &Image, functions: &[FunctionInfo], mut tables: Vec<(u64, usize)>) -> Vec<u64> {
    /// Larger tables are not written by compilers.
    const MOST: u64 = 1 << 16;
    tables.sort_unstable();
    tables.dedup();
    let mut found = Vec::new();
    // Text that thousands of functions mention is looked at once.
    let begins: Vec<&[(u64, usize)]> = tables.chunk_by(|a, b| a.0 == b.0).collect();
    for (k, &takers) in begins.iter().enumerate() {
        let table = takers[0].0;
        let next = begins.get(k + 1).map_or(u64::MAX, |t| t[0].0);
        for n in 0..MOST {
            let at = table + 4 * n;
            if at + 4 > next {
                break;
            }
            let Some(Ok(word)) = image.data(at, 4).map(<[u8; 4]>::try_from) else { break };
            let target = table.wrapping_add_signed(i64::from(i32::from_le_bytes(word)));
            let Some(function) = image.function_at(target) else { break };
            if functions[function].address != target && takers.iter().any(|t| t.1 != function) {
                found.push(target);
            }
        }
    }
    found
}
/// Data among the code yields chance finds, which cost a jump too many at worst.
fn sweep(image: &Image, functions: &[FunctionInfo], index: usize, fixed: bool) -> Swept {
    let function = &functions[index];
    let mut out = Swept::default();
    let ranges = || std::iter::once((function.address, function.end)).chain(function.parts.iter().copied());
    let inside = |a: u64| ranges().any(|r| r.0 <= a && a < r.1);
    let is_code = |a: u64| a.checked_add(1).is_some_and(|end| image.code(a, end).is_some());
    // Whole instructions from the entry on, until the jump fits.
    let mut head = Some(0u64);
    let mut head_done = false;
    let mut number = None;
    let mut i = Instruction::default();
    for (start, end) in ranges() {
        let Some(bytes) = image.code(start, end) else { continue };
        if returns_from_signal(bytes) {
            out.system_call = Some("rt_sigreturn");
        }
        let mut decoder = Decoder::with_ip(64, bytes, start, DecoderOptions::NONE);
        while decoder.can_decode() {
            decoder.decode_out(&mut i);
            if start == function.address && !head_done {
                let flow = i.flow_control();
                let calls = matches!(flow, FlowControl::Call | FlowControl::IndirectCall);
                if i.is_invalid() || calls || flow == FlowControl::Exception {
                    (head, head_done) = (None, true);
                } else {
                    let length = i.next_ip() - start;
                    head = Some(length);
                    let ends = matches!(
                        flow,
                        FlowControl::Return | FlowControl::UnconditionalBranch | FlowControl::IndirectBranch
                    );
                    head_done = length >= NEAR || ends;
                }
            }
            number = region::system_call_number(&i, number);
            if i.mnemonic() == Mnemonic::Syscall {
                out.system_call = out.system_call.or(region::fixed_system_call(number));
            }
            out.computed |= match i.flow_control() {
                FlowControl::IndirectCall => {
                    !i.is_ip_rel_memory_operand()
                        || image.linkage_name_at(i.ip_rel_memory_address()).is_none()
                }
                FlowControl::IndirectBranch => true,
                _ => false,
            };
            out.indirect |= i.flow_control() == FlowControl::IndirectBranch && !i.is_ip_rel_memory_operand();
            match i.flow_control() {
                // A call may enter in the middle, too: hand-written code, linkage stubs.
                FlowControl::ConditionalBranch
                | FlowControl::UnconditionalBranch
                | FlowControl::XbeginXabortXend
                | FlowControl::Call
                    if i.op0_kind() == OpKind::NearBranch64 =>
                {
                    let target = i.near_branch_target();
                    if !inside(target) {
                        out.jumped.push(target);
                    } else if target > function.address && target - function.address < NEAR {
                        head = None;
                    }
                }
                FlowControl::Next if i.mnemonic() == Mnemonic::Lea && i.is_ip_rel_memory_operand() => {
                    let a = i.ip_rel_memory_address();
                    if is_code(a) {
                        out.taken.push(a);
                    } else if image.is_read_only(a) {
                        out.data.push(a);
                    }
                }
                FlowControl::Next if fixed => {
                    for k in 0..i.op_count() {
                        if matches!(i.op_kind(k), OpKind::Immediate32 | OpKind::Immediate32to64)
                            && is_code(i.immediate(k))
                        {
                            out.taken.push(i.immediate(k));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    // Parts that were split off handle exceptions of the rest.
    out.jumped.extend(image.landing_pads(index).into_iter().filter(|&pad| !inside(pad)));
    // A function shorter than the jump needs padding behind it.
    let fits = |length: u64| {
        let stop = function.address + NEAR;
        let next = functions.get(index + 1).is_none_or(|f| f.address >= stop);
        let free = || image.function_at(stop - 1).is_none_or(|f| f == index);
        let end = function.address + length;
        length >= NEAR || next && free() && is_filling(image, end, stop, &HashSet::new())
    };
    out.start = head.filter(|&length| head_done && fits(length)).and_then(|n| u8::try_from(n).ok());
    out
}

/// The return from signal handlers, which unwinders know by its bytes. Its unwind entry begins a byte
/// before its code, so that decoding from there misses it.
fn returns_from_signal(bytes: &[u8]) -> bool {
    /// `mov rax, 15; syscall`.
    const CODE: [u8; 9] = [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05];
    const LONGEST: usize = 32;
    bytes.len() <= LONGEST && bytes.windows(CODE.len()).any(|w| w == CODE)
}
