//! Decoding of the records in a perf ring buffer.
//!
//! Source: `perf_event_open(2)`, "MMAP layout". The fields are read by `linux-perf-event-reader`; this module
//! chooses the fields that a survey requests, guards that library's assumptions about lengths (it trusts the
//! kernel), and reduces records to what the process tree needs. It works on plain bytes, so that recorded and
//! mutated ones can be tested: malformed records are skipped and never panic.

use linux_perf_event_reader::{
    BranchSampleFormat, CpuMode, Endianness, EventRecord, Mmap2FileId, RawData, RawEventRecord, ReadFormat,
    RecordIdParseInfo, RecordParseInfo, RecordType, SampleFormat, constants,
};

/// The fields of the survey's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordFormat {
    /// Bytes of the stack copied with each sample; 0 for none.
    pub stack_bytes: u32,
    /// The kernel walks the frame pointers.
    pub callchain: bool,
}

impl RecordFormat {
    fn fields(self) -> SampleFormat {
        let mut fields = SampleFormat::IP
            | SampleFormat::TID
            | SampleFormat::TIME
            | SampleFormat::CPU
            | SampleFormat::PERIOD
            | SampleFormat::REGS_USER;
        if self.stack_bytes > 0 {
            fields |= SampleFormat::STACK_USER;
        }
        if self.callchain {
            fields |= SampleFormat::CALLCHAIN;
        }
        fields
    }

    /// `perf_event_attr.sample_type`.
    pub fn sample_type(self) -> u64 {
        self.fields().bits()
    }

    /// `perf_event_attr.sample_regs_user`: the registers from which unwinding starts. Needed without stacks
    /// too: they show where in user code the kernel was entered.
    pub fn user_registers(self) -> u64 {
        1 << constants::PERF_REG_X86_IP | 1 << constants::PERF_REG_X86_SP | 1 << constants::PERF_REG_X86_BP
    }

    fn parse_info(self) -> RecordParseInfo {
        let registers = self.user_registers();
        RecordParseInfo {
            endian: Endianness::LittleEndian,
            sample_format: self.fields(),
            branch_sample_format: BranchSampleFormat::empty(),
            read_format: ReadFormat::empty(),
            // struct sample_id of other records: tid, time and cpu, 8 bytes each.
            common_data_offset_from_end: Some(24),
            sample_regs_user: registers,
            user_regs_count: registers.count_ones() as u8,
            sample_regs_intr: 0,
            intr_regs_count: 0,
            id_parse_info: RecordIdParseInfo {
                nonsample_record_id_offset_from_end: None,
                sample_record_id_offset_from_start: None,
            },
            nonsample_record_time_offset_from_end: Some(16),
            sample_record_time_offset_from_start: Some(16),
        }
    }
}

/// User registers at a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// Instruction pointer.
    pub ip: u64,
    /// Stack pointer.
    pub sp: u64,
    /// Frame pointer.
    pub bp: u64,
}

/// A sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleRecord<'a> {
    /// Process id.
    pub pid: u32,
    /// Thread id.
    pub tid: u32,
    /// Number of the CPU.
    pub cpu: u32,
    /// Number of events that this sample represents.
    pub period: u64,
    /// Sampled address (kernel or user).
    pub ip: u64,
    /// The CPU was in the kernel.
    pub kernel: bool,
    /// User registers; absent where the task has none (any more).
    pub registers: Option<Registers>,
    /// The stack from `registers.sp` upwards.
    pub stack: &'a [u8],
    /// Return addresses of user frames, innermost first, without the sampled one.
    pub callers: Vec<u64>,
}

/// A new executable mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapRecord {
    /// Process id.
    pub pid: u32,
    /// First address.
    pub start: u64,
    /// Length in bytes.
    pub length: u64,
    /// Offset in the file.
    pub offset: u64,
    /// Path, or a name like `//anon` or `[vdso]`.
    pub path: String,
    /// Build id in hexadecimal.
    pub build_id: Option<String>,
}

/// A decoded record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// A sample: where a thread was, and its stack.
    Sample(SampleRecord<'a>),
    /// A mapping.
    Map(MapRecord),
    /// A thread got a name, by itself or by exec.
    Name {
        /// Process id.
        pid: u32,
        /// Thread id.
        tid: u32,
        /// The new name.
        name: String,
        /// Set by exec: the process has a new, empty address space.
        exec: bool,
    },
    /// A new thread or process.
    Fork {
        /// New (or same) process.
        pid: u32,
        /// Process that forked.
        parent: u32,
        /// New thread.
        tid: u32,
    },
    /// A thread ended.
    Exit {
        /// Process id.
        pid: u32,
        /// Thread id.
        tid: u32,
    },
    /// A thread was switched onto or off a CPU.
    Switch {
        /// Process id.
        pid: u32,
        /// Thread id.
        tid: u32,
        /// Switched off its CPU, else onto it.
        out: bool,
        /// It was ready to run when it was switched off.
        preempted: bool,
    },
    /// The buffer was full.
    Lost(u64),
    /// The kernel paused sampling because it took too much time.
    Throttle,
}

/// The bytes of one record in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw<'a> {
    kind: RecordType,
    misc: u16,
    /// Header and body.
    pub bytes: &'a [u8],
}

/// Bytes of `struct perf_event_header`.
const HEADER: usize = 8;

/// Splits a buffer into records, up to the first one whose length cannot be right.
pub fn split(mut buffer: &[u8]) -> impl Iterator<Item = Raw<'_>> {
    std::iter::from_fn(move || {
        let (header, _) = buffer.split_at_checked(HEADER)?;
        let size = usize::from(u16::from_le_bytes([*header.get(6)?, *header.get(7)?]));
        if size < HEADER {
            return None;
        }
        let (bytes, rest) = buffer.split_at_checked(size)?;
        buffer = rest;
        let kind = u32::from_le_bytes([*header.first()?, *header.get(1)?, *header.get(2)?, *header.get(3)?]);
        let misc = u16::from_le_bytes([*header.get(4)?, *header.get(5)?]);
        Some(Raw { kind: RecordType(kind), misc, bytes })
    })
}

impl<'a> Raw<'a> {
    fn body(&self) -> &'a [u8] {
        self.bytes.get(HEADER..).unwrap_or_default()
    }

    /// Nanoseconds of `CLOCK_MONOTONIC`; 0 where a record has none.
    pub fn time(&self) -> u64 {
        let body = self.body();
        // In a sample ip, pid and tid come first; in others struct sample_id (tid, time, cpu) comes last.
        let at = if self.kind == RecordType::SAMPLE { Some(16) } else { body.len().checked_sub(16) };
        at.and_then(|at| body.get(at..at.checked_add(8)?))
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(0, u64::from_le_bytes)
    }

    /// The four bytes at this distance from the end of struct sample_id, which ends every record but samples:
    /// pid, tid, time (8 bytes), cpu, reserved.
    fn identity(&self, from_end: usize) -> Option<u32> {
        let body = self.body();
        let bytes = body.get(body.len().checked_sub(from_end)?..)?.get(..4)?;
        bytes.try_into().ok().map(u32::from_le_bytes)
    }

    /// CPU of a record that is not a sample.
    pub fn cpu(&self) -> Option<u32> {
        if self.kind == RecordType::SAMPLE { None } else { self.identity(8) }
    }

    /// Decodes the record; `None` for kinds the survey does not use and for malformed ones.
    pub fn decode(&self, format: RecordFormat) -> Option<Record<'a>> {
        if !self.is_sound(format) {
            return None;
        }
        if self.kind == RecordType::SWITCH {
            return Some(Record::Switch {
                pid: self.identity(24)?,
                tid: self.identity(20)?,
                out: self.misc & constants::PERF_RECORD_MISC_SWITCH_OUT != 0,
                preempted: self.misc & constants::PERF_RECORD_MISC_SWITCH_OUT_PREEMPT != 0,
            });
        }
        let record =
            RawEventRecord::new(self.kind, self.misc, RawData::Single(self.body()), format.parse_info())
                .parse()
                .ok()?;
        Some(match record {
            EventRecord::Sample(sample) => Record::Sample(reduce_sample(&sample)?),
            EventRecord::Mmap2(map) => Record::Map(MapRecord {
                pid: u32::try_from(map.pid).ok()?,
                start: map.address,
                length: map.length,
                offset: map.page_offset,
                path: text(map.path),
                build_id: match map.file_id {
                    Mmap2FileId::BuildId(bytes) if !bytes.is_empty() => Some(hexadecimal(&bytes)),
                    _ => None,
                },
            }),
            EventRecord::Comm(comm) => Record::Name {
                pid: u32::try_from(comm.pid).ok()?,
                tid: u32::try_from(comm.tid).ok()?,
                name: text(comm.name),
                exec: comm.is_execve,
            },
            EventRecord::Fork(fork) => Record::Fork {
                pid: u32::try_from(fork.pid).ok()?,
                parent: u32::try_from(fork.ppid).ok()?,
                tid: u32::try_from(fork.tid).ok()?,
            },
            EventRecord::Exit(exit) => {
                Record::Exit { pid: u32::try_from(exit.pid).ok()?, tid: u32::try_from(exit.tid).ok()? }
            }
            EventRecord::Lost(lost) => Record::Lost(lost.count),
            EventRecord::Throttle(_) => Record::Throttle,
            _ => return None,
        })
    }

    /// Checks the two places where the reader trusts a length: a build id's (it asserts at most 20), and a
    /// call chain's (it multiplies unchecked).
    fn is_sound(&self, format: RecordFormat) -> bool {
        let body = self.body();
        if self.kind == RecordType::MMAP2 && self.misc & constants::PERF_RECORD_MISC_MMAP_BUILD_ID != 0 {
            // pid, tid, addr, len, pgoff come first.
            return body.get(32).is_some_and(|&length| length <= 20);
        }
        if self.kind == RecordType::SAMPLE && format.callchain {
            // ip, pid and tid, time, cpu, period come first.
            let count = body.get(40..48).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes);
            return count.is_some_and(|count| count <= (body.len() / 8) as u64);
        }
        true
    }
}

/// Entries of a call chain above this value are context marks, not addresses (`enum perf_callchain_context`).
const CONTEXT_MARKS: u64 = (-4095_i64) as u64;

fn reduce_sample<'a>(sample: &linux_perf_event_reader::SampleRecord<'a>) -> Option<SampleRecord<'a>> {
    let registers = sample.user_regs.as_ref().and_then(|registers| {
        Some(Registers {
            ip: registers.get(constants::PERF_REG_X86_IP)?,
            sp: registers.get(constants::PERF_REG_X86_SP)?,
            bp: registers.get(constants::PERF_REG_X86_BP)?,
        })
    });
    let stack = match sample.user_stack {
        Some((RawData::Single(bytes), written)) => {
            bytes.get(..usize::try_from(written).ok()?.min(bytes.len())).unwrap_or_default()
        }
        _ => &[],
    };
    let mut callers = Vec::new();
    if let Some(chain) = &sample.callchain {
        let mut user = false;
        let mut innermost = true;
        for address in (0..chain.len()).filter_map(|index| chain.get(index)) {
            if address >= CONTEXT_MARKS {
                user = address == constants::PERF_CONTEXT_USER;
            } else if user {
                if !innermost {
                    callers.push(address);
                }
                innermost = false;
            }
        }
    }
    Some(SampleRecord {
        pid: u32::try_from(sample.pid?).ok()?,
        tid: u32::try_from(sample.tid?).ok()?,
        cpu: sample.cpu?,
        period: sample.period?,
        ip: sample.ip?,
        kernel: !matches!(sample.cpu_mode, CpuMode::User | CpuMode::GuestUser),
        registers,
        stack,
        callers,
    })
}

fn text(data: RawData<'_>) -> String {
    String::from_utf8_lossy(&data.as_slice()).into_owned()
}

/// Lower-case hexadecimal digits of `bytes`.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
