//! From a program's first instruction to the moment when its code can be redirected.

use super::{AT_BASE, AT_ENTRY};
use crate::runtime::process;
use crate::runtime::tracee::Tracee;
use loopwright_binary::image::{Image, Images};
use std::io;
use std::path::Path;

/// Runs a dynamically linked program until its loader has mapped and relocated everything, before any
/// constructor; a static one to its entry point. False when it ended before.
pub fn run_to_ready(tracee: &Tracee, files: &Images) -> io::Result<bool> {
    let id = tracee.thread;
    let Some(entry) = process::auxiliary(id, AT_ENTRY) else {
        return Err(io::Error::other("no entry point in the auxiliary vector"));
    };
    let maps = process::mappings(id)?;
    let base = process::auxiliary(id, AT_BASE).unwrap_or(0);
    let loader = maps.iter().find(|m| m.start == base).map(|m| m.path.clone()).unwrap_or_default();
    let file = files.code(Path::new(&loader)).ok();
    let find = |file: &Image| {
        let here = |address: u64| address.wrapping_sub(file.lowest_address()).wrapping_add(base);
        file.symbol_addresses(["_dl_debug_state", "_r_debug"]).map(|found| found.map(here))
    };
    let [notice, state] = file.as_deref().map(find).unwrap_or_default();
    let stops: Vec<u64> = notice.iter().copied().chain([entry]).collect();
    loop {
        match tracee.run_to(&stops)? {
            None => return Ok(false),
            Some(at) if at == entry => return Ok(true),
            Some(_) => {
                /// Offset of `r_state` in `struct r_debug` (link.h); 0 is `RT_CONSISTENT`.
                const R_STATE: u64 = 24;
                let consistent =
                    state.and_then(|a| tracee.memory().word(a + R_STATE).ok()).map(|s| s as u32 == 0);
                if consistent == Some(true) {
                    return Ok(true);
                }
                // Steps over the notice function, which only returns.
                step_over_notice(tracee)?;
            }
        }
    }
}

/// The breakpoint is at the notice's first instruction, which would be hit again: executes its return.
fn step_over_notice(tracee: &Tracee) -> io::Result<()> {
    let mut r = tracee.registers()?;
    r.rip = tracee.memory().word(r.rsp)?;
    r.rsp += 8;
    tracee.set_registers(&r)
}
