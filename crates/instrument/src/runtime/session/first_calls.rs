//! The first call of a function in a process.

use super::{Session, Waiting};
use crate::runtime::askers::Asked;
use crate::runtime::askers::Mapped;
use crate::runtime::cache::{EXECUTABLE, Mapper};
use crate::runtime::process;
use crate::warning::Warning;
use std::io;

impl Session {
    /// Redirects the called function to its copy. Where that is not possible, its thread continues in the original.
    pub(super) fn first_call(&mut self, asked: &Asked) {
        let Some(waiting) = self.waiting(asked) else { return };
        let (instance, index) = ((asked.argument >> 32) as usize, asked.argument as u32 as usize);
        if let Err(e) = self.turn(asked, instance, index, &waiting) {
            let module = self.instances.get(instance).map_or_else(String::new, |i| i.module.path.clone());
            let error = e.to_string();
            self.warn_of(asked.process, Warning::FunctionsNotCounted { module, error });
        }
    }

    fn turn(&mut self, asked: &Asked, instance: usize, index: usize, waiting: &Waiting) -> io::Result<()> {
        let memory = &waiting.memory;
        let unknown = || io::Error::other("of an unknown module");
        let known = self.instances.get_mut(instance).ok_or_else(unknown)?;
        let image = self.images.get_mut(known.image as usize).ok_or_else(unknown)?;
        if !known.waits(index, memory)? {
            return Ok(()); // Another thread called it meanwhile.
        }
        if known.is_given_back(index) {
            return known.leave(index, memory);
        }
        let mut maps = || process::mappings(asked.process).unwrap_or_default();
        let Some(stretch) = known.prepare(index, &mut image.allocation, waiting, &mut maps) else {
            return known.leave(index, memory);
        };
        let number = known.image;
        let mut mapped = self.askers.mapped(asked.process);
        let mut reach = self.extend(number, &mut mapped, waiting);
        if reach.is_ok() && !mapped.has_code(stretch) {
            // Mapped meanwhile for this process, or for another one only.
            mapped = Mapped { pieces: mapped.pieces, ..Mapped::of(asked.process) };
            if !mapped.has_code(stretch) {
                reach = waiting.map(stretch.0, stretch.1 - stretch.0, EXECUTABLE).map(drop);
                if reach.is_ok() {
                    mapped.code.push(stretch);
                }
            }
        }
        self.askers.keep(asked.process, mapped);
        let known = self.instances.get(instance).ok_or_else(unknown)?;
        if let Err(e) = reach {
            known.leave(index, memory)?;
            return Err(e);
        }
        known.first_call(index, memory, process::threads(asked.process) == Some(1))
    }
}
