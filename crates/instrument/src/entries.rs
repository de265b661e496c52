//! Where the functions of a module are entered from elsewhere, found by one sweep over all of its code.
//!
//! The sweep must cover the whole module, however little of it will run, including code that no symbol names:
//! a function may be entered at any address that is jumped to from other functions, taken by code or data,
//! named by a symbol, or listed in a table of another function's `switch` or in its exception table (GCC and
//! BOLT split functions into parts that share both).

use crate::module::{in_parallel, is_filling};
use crate::reason::{Doubt, SystemCall};
use crate::region;
use crate::shape;
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

/// The results of one sweep over all code of a module.
#[derive(Debug)]
pub struct Sweep {
    /// Where its code is entered from elsewhere.
    pub entered: Entered,
    /// By function, in the order of the image's list.
    pub functions: Vec<Swept>,
    /// Contradictions in its tables.
    pub doubts: Vec<Option<Doubt>>,
}

impl Sweep {
    /// Sweeps all functions of a file.
    pub fn new(image: &Image) -> Self {
        let functions = image.unnamed_functions();
        let (entered, swept) = Entered::find(image, functions);
        Self { entered, functions: swept, doubts: shape::doubts(image, functions) }
    }
}

impl Entered {
    fn find(image: &Image, functions: &[FunctionInfo]) -> (Self, Vec<Swept>) {
        let indices: Vec<usize> = (0..functions.len()).collect();
        let swept = in_parallel(&indices, |&k| sweep(image, functions, k));
        let unnamed = in_parallel(&nameless(image, functions), |&range| sweep_nameless(image, range));
        let (mut jumped, mut taken, mut tables) = (Vec::new(), Vec::new(), Vec::new());
        let named = swept.iter().enumerate().map(|(k, part)| (Some(k), part));
        for (k, Swept { leads, indirect, .. }) in named.chain(unnamed.iter().map(|part| (None, part))) {
            jumped.extend_from_slice(&leads.jumped);
            taken.extend_from_slice(&leads.taken);
            if *indirect {
                tables.extend(leads.data.iter().map(|&at| (at, k)));
            }
        }
        jumped.extend(leading_elsewhere(image, functions, tables));
        for list in [&mut jumped, &mut taken] {
            list.sort_unstable();
            list.dedup();
        }
        (Self { jumped, taken }, swept)
    }

    /// Whether control may enter the bytes that a jump at the function's entry overwrites, after the first.
    pub fn may_enter_head(&self, image: &Image, function: &FunctionInfo, bytes: u8) -> bool {
        let (start, end) = (function.address + 1, function.address + u64::from(bytes).max(NEAR));
        let inside = |sorted: &[u64]| !within(sorted, start, end).is_empty();
        inside(&self.taken) || inside(image.code_symbols()) || !image.address_taken((start, end)).is_empty()
    }

    /// Whether code outside may enter the function elsewhere than at its entry.
    pub fn has_side_entries(&self, function: &FunctionInfo) -> bool {
        function.spans().any(|(start, end)| {
            // Addresses that are only taken are labels of the function's own computed jumps.
            within(&self.jumped, start, end).iter().any(|a| *a != function.address)
        })
    }
}

/// Those of the sorted addresses that are in `[start, end)`.
pub fn within(sorted: &[u64], start: u64, end: u64) -> &[u64] {
    let first = sorted.partition_point(|a| *a < start);
    let last = sorted.partition_point(|a| *a < end);
    sorted.get(first..last).unwrap_or(&[])
}

/// Functions that those in `from` may call, directly and not. After a computed call, that is every function
/// whose address is taken.
pub fn reach(
    image: &Image,
    functions: &[FunctionInfo],
    from: HashSet<usize>,
    entered: &Entered,
    swept: &[Swept],
) -> HashSet<usize> {
    let mut reached = HashSet::new();
    let mut computed = false;
    let mut work: Vec<usize> = from.into_iter().collect();
    while let Some(index) = work.pop() {
        if !reached.insert(index) {
            continue;
        }
        let Swept { leads, computed: calls_computed, .. } = &swept[index];
        // Addresses that it takes may be called by functions that it passes them to.
        let named = leads.jumped.iter().chain(&leads.taken);
        work.extend(named.filter_map(|&a| image.function_at(a)));
        if *calls_computed && !std::mem::replace(&mut computed, true) {
            let taken = |f: &FunctionInfo| {
                !within(&entered.taken, f.address, f.address + 1).is_empty()
                    || !image.address_taken((f.address, f.address + 1)).is_empty()
            };
            work.extend((0..functions.len()).filter(|&k| taken(&functions[k])));
        }
    }
    reached
}

/// The results of decoding the bytes of one function, or of code without a name, one after the other.
#[derive(Debug, Default)]
pub struct Swept {
    /// Bytes that a jump at the entry overwrites, if it fits.
    pub head: Option<u8>,
    /// Its system call, if it must not be moved.
    pub system_call: Option<SystemCall>,
    leads: Leads,
    /// It calls or jumps to a computed address.
    computed: bool,
    /// It jumps to a computed address.
    indirect: bool,
}

/// Targets of instructions, and addresses that they take.
#[derive(Debug, Default)]
struct Leads {
    /// Targets of branches.
    jumped: Vec<u64>,
    /// Code whose address is taken.
    taken: Vec<u64>,
    /// Read-only data whose address is taken.
    data: Vec<u64>,
}

impl Leads {
    /// Adds an instruction; branches to addresses for which `inside` holds are not counted.
    fn add(&mut self, image: &Image, i: &Instruction, inside: impl Fn(u64) -> bool) {
        let is_code = |a: u64| a.checked_add(1).is_some_and(|end| image.code(a, end).is_some());
        if let Some(target) = branches_to(i) {
            if !inside(target) {
                self.jumped.push(target);
            }
        } else if i.mnemonic() == Mnemonic::Lea && i.is_ip_rel_memory_operand() {
            let a = i.ip_rel_memory_address();
            if is_code(a) {
                self.taken.push(a);
            } else if image.is_read_only(a) {
                self.data.push(a);
            }
        } else if !image.facts().pie && i.flow_control() == FlowControl::Next {
            let immediate = |&k: &u32| matches!(i.op_kind(k), OpKind::Immediate32 | OpKind::Immediate32to64);
            let named = (0..i.op_count()).filter(immediate).map(|k| i.immediate(k));
            self.taken.extend(named.filter(|&a| is_code(a)));
        }
    }
}

/// The target that a branch names. A call may enter in the middle, too: hand-written code, linkage stubs.
fn branches_to(i: &Instruction) -> Option<u64> {
    (i.op0_kind() == OpKind::NearBranch64).then(|| i.near_branch_target())
}

/// Bytes of a near jump.
const NEAR: u64 = 5;

/// Stretches of executable sections that belong to no function, except linkage stubs.
fn nameless(image: &Image, functions: &[FunctionInfo]) -> Vec<(u64, u64)> {
    let mut named: Vec<(u64, u64)> = functions.iter().flat_map(FunctionInfo::spans).collect();
    named.sort_unstable();
    let mut found = Vec::new();
    for (start, end) in image.code_stretches() {
        if image.is_linkage_stub(start) {
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

/// The results for code that no symbol or unwind entry names.
fn sweep_nameless(image: &Image, (start, end): (u64, u64)) -> Swept {
    let mut out = Swept::default();
    let Some(bytes) = image.code(start, end) else { return out };
    let mut decoder = Decoder::with_ip(64, bytes, start, DecoderOptions::NONE);
    let mut i = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut i);
        out.indirect |= jumps_to_computed(&i);
        out.leads.add(image, &i, |_| false);
    }
    out
}

/// Whether an instruction jumps to a computed address; a slot that the loader fills is not a table.
fn jumps_to_computed(i: &Instruction) -> bool {
    i.flow_control() == FlowControl::IndirectBranch && !i.is_ip_rel_memory_operand()
}

/// Places inside functions to which tables of other functions' `switch` lead. `tables` are the addresses at
/// which they may begin, each with the function that takes it (none for code without a name); each ends where
/// another begins or an entry leads to no code.
fn leading_elsewhere(
    image: &Image,
    functions: &[FunctionInfo],
    mut tables: Vec<(u64, Option<usize>)>,
) -> Vec<u64> {
    /// Most entries of a table: compilers write no larger ones.
    const MOST: u64 = 1 << 16;
    tables.sort_unstable();
    tables.dedup();
    let mut found = Vec::new();
    // Text that thousands of functions mention is examined once.
    let begins: Vec<&[(u64, Option<usize>)]> = tables.chunk_by(|a, b| a.0 == b.0).collect();
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
            if functions[function].address != target && takers.iter().any(|t| t.1 != Some(function)) {
                found.push(target);
            }
        }
    }
    found
}

/// The results for one function. Data in the code yields chance results, which cost at worst an unneeded jump.
fn sweep(image: &Image, functions: &[FunctionInfo], index: usize) -> Swept {
    let function = &functions[index];
    let mut out = Swept::default();
    let inside = |a: u64| function.spans().any(|r| r.0 <= a && a < r.1);
    // Whole instructions from the entry on, until the jump fits.
    let mut head = Some(0u64);
    let mut head_done = false;
    // A jump of the function itself leads past the first of those bytes.
    let mut head_entered = false;
    let mut number = None;
    let mut i = Instruction::default();
    for (start, end) in function.spans() {
        let Some(bytes) = image.code(start, end) else { continue };
        if returns_from_signal(bytes) {
            out.system_call = Some(SystemCall::RtSigreturn);
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
            out.indirect |= jumps_to_computed(&i);
            if branches_to(&i).is_some_and(|a| function.address < a && a < function.address + NEAR) {
                head_entered = true;
            }
            out.leads.add(image, &i, inside);
        }
    }
    // Parts that were split off handle exceptions of the rest.
    out.leads.jumped.extend(image.landing_pads(index).into_iter().filter(|&pad| !inside(pad)));
    // A function shorter than the jump needs padding after it.
    let fits = |length: u64| {
        let stop = function.address + NEAR;
        let next = functions.get(index + 1).is_none_or(|f| f.address >= stop);
        let free = || image.function_at(stop - 1).is_none_or(|f| f == index);
        let end = function.address + length;
        length >= NEAR || next && free() && is_filling(image, end, stop, &HashSet::new())
    };
    out.head =
        head.filter(|&length| head_done && !head_entered && fits(length)).and_then(|n| u8::try_from(n).ok());
    out
}

/// The return from signal handlers, which unwinders recognise by its bytes. Its unwind entry begins a byte
/// before its code, so that decoding from there misses it.
fn returns_from_signal(bytes: &[u8]) -> bool {
    /// `mov rax, 15; syscall`.
    const CODE: [u8; 9] = [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05];
    const LONGEST: usize = 32;
    bytes.len() <= LONGEST && bytes.windows(CODE.len()).any(|w| w == CODE)
}
