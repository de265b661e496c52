//! Options of a survey, and what it reports while it runs.

use std::time::Duration;

use loopwright_launch::StartOptions;

/// How call stacks are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallStacksRequest {
    /// The best method that works: unwind tables over a stack copy of [`DEFAULT_STACK_BYTES`].
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

/// Default sampling rate, in samples per second of CPU time: prime, so that it does not beat with periodic work of the
/// program, and low enough for an overhead below 2 % where a sample is most expensive. In a virtual machine the timer's
/// interrupt alone costs about 17 us, whatever is copied (`examples/sampling_overhead.rs`: 17 to 19 % at 9970 Hz, so
/// 1.4 % at this rate), and the collector 0.4 % of the program's CPU time.
pub const DEFAULT_FREQUENCY_HZ: u32 = 797;

/// Default number of stack bytes copied with each sample. The frames of a deeper stack are read from the
/// living process a moment later; when they cannot be read, the sample keeps its inner frames and counts as
/// truncated. `examples/sampling_overhead.rs` measures what a size costs.
pub const DEFAULT_STACK_BYTES: u32 = 8 * 1024;

/// The kernel's record size has 16 bits, so that a copy must stay below 64 KiB.
pub const MAX_STACK_BYTES: u32 = 65_528 - 1024;

/// How to survey. `SurveyOptions::default()` is what `loopwright survey` does.
#[derive(Clone, Debug)]
pub struct SurveyOptions {
    /// Samples per second of CPU time. See [`DEFAULT_FREQUENCY_HZ`].
    pub frequency_hz: u32,
    /// How call stacks are taken.
    pub call_stacks: CallStacksRequest,
    /// Sample kernel code too, where it is allowed (its time is attributed to the user stack that entered it).
    pub kernel: bool,
    /// Use the ptrace sampler even where perf_event works.
    pub force_timer: bool,
    /// Ring buffer per CPU; `None` chooses by rate, stack size and what the system allows.
    pub buffer_bytes: Option<usize>,
    /// Working directory, environment and streams of the program.
    pub start: StartOptions,
    /// Most samples kept; later ones are counted as lost.
    pub max_samples: usize,
    /// How long processes that outlive the program are followed.
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

/// Progress of a survey.
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

/// Receives the progress of a survey, on the collector's thread: an observer must return at once.
pub trait Observer {
    /// The program has been started.
    fn started(&mut self, pid: u32) {
        let _ = pid;
    }
    /// The program has ended; processes that it started may go on, and samples are still to be read.
    fn ended(&mut self) {}
    /// Some time has passed (several times a second).
    fn tick(&mut self, status: &SurveyStatus) {
        let _ = status;
    }
}

/// An observer that ignores all reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Observer for Quiet {}
