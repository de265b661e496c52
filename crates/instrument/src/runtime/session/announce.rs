//! Hooks by which the program announces events that the tool cannot see after it has detached: libraries that
//! its loader opens, programs that it executes, and code that it is about to write to.

use super::Session;
use crate::obstacle::Obstacle;
use crate::runtime::askers::Asked;
use crate::runtime::cache::{EXECUTABLE, Mapper, map_near};
use crate::runtime::control::Request;
use crate::runtime::instance::Instance;
use crate::runtime::process::{Mapping, is_loader, modules_of};
use crate::runtime::stubs;
use crate::runtime::tracee::Memory;
use crate::warning::Warning;
use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, IcedError, Instruction, Mnemonic};
use memchr::memmem;
use std::io;
use std::path::Path;

/// Bytes for one routine, or for the table of code whose changes must be announced.
const ROOM: u64 = 1024;
/// Most rooms that a module needs: a routine that makes requests and one that hooks the loader's notice; two
/// and one for `execve`; one for each way to seccomp; one that makes requests, the table, and one for each
/// function that changes protection.
const ROOMS: u64 = 2 + 3 + 2 + 4;

/// First argument of `prctl` by which a thread puts itself under seccomp (`PR_SET_SECCOMP`).
const SECCOMP_BY_PRCTL: &[i32] = &[libc::PR_SET_SECCOMP];
/// System calls that can put a thread under seccomp: `seccomp` and `prctl`.
const SECCOMP_BY_NUMBER: &[i32] = &[libc::SYS_seccomp as i32, libc::SYS_prctl as i32];

impl Session {
    /// Installs the hooks for libraries opened later and for programs executed.
    pub(super) fn hook(
        &mut self,
        process: i32,
        image: u32,
        maps: &[Mapping],
        mapper: &dyn Mapper,
        memory: &Memory,
    ) {
        let dynamic = maps.iter().any(|m| is_loader(&m.path));
        for (path, low, high) in modules_of(maps) {
            self.look_for_system_calls(&path, dynamic);
            let name = path.rsplit('/').next().unwrap_or("");
            let is_program = self.images.get(image as usize).is_some_and(|i| i.program == path);
            let libc = name.starts_with("libc.so") || name.starts_with("libc-2");
            if !is_loader(&path) && !libc && !is_program {
                continue;
            }
            if let Err(why) = self.hook_module(&path, (low, high), image, maps, mapper, memory) {
                self.warn_of(process, Warning::NotHooked { module: path, why });
            }
        }
        self.watch(image, memory);
    }

    /// Code with system calls of its own may put a thread under seccomp without being seen.
    fn look_for_system_calls(&mut self, path: &str, dynamic: bool) {
        let name = path.rsplit('/').next().unwrap_or("");
        // Those of the C library and its loader are wrapped by functions that are hooked.
        let known = is_loader(path) || name.starts_with("libc.so") || name.starts_with("libc-2");
        if known || self.shared.control.is_in_doubt() || !self.searched.insert(path.to_owned()) {
            return;
        }
        // Mapped, not read: of most files most pages are in memory already.
        let doubtful = match self.files.code(Path::new(path)) {
            Ok(file) => names_seccomp(file.bytes(), dynamic),
            Err(_) => std::fs::read(path).is_ok_and(|code| names_seccomp(&code, dynamic)),
        };
        if doubtful {
            self.shared.control.doubt();
        }
    }

    /// Writes the table of instrumented code for the `mprotect` hooks of a process.
    pub(super) fn watch(&self, image: u32, memory: &Memory) {
        let Some(state) = self.images.get(image as usize) else { return };
        let of_image = self.instances.iter().filter(|i| i.image == image);
        // Two words each, and two at the end.
        let most = ROOM as usize / 16 - 1;
        let code = of_image.map(Instance::code).filter(|code| !code.is_empty());
        let mut spans: Vec<(u64, u64)> = code.map(|code| (code.start, code.end)).collect();
        spans.sort_unstable();
        // Stretches that do not fit are joined, including the memory between them.
        while spans.len() > most {
            let gap = |k: &usize| spans[*k + 1].0.saturating_sub(spans[*k].1);
            let nearest = (0..spans.len() - 1).min_by_key(gap).unwrap_or(0);
            spans[nearest].1 = spans[nearest + 1].1;
            spans.remove(nearest + 1);
        }
        let words = spans.iter().flat_map(|s| [s.0, s.1]).chain([0, 0]);
        let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        for &at in &state.watched_at {
            // A process without this hook's memory has no instrumented code either.
            let _ = memory.write(at, &bytes);
        }
    }

    /// Restores a process's own code where it is about to write.
    pub(super) fn give_back(&mut self, asked: &Asked) {
        let Some(memory) = self.askers.memory(asked.process) else { return };
        // The kernel changes whole pages.
        const PAGE: u64 = 4096;
        let end = asked.argument.saturating_add(asked.second);
        let stretch = asked.argument & !(PAGE - 1)..end.checked_next_multiple_of(PAGE).unwrap_or(u64::MAX);
        let hit = |i: &&mut Instance| i.image == asked.image && i.base < stretch.end && stretch.start < i.end;
        let mut failed = Vec::new();
        for instance in self.instances.iter_mut().filter(hit) {
            if let Err(e) = instance.give_back(&stretch, &memory) {
                failed
                    .push(Warning::NotPutBack { module: instance.module.path.clone(), error: e.to_string() });
            }
        }
        for warning in failed {
            self.warn_of(asked.process, warning);
        }
    }

    fn hook_module(
        &mut self,
        path: &str,
        span: (u64, u64),
        image: u32,
        maps: &[Mapping],
        mapper: &dyn Mapper,
        memory: &Memory,
    ) -> Result<(), Obstacle> {
        let file = self.files.code(Path::new(path)).map_err(|e| Obstacle::System(e.to_string()))?;
        let bias = file.bias(span.0);
        let names = ["_dl_debug_state", "execve", "prctl", "syscall", "mprotect", "pkey_mprotect"];
        let found = file.symbol_addresses(names).map(|found| found.map(|a| a.wrapping_add(bias)));
        let [notice, exec, prctl, syscall, mprotect, pkey_mprotect] = found;
        let notice = notice.filter(|_| is_loader(path) && self.may_open_libraries());
        let exec = exec.filter(|_| !is_loader(path));
        // libseccomp uses both; a program may use them itself.
        let seccomp: Vec<(u64, &[i32])> = [(prctl, SECCOMP_BY_PRCTL), (syscall, SECCOMP_BY_NUMBER)]
            .into_iter()
            .filter_map(|(at, wanted)| at.map(|a| (a, wanted)))
            .collect();
        let mut protect: Vec<u64> = [mprotect, pkey_mprotect].into_iter().flatten().collect();
        protect.dedup();
        if notice.is_none() && exec.is_none() && seccomp.is_empty() && protect.is_empty() {
            return Ok(());
        }
        let state = self.images.get(image as usize).ok_or(Obstacle::UnknownProgram)?;
        let cache = map_near(mapper, maps, (span, span), ROOMS * ROOM, EXECUTABLE, &mut Vec::new())?;
        let mut rooms = Rooms { next: cache, end: cache + ROOMS * ROOM, memory };
        let process = &state.process;
        let argument = iced_x86::code_asm::rdi;
        let mut patches = Vec::new();
        let mut watched_at = None;
        if let Some(notice) = notice {
            let bytes = memory.read(notice, 16)?;
            if !returns_at_once(&bytes) {
                return Err(Obstacle::UnknownNotice);
            }
            let ask = rooms.write(|at| stubs::ask(at, process, Request::Modules, argument))?;
            patches.push((notice, rooms.write(|at| stubs::modules_hook(at, ask))?));
        }
        if let Some(exec) = exec {
            let Some((original, rest)) = movable(memory, exec)? else {
                return Err(Obstacle::UnknownExecve);
            };
            let ask = rooms.write(|at| stubs::ask(at, process, Request::Exec, argument))?;
            let failure = rooms.write(|at| stubs::ask(at, process, Request::ExecFailed, argument))?;
            let hook = rooms.write(|at| stubs::exec_hook(at, ask, failure, &original, rest))?;
            patches.push((exec, hook));
        }
        for (function, wanted) in seccomp {
            let Some((original, rest)) = movable(memory, function)? else {
                // Any call of it may be a request for seccomp.
                self.shared.control.doubt();
                continue;
            };
            let hook = rooms.write(|at| stubs::seccomp_hook(at, process, wanted, &original, rest))?;
            patches.push((function, hook));
        }
        if !protect.is_empty() {
            let ask = rooms.write(|at| stubs::ask(at, process, Request::Writable, argument))?;
            let watched = rooms.take()?;
            for function in protect {
                let Some((original, rest)) = movable(memory, function)? else { continue };
                let hook = rooms.write(|at| stubs::writable_hook(at, watched, ask, &original, rest))?;
                patches.push((function, hook));
            }
            watched_at = Some(watched);
        }
        for (from, to) in patches {
            let distance = i32::try_from(to.wrapping_sub(from + 5) as i64)
                .map_err(|e| Obstacle::System(e.to_string()))?;
            let mut jump = vec![0xe9];
            jump.extend(distance.to_le_bytes());
            memory.write(from, &jump)?;
        }
        if let Some(state) = self.images.get_mut(image as usize) {
            state.watched_at.extend(watched_at);
        }
        Ok(())
    }
}

/// Whether code among these bytes may put a thread under seccomp by itself: it loads the number of `seccomp`
/// or `prctl` into eax, in a dynamically linked program shortly before a `syscall` instruction (compiled
/// inline), in a static one anywhere (for a wrapper of its own).
fn names_seccomp(bytes: &[u8], dynamic: bool) -> bool {
    /// Bytes between the two: the arguments are loaded there.
    const NEAR: usize = 128;
    const SYSCALL: [u8; 2] = [0x0f, 0x05];
    let numbers = [libc::SYS_prctl as u32, libc::SYS_seccomp as u32].map(u32::to_le_bytes);
    numbers.iter().any(|number| {
        memmem::find_iter(bytes, number).any(|at| {
            // `mov eax, imm32`; `mov rax, imm32` ends in 0xc0 before the number.
            let loads = at.checked_sub(1).is_some_and(|k| matches!(bytes[k], 0xb8 | 0xc0));
            let behind = &bytes[at + number.len()..];
            loads && (!dynamic || memmem::find(&behind[..NEAR.min(behind.len())], &SYSCALL).is_some())
        })
    })
}

/// Whether the function only returns and has room for a jump.
fn returns_at_once(bytes: &[u8]) -> bool {
    let mut decoder = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE);
    let mut returned = false;
    while decoder.position() < 5 && decoder.can_decode() {
        let i = decoder.decode();
        match i.mnemonic() {
            Mnemonic::Endbr64 | Mnemonic::Nop => {}
            Mnemonic::Ret if !returned => returned = true,
            Mnemonic::Int3 if returned => {}
            _ => return false,
        }
    }
    returned
}

/// The instructions that a jump at `address` overwrites, if they can run elsewhere, and what follows.
fn movable(memory: &Memory, address: u64) -> io::Result<Option<(Vec<Instruction>, u64)>> {
    let bytes = memory.read(address, 32)?;
    let mut decoder = Decoder::with_ip(64, &bytes, address, DecoderOptions::NONE);
    let mut original = Vec::new();
    while decoder.ip() < address + 5 {
        let i = decoder.decode();
        let plain = i.flow_control() == FlowControl::Next
            && !i.is_ip_rel_memory_operand()
            && i.code() != Code::INVALID;
        if !plain {
            return Ok(None);
        }
        original.push(i);
    }
    Ok(Some((original, decoder.ip())))
}

/// Memory for a module's routines, assigned room by room.
struct Rooms<'a> {
    next: u64,
    end: u64,
    memory: &'a Memory,
}

impl Rooms<'_> {
    fn take(&mut self) -> Result<u64, Obstacle> {
        let room = self.next;
        self.next += ROOM;
        if self.next > self.end { Err(Obstacle::TooManyRoutines) } else { Ok(room) }
    }

    /// Writes a routine; `make` gets its address.
    fn write(&mut self, make: impl FnOnce(u64) -> Result<Vec<u8>, IcedError>) -> Result<u64, Obstacle> {
        let at = self.take()?;
        let code = make(at)?;
        if code.len() as u64 > ROOM {
            return Err(Obstacle::RoutineTooLong);
        }
        self.memory.write(at, &code)?;
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_calls_seccomp_itself_is_seen() {
        let inline = [0x90, 0xb8, 0x9d, 0, 0, 0, 0xbf, 22, 0, 0, 0, 0x0f, 0x05, 0xc3];
        assert!(names_seccomp(&inline, true) && names_seccomp(&inline, false));
        let through_a_wrapper = [0x48, 0xc7, 0xc0, 0x3d, 1, 0, 0, 0xe8, 1, 2, 3, 4];
        assert!(names_seccomp(&through_a_wrapper, false) && !names_seccomp(&through_a_wrapper, true));
        let another = [0xb8, 0x9e, 0, 0, 0, 0x0f, 0x05];
        assert!(!names_seccomp(&another, true) && !names_seccomp(&another, false));
    }
}
