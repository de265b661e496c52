//! What a survey is asked to do, and what it tells while it runs.

use std::time::Duration;

use loopwright_launch::StartOptions;

/// How call stacks are to be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallStacksRequest {
    /// The best that works: unwind tables over a stack copy of [`DEFAULT_STACK_BYTES`].
    #[default]
    Auto,
    /// Unwind tables over a copy of this many bytes of stack.
    Dwarf {
        /// Bytes copied with each sample; rounded to a multiple of 8, at most [`MAX_STACK_BYTES`].
        stack_bytes: u32,
    },
    /// Follow frame pointers (cheap; broken where the program was built without them).
    FramePointer,
    /// Only the sampled address.
    None,
}

/// Samples a second of CPU time by default: prime, so that it does not beat with the program's own rhythm, and
/// low enough for an overhead below 2 % where a sample is dearest. In a virtual machine the timer's interrupt
/// alone costs about 17 us, whatever is copied (`examples/sampling_overhead.rs`: 17 to 19 % at 9970 Hz, so 1.4 % at this
/// rate), and the collector 0.4 % of the program's CPU time.
pub const DEFAULT_FREQUENCY_HZ: u32 = 797;

/// Stack copied with each sample by default. The frames of a deeper stack are read from the living process a
/// moment later; those that cannot be keep their inner frames and count as truncated. `examples/sampling_overhead.rs`
/// measures what a size costs.
pub const DEFAULT_STACK_BYTES: u32 = 8 * 1024;

/// The kernel's record size is 16 bits wide, so that a copy must stay below 64 KiB.
pub const MAX_STACK_BYTES: u32 = 65_528 - 1024;

/// How to survey. `SurveyOptions::default()` is what `loopwright survey` does.
#[derive(Clone, Debug)]
pub struct SurveyOptions {
    /// Samples a second of CPU time. See [`DEFAULT_FREQUENCY_HZ`].
    pub frequency_hz: u32,
    /// Call stacks.
    pub call_stacks: CallStacksRequest,
    /// Sample kernel code too, where it is allowed (its time is booked on the user stack that entered it).
    pub kernel: bool,
    /// Use the ptrace sampler even where perf_event works.
    pub force_timer: bool,
    /// Ring buffer per CPU; `None` chooses by rate, stack size and what the system allows.
    pub buffer_bytes: Option<usize>,
    /// Where the program runs, with what environment and streams.
    pub start: StartOptions,
    /// Samples kept at most; later ones are counted as lost.
    pub max_samples: usize,
    /// How long processes that outlive the program are still followed.
    pub grace: Duration,
}

impl Default for SurveyOptions {
    fn default() -> Self {
        Self {
            frequency_hz: DEFAULT_FREQUENCY_HZ,
            call_stacks: CallStacksRequest::Auto,
            kernel: true,
            force_timer: false,
            buffer_bytes: None,
            start: StartOptions::default(),
            max_samples: 10_000_000,
            grace: Duration::from_secs(2),
        }
    }
}

/// How far a survey has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurveyStatus {
    /// Wall-clock time since the start.
    pub elapsed: Duration,
    /// Samples taken.
    pub samples: u64,
    /// Samples lost.
    pub lost: u64,
    /// Processes alive.
    pub processes: u32,
    /// Threads alive.
    pub threads: u32,
}

/// Hears how a survey goes, on the collector's thread: an observer must return at once.
pub trait Observer {
    /// The program has been started.
    fn started(&mut self, pid: u32) {
        let _ = pid;
    }
    /// Some time has passed (several times a second).
    fn tick(&mut self, status: &SurveyStatus) {
        let _ = status;
    }
}

/// An observer that does not listen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Observer for Quiet {}
