//! Records a command and prints what was found, without symbols: `record [--timer] [--frame-pointer] -- PROG ARGS`.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use loopwright_sample::{CallStacksRequest, Quiet, SurveyOptions, survey};

fn main() -> Result<(), loopwright_sample::Error> {
    let mut options = SurveyOptions::default();
    let mut arguments = std::env::args_os().skip(1);
    for flag in arguments.by_ref().take_while(|argument| argument != "--") {
        match flag.to_str() {
            Some("--timer") => options.force_timer = true,
            Some("--frame-pointer") => options.call_stacks = CallStacksRequest::FramePointer,
            Some("--no-stacks") => options.call_stacks = CallStacksRequest::None,
            _ => eprintln!("{}: unknown flag, ignored", flag.to_string_lossy()),
        }
    }
    let command: Vec<_> = arguments.collect();
    let recording = survey(&command, &options, &mut Quiet, &AtomicBool::new(false))?;
    println!("{:#?}\n{:#?}", recording.target, recording.sampler);
    println!(
        "{} processes, {} threads, {} modules, {} frames, {} stacks, {} samples, {:.3} s sampled",
        recording.processes.len(),
        recording.threads.len(),
        recording.modules.len(),
        recording.frames.len(),
        recording.stacks.len(),
        recording.samples.len(),
        recording.samples.iter().map(|sample| f64::from(sample.weight_ns)).sum::<f64>() * 1e-9,
    );
    let mut heaviest: HashMap<u32, usize> = HashMap::new();
    for sample in &recording.samples {
        *heaviest.entry(sample.stack).or_default() += 1;
    }
    let mut heaviest: Vec<_> = heaviest.into_iter().collect();
    heaviest.sort_by_key(|(stack, count)| (std::cmp::Reverse(*count), *stack));
    for (stack, count) in heaviest.into_iter().take(5) {
        println!("{count} samples");
        let mut node = Some(stack);
        while let Some(index) = node {
            let found = &recording.stacks[index as usize];
            let frame = &recording.frames[found.frame as usize];
            let module = frame.module.map_or("?", |module| &recording.modules[module as usize].path);
            println!("  {module}+{:#x} {}", frame.address, frame.symbol.as_deref().unwrap_or(""));
            node = found.parent;
        }
    }
    Ok(())
}
