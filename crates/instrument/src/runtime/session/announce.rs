//! Hooks by which the program announces what the tool cannot see once it has let go: libraries that its loader
//! opens, and programs that it executes.

use super::Session;
use crate::runtime::control::Request;
use crate::runtime::instance::{self, Mapper};
use crate::runtime::process::{Mapping, is_loader, modules_of};
use crate::runtime::stubs;
use crate::runtime::tracee::Memory;
use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};
use loopwright_binary::image::{DebugSearch, Image};
use std::io;
use std::path::Path;

/// Bytes of room for one routine.
const ROOM: u64 = 512;
/// Where the second set of routines begins in the page.
const PART: u64 = 2048;

impl Session {
    /// Asks to be told of libraries opened later and of programs executed.
    pub(super) fn hook(&mut self, image: u32, maps: &[Mapping], mapper: &dyn Mapper, memory: &Memory) {
        for (path, low, high) in modules_of(maps) {
            let name = path.rsplit('/').next().unwrap_or("");
            let is_program = self.images.get(image as usize).is_some_and(|i| i.program == path);
            let libc = name.starts_with("libc.so") || name.starts_with("libc-2");
            if !is_loader(&path) && !libc && !is_program {
                continue;
            }
            if let Err(reason) = self.hook_module(&path, (low, high), image, maps, mapper, memory) {
                self.warnings.push(format!("{path}: {reason}"));
            }
        }
    }

    fn hook_module(
        &self,
        path: &str,
        span: (u64, u64),
        image: u32,
        maps: &[Mapping],
        mapper: &dyn Mapper,
        memory: &Memory,
    ) -> Result<(), String> {
        let file = Image::open(Path::new(path), &DebugSearch::none()).map_err(|e| e.to_string())?;
        let bias = if file.facts().pie { span.0.wrapping_sub(file.lowest_address()) } else { 0 };
        let at = |name: &str| file.symbol_address(name).map(|a| a.wrapping_add(bias));
        let notice = at("_dl_debug_state").filter(|_| is_loader(path) && self.may_open_libraries());
        let exec = at("execve").filter(|_| !is_loader(path));
        if notice.is_none() && exec.is_none() {
            return Ok(());
        }
        let state = self.images.get(image as usize).ok_or("of an unknown program")?;
        let failed = |e: io::Error| e.to_string();
        let executable = libc::PROT_READ | libc::PROT_EXEC;
        let cache = instance::map_near(mapper, maps, span, 4096, executable, &mut Vec::new())?;
        let process = &state.process;
        let argument = iced_x86::code_asm::rdi;
        let mut patches = Vec::new();
        let write = |at: u64, code: Result<Vec<u8>, iced_x86::IcedError>| -> Result<(), String> {
            let code = code.map_err(|e| e.to_string())?;
            memory.write(at, &code).map_err(failed)
        };
        if let Some(notice) = notice {
            let bytes = memory.read(notice, 16).map_err(failed)?;
            if !returns_at_once(&bytes) {
                return Err(
                    "this loader's notice of new libraries is not known: libraries that the program \
                            opens later are not counted"
                        .to_owned(),
                );
            }
            let (ask, hook) = (cache, cache + ROOM);
            write(ask, stubs::ask(ask, process, Request::Modules, argument))?;
            write(hook, stubs::modules_hook(hook, ask))?;
            patches.push((notice, hook));
        }
        if let Some(exec) = exec {
            let bytes = memory.read(exec, 32).map_err(failed)?;
            let Some((original, rest)) = movable(&bytes, exec) else {
                return Err(
                    "this C library's execve is not known: programs that it executes are not counted"
                        .to_owned(),
                );
            };
            let ask = cache + PART;
            let failure = ask + ROOM;
            let hook = failure + ROOM;
            write(ask, stubs::ask(ask, process, Request::Exec, argument))?;
            write(failure, stubs::ask(failure, process, Request::ExecFailed, argument))?;
            write(hook, stubs::exec_hook(hook, ask, failure, &original, rest))?;
            patches.push((exec, hook));
        }
        for (from, to) in patches {
            let distance = i32::try_from(to.wrapping_sub(from + 5) as i64).map_err(|e| e.to_string())?;
            let mut jump = vec![0xe9];
            jump.extend(distance.to_le_bytes());
            memory.write(from, &jump).map_err(failed)?;
        }
        Ok(())
    }
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
fn movable(bytes: &[u8], address: u64) -> Option<(Vec<Instruction>, u64)> {
    let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
    let mut original = Vec::new();
    while decoder.ip() < address + 5 {
        let i = decoder.decode();
        let plain = i.flow_control() == FlowControl::Next
            && !i.is_ip_rel_memory_operand()
            && i.code() != Code::INVALID;
        if !plain {
            return None;
        }
        original.push(i);
    }
    Some((original, decoder.ip()))
}
