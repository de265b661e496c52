//! Writes the parts of a job that never ran, from one survey of a real one: `many_ranks REAL.lw NEW.lw RANKS`. For measuring
//! `loopwright merge NEW.lw` and `show`; the results are in docs/cluster.md.

#[path = "../tests/main/synthetic.rs"]
mod synthetic;

use loopwright_experiment::Experiment;
use loopwright_sample::recording::Recording;
use std::path::Path;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let [_, real, new, ranks] = words.as_slice() else {
        eprintln!("usage: many_ranks REAL.lw NEW.lw RANKS");
        std::process::exit(2);
    };
    let ranks: u32 = ranks.parse().expect("a number of ranks");
    let real = Experiment::open(Path::new(real)).expect("an experiment");
    let state = real.latest().expect("a survey");
    let run = *state.of::<Recording>().first().expect("a survey");
    let model: Recording = real.collected(run).expect("a recording");
    let machine = real.machine(run).expect("it is readable").expect("a machine");
    let mut bytes = 0;
    for number in 0..ranks {
        let recording = synthetic::varied(&model, synthetic::rank("synthetic", number, ranks));
        let part = synthetic::deliver(Path::new(new), &recording, &machine);
        bytes += part.metadata().map_or(0, |data| data.len());
    }
    println!(
        "{ranks} parts of {} samples, {} bytes each",
        model.samples.len(),
        bytes / u64::from(ranks.max(1))
    );
}
