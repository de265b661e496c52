//! Parts of jobs that never ran: one rank's recording, varied for all ranks. Also built as the example `many_ranks`.

use loopwright_experiment::{MachineRecord, Part, Wanted};
use loopwright_sample::recording::{Rank, Recording};
use std::path::{Path, PathBuf};

/// Rank `rank` of a job.
pub fn rank(job: &str, rank: u32, size: u32) -> Rank {
    Rank { rank, size, launcher: "openmpi".into(), job: job.into() }
}

/// The recording of a rank: a process of its own, samples at other moments, on other CPUs, and some of them elsewhere.
pub fn varied(model: &Recording, rank: Rank) -> Recording {
    let mut recording = model.clone();
    let number = u64::from(rank.rank);
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    // Xorshift (G. Marsaglia, 2003).
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let pid = |old: u32| old.wrapping_add(rank.rank.wrapping_mul(3));
    recording.processes.iter_mut().for_each(|process| process.pid = pid(process.pid));
    for thread in &mut recording.threads {
        (thread.pid, thread.tid) = (pid(thread.pid), pid(thread.tid));
    }
    let stacks = recording.stacks.len() as u64;
    for sample in &mut recording.samples {
        sample.time_ns += random() % 500_000;
        sample.cpu = (number % 64) as u32;
        if random() % 8 == 0 {
            sample.stack = (random() % stacks.max(1)) as u32;
        }
    }
    recording.samples.sort_by_key(|sample| sample.time_ns);
    recording.target.host = format!("n{}", number / 64);
    recording.target.rank = Some(rank);
    recording
}

/// Writes the part of one rank; where it is.
pub fn deliver(experiment: &Path, recording: &Recording, machine: &MachineRecord) -> PathBuf {
    let rank = recording.target.rank.as_ref().expect("it is a rank's");
    let mut part = Part::begin(experiment, rank, machine).expect("a part can be made");
    let run = part.add(recording, &recording.target);
    part.want(run, Wanted::of_survey(recording));
    part.deliver().expect("a part can be written").path().to_owned()
}
