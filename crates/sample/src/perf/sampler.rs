//! The perf_event sampler: all CPUs' buffers, merged in the order of time, into the process tree.
//!
//! Order matters: a sample must be handled after the mapping that explains it, which another CPU may have
//! reported. Each round reads the clock first, then all buffers, and handles what is older than the clock's
//! reading; the few newer records stay in their buffers until the next round.

use std::io;
use std::os::fd::RawFd;

use super::event::{self, Plan, Source};
use super::records::{Record, RecordFormat};
use super::ring::{Ring, Unread, page_bytes};
use crate::accounting::monotonic_ns;
use crate::options::{CallStacksRequest, DEFAULT_STACK_BYTES, MAX_STACK_BYTES, SurveyOptions};
use crate::recording::CallStacks;
use crate::tree::{Observation, StackEvidence, Tree};
use crate::warning::Warning;

/// The opened events and what has been read from them.
pub struct PerfSampler {
    rings: Vec<Ring>,
    /// The configuration in use.
    pub plan: Plan,
    /// Records that the kernel could not store.
    pub lost: u64,
    /// Throttle records.
    pub throttled: u64,
    /// Limits that were found while opening.
    pub warnings: Vec<Warning>,
}

/// The kind of call stacks that a request means, and the record format for them.
pub fn call_stacks(request: CallStacksRequest) -> (CallStacks, RecordFormat) {
    match request {
        CallStacksRequest::Auto => call_stacks(CallStacksRequest::Dwarf { stack_bytes: DEFAULT_STACK_BYTES }),
        CallStacksRequest::Dwarf { stack_bytes } => {
            let stack_bytes = stack_bytes.clamp(256, MAX_STACK_BYTES).next_multiple_of(8);
            (CallStacks::Dwarf, RecordFormat { stack_bytes, callchain: false })
        }
        CallStacksRequest::FramePointer => {
            (CallStacks::FramePointer, RecordFormat { stack_bytes: 0, callchain: true })
        }
        CallStacksRequest::None => (CallStacks::None, RecordFormat { stack_bytes: 0, callchain: false }),
    }
}

/// Bytes of ring buffer for a quarter second of full load, within usual limits.
fn wanted_buffer(frequency_hz: u32, format: RecordFormat) -> usize {
    let record = 128 + format.stack_bytes as usize + if format.callchain { 512 } else { 0 };
    (record * frequency_hz as usize / 4).clamp(256 << 10, 8 << 20)
}

/// A power of two of pages, at least one page.
fn whole_pages(bytes: usize) -> usize {
    let page = page_bytes();
    bytes.clamp(page, 1 << 30).div_ceil(page).next_power_of_two() * page
}

impl PerfSampler {
    /// Opens events for the held child `pid`. The error states why perf_event cannot be used.
    pub fn open(pid: libc::pid_t, options: &SurveyOptions) -> Result<Self, String> {
        let mut warnings = Vec::new();
        let mut frequency_hz = options.frequency_hz.max(1);
        let most = std::fs::read_to_string("/proc/sys/kernel/perf_event_max_sample_rate")
            .ok()
            .and_then(|text| text.trim().parse::<u32>().ok());
        if let Some(most) = most.filter(|&most| most > 0 && most < frequency_hz) {
            warnings.push(Warning::RateLowered { asked_hz: frequency_hz, used_hz: most });
            frequency_hz = most;
        }
        let (_, format) = call_stacks(options.call_stacks);
        let wanted = whole_pages(options.buffer_bytes.unwrap_or_else(|| wanted_buffer(frequency_hz, format)));
        let mut refusal = io::Error::from_raw_os_error(libc::ENOSYS);
        for source in [Source::Cycles, Source::CpuClock] {
            for kernel in [true, false] {
                if kernel && !options.kernel {
                    continue;
                }
                for build_ids in [true, false] {
                    let mut bytes = wanted;
                    loop {
                        let plan = Plan {
                            source,
                            kernel,
                            frequency_hz,
                            format,
                            watermark_bytes: (bytes / 2) as u32,
                            build_ids,
                        };
                        match open_all(pid, &plan, bytes) {
                            Ok(rings) => {
                                if bytes < wanted && options.buffer_bytes.is_some() {
                                    warnings.push(Warning::BufferLowered { bytes: bytes as u64 });
                                }
                                return Ok(Self { rings, plan, lost: 0, throttled: 0, warnings });
                            }
                            Err(OpenError::Map(_)) if bytes > 4 * page_bytes() => bytes /= 2,
                            Err(OpenError::Map(error) | OpenError::Event(error)) => {
                                refusal = error;
                                break;
                            }
                        }
                    }
                }
            }
        }
        Err(event::explain(&refusal))
    }

    /// Descriptors to poll: readable when a buffer is half full, hung up when every task has ended.
    pub fn descriptors(&self) -> impl Iterator<Item = RawFd> + '_ {
        self.rings.iter().map(Ring::fd)
    }

    /// Stops sampling.
    pub fn disable(&self) {
        for ring in &self.rings {
            event::disable(ring.fd());
        }
    }

    /// Reads all buffers and passes their records to the tree; all records when this is the `last` round.
    pub fn drain(&mut self, tree: &mut Tree, last: bool) {
        tree.new_round();
        let horizon = if last { u64::MAX } else { monotonic_ns() };
        let unread: Vec<Unread> = self.rings.iter().map(Ring::unread).collect();
        let straddling: Vec<(Vec<u8>, usize)> = unread.iter().map(Unread::straddling).collect();
        let mut consumed = Vec::with_capacity(unread.len());
        let mut order = Vec::new();
        for (unread, straddling) in unread.iter().zip(&straddling) {
            let before = order.len();
            order.extend(
                unread
                    .records(straddling)
                    .map(|raw| (raw.time(), raw))
                    .take_while(|(time, _)| *time < horizon),
            );
            let handled: usize = order[before..].iter().map(|(_, raw)| raw.bytes.len()).sum();
            // Bytes that cannot be a record would stay for ever.
            let unreadable = unread.records(straddling).next().is_none();
            consumed.push(if unreadable { unread.bytes() } else { handled });
        }
        // Stable: records of equal time keep their order within a buffer.
        order.sort_by_key(|(time, _)| *time);
        for &(time, raw) in &order {
            match raw.decode(self.plan.format) {
                Some(Record::Sample(sample)) => {
                    let stack = if self.plan.format.callchain {
                        StackEvidence::Callers(&sample.callers)
                    } else if self.plan.format.stack_bytes > 0 {
                        StackEvidence::Copy(sample.stack)
                    } else {
                        StackEvidence::None
                    };
                    tree.sampled(&Observation {
                        pid: sample.pid,
                        tid: sample.tid,
                        time_ns: time,
                        cpu: sample.cpu,
                        // Cycles are scaled to nanoseconds when the run's CPU time is known.
                        weight_ns: u32::try_from(sample.period).unwrap_or(u32::MAX),
                        kernel: sample.kernel,
                        ip: sample.ip,
                        registers: sample.registers,
                        call: None,
                        stack,
                    });
                }
                Some(Record::Map(map)) => {
                    tree.mapped(map.pid, map.start, map.length, map.offset, &map.path, map.build_id);
                }
                Some(Record::Name { pid, tid, name, exec }) => {
                    tree.named(pid, tid, name, exec);
                    // Events begin with the first exec, so that the switch before it was not recorded.
                    if let Some(cpu) = raw.cpu().filter(|_| exec) {
                        tree.runs(pid, tid, cpu, time);
                    }
                }
                Some(Record::Fork { pid, parent, tid }) => tree.forked(pid, parent, tid, time),
                Some(Record::Exit { pid, tid }) => tree.exited(pid, tid, time),
                Some(Record::Switch { pid, tid, out, preempted }) => {
                    if let Some(cpu) = raw.cpu() {
                        tree.switched((pid, tid), time, cpu, out, preempted);
                    }
                }
                Some(Record::Lost(count)) => self.lost += count,
                Some(Record::Throttle) => self.throttled += 1,
                None => {}
            }
        }
        for (ring, bytes) in self.rings.iter_mut().zip(consumed) {
            ring.consume(bytes);
        }
    }
}

/// Why an attempt to open the events failed.
enum OpenError {
    Event(io::Error),
    Map(io::Error),
}

fn open_all(pid: libc::pid_t, plan: &Plan, buffer_bytes: usize) -> Result<Vec<Ring>, OpenError> {
    let mut rings = Vec::new();
    for cpu in event::online_cpus() {
        match plan.open(pid, cpu) {
            Ok(event) => {
                rings.push(Ring::map(event, buffer_bytes).map_err(|(_, error)| OpenError::Map(error))?);
            }
            // It went offline since it was listed. For cycles it means a core without that counter (a hybrid
            // processor), which must not be left out: the clock is the same on all.
            Err(error) if error.raw_os_error() == Some(libc::ENODEV) && plan.source == Source::CpuClock => {}
            Err(error) => return Err(OpenError::Event(error)),
        }
    }
    if rings.is_empty() {
        return Err(OpenError::Event(io::Error::from_raw_os_error(libc::ENODEV)));
    }
    Ok(rings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_powers_of_two_of_pages() {
        for bytes in [0, 1, 4096, 4097, 300 << 10, 5 << 20] {
            let pages = whole_pages(bytes) / page_bytes();
            assert!(pages.is_power_of_two() && whole_pages(bytes) >= bytes);
        }
        let (_, dwarf) = call_stacks(CallStacksRequest::Auto);
        let (_, bare) = call_stacks(CallStacksRequest::None);
        assert!(wanted_buffer(997, dwarf) > wanted_buffer(997, bare));
    }

    #[test]
    fn a_stack_copy_fits_a_record() {
        for stack_bytes in [0, 1, 8191, u32::MAX] {
            let (_, format) = call_stacks(CallStacksRequest::Dwarf { stack_bytes });
            assert!(format.stack_bytes % 8 == 0 && (256..65_528).contains(&format.stack_bytes));
        }
    }
}
