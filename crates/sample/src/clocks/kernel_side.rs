//! Samples in the kernel: in which of its functions they were taken, in which system call, and which user
//! stack made the call.

use super::{Boundary, KernelSample, SampledCall};
use crate::kernel_symbols::KernelSymbols;
use crate::recording::Frame;
use crate::tree::Observation;
use rustc_hash::FxHashMap;

/// Samples of the kernel so far, by the user stack that entered it.
#[derive(Debug, Default)]
pub struct KernelSide {
    /// Where the kernel cannot be sampled, samples directly after a `syscall` instruction show which stack
    /// made the call.
    watches_boundaries: bool,
    addresses: FxHashMap<(u32, u64), u32>,
    calls: FxHashMap<(u32, u32), u64>,
    boundaries: FxHashMap<u32, u32>,
    /// Whether the instruction before an address is `syscall`, by module.
    is_boundary: FxHashMap<(Option<u32>, u64), bool>,
}

impl KernelSide {
    /// Notes which samples are directly after a system call.
    pub fn watch_boundaries(&mut self) {
        self.watches_boundaries = true;
    }

    /// Adds a sample; `leaf` is its innermost frame, at the run-time address `ip`, and `follows_syscall`
    /// examines the instruction before that.
    pub fn note(
        &mut self,
        observation: &Observation<'_>,
        stack: u32,
        (leaf, ip): (Option<&Frame>, u64),
        follows_syscall: impl FnOnce() -> bool,
    ) {
        if observation.kernel {
            // The ptrace sampler knows the call instead of the kernel's address.
            if observation.ip != ip {
                *self.addresses.entry((stack, observation.ip)).or_default() += 1;
            }
            if let Some(call) = observation.call {
                *self.calls.entry((stack, call)).or_default() += u64::from(observation.weight_ns);
            }
        } else if self.watches_boundaries
            && let Some(leaf) = leaf
            && *self.is_boundary.entry((leaf.module, leaf.address)).or_insert_with(follows_syscall)
        {
            *self.boundaries.entry(stack).or_default() += 1;
        }
    }

    /// Samples by kernel function; none where the kernel hides its addresses.
    pub fn functions(&self) -> Vec<KernelSample> {
        if self.addresses.is_empty() {
            return Vec::new();
        }
        let Some(symbols) = KernelSymbols::of_running_kernel() else { return Vec::new() };
        let mut samples: FxHashMap<(u32, &str), u32> = FxHashMap::default();
        for (&(stack, address), &count) in &self.addresses {
            if let Some(name) = symbols.name(address) {
                *samples.entry((stack, name)).or_default() += count;
            }
        }
        let mut functions: Vec<KernelSample> = samples
            .into_iter()
            .map(|((stack, function), samples)| KernelSample {
                stack,
                function: function.to_owned(),
                samples,
            })
            .collect();
        functions.sort_by(|a, b| (a.stack, &a.function).cmp(&(b.stack, &b.function)));
        functions
    }

    /// Samples directly after system calls.
    pub fn boundaries(&self) -> Vec<Boundary> {
        let mut boundaries: Vec<Boundary> =
            self.boundaries.iter().map(|(&stack, &samples)| Boundary { stack, samples }).collect();
        boundaries.sort_by_key(|boundary| boundary.stack);
        boundaries
    }

    /// Time in system calls.
    pub fn calls(&self) -> Vec<SampledCall> {
        let mut calls: Vec<SampledCall> = (self.calls.iter())
            .map(|(&(stack, call), &time_ns)| SampledCall { stack, call, time_ns })
            .collect();
        calls.sort_by_key(|call| (call.stack, call.call));
        calls
    }
}
