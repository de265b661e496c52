//! Surveys in the store: samples and stacks as packed columns, the rest as JSON.

use crate::columns::{CHUNK, pack_samples, pack_stacks, unpack_samples, unpack_stacks};
use crate::pieces::{Pieces, Stored};
use crate::{Collected, Error};
use loopwright_sample::clocks::Clocks;
use loopwright_sample::recording::Recording;

impl Collected for Recording {
    const KIND: &'static str = "survey";
    /// 2: warnings by their fields.
    const FORM: u32 = 2;

    fn pack(&self, pieces: &mut Pieces) {
        pieces.json("sampler", 0, &self.sampler);
        pieces.json("processes", 0, &self.processes);
        pieces.json("threads", 0, &self.threads);
        pieces.common("modules", 0, &self.modules);
        pieces.json("frames", 0, &self.frames);
        pieces.json("clocks", 0, &self.clocks);
        pieces.bytes("stacks", 0, pack_stacks(&self.stacks));
        for (chunk, samples) in (0..).zip(self.samples.chunks(CHUNK)) {
            pieces.bytes("samples", chunk, pack_samples(samples));
        }
    }

    fn unpack(stored: &Stored<'_>) -> Result<Self, Error> {
        let mut recording = Self {
            target: stored.target()?,
            sampler: stored.json("sampler")?,
            processes: stored.json("processes")?,
            threads: stored.json("threads")?,
            modules: stored.json("modules")?,
            frames: stored.json("frames")?,
            // Format 3 and earlier had none.
            clocks: stored.optional("clocks")?.unwrap_or_default(),
            ..Self::default()
        };
        let modules = recording.modules.len();
        if recording.frames.iter().any(|f| f.module.is_some_and(|m| m as usize >= modules)) {
            return Err(stored.damaged("frames", "a frame names a module that does not exist"));
        }
        let undecodable = |name| stored.damaged(name, "they do not decode");
        stored.bytes("stacks", |packed| {
            recording.stacks =
                unpack_stacks(packed, recording.frames.len()).ok_or_else(|| undecodable("stacks"))?;
            Ok(())
        })?;
        let (threads, stacks) = (recording.threads.len(), recording.stacks.len());
        if !is_sound(&recording.clocks, threads, stacks) {
            return Err(stored.damaged("clocks", "they name what does not exist"));
        }
        stored.bytes("samples", |packed| {
            let chunk = unpack_samples(packed, threads, stacks).ok_or_else(|| undecodable("samples"))?;
            recording.samples.extend(chunk);
            Ok(())
        })?;
        Ok(recording)
    }

    fn modules(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.modules.iter().map(|module| (module.path.as_str(), module.build_id.as_deref()))
    }

    fn samples(&self) -> usize {
        self.samples.len()
    }
}

fn is_sound(clocks: &Clocks, threads: usize, stacks: usize) -> bool {
    let known_stack = |stack: u32| (stack as usize) < stacks;
    clocks.threads.len() <= threads
        && clocks
            .waits
            .iter()
            .all(|wait| (wait.thread as usize) < threads && wait.stack.is_none_or(known_stack))
        && clocks.kernel.iter().all(|each| known_stack(each.stack))
        && clocks.boundaries.iter().all(|each| known_stack(each.stack))
        && clocks.calls.iter().all(|each| known_stack(each.stack))
}
