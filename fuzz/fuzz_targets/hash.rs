//! The scheduler of hashes: any order of submitting whole messages and pieces, taking back and flushing, at any level;
//! every digest is compared with the reference.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use loopwright_kernels::Isa;
use loopwright_kernels::hash::{
    Algorithm, Context, Done, Md5, Outcome, Scheduler, Sha1, Sha256, Sha512, reference,
};
use std::collections::VecDeque;

#[derive(Arbitrary, Debug)]
enum Step {
    /// A whole message: offset and length.
    Submit(u16, u16),
    /// A new message in pieces.
    Open,
    /// A piece of the message that was idle longest.
    Update(u16, u16),
    /// The last piece of that message.
    Finish(u16, u16),
    /// Drops that message.
    Drop,
    Flush,
    Take,
}

#[derive(Arbitrary, Debug)]
struct Input {
    function: u8,
    level: u8,
    seed: u8,
    steps: Vec<Step>,
}

fn run<A: Algorithm>(input: &Input, oracle: fn(&[u8]) -> A::Digest) {
    let levels: Vec<Isa> = Isa::available().collect();
    let isa = levels[usize::from(input.level) % levels.len()];
    let bytes: Vec<u8> =
        (0..1 << 16).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 15) as u8 ^ input.seed).collect();
    let part = |from: u16, length: u16| {
        let from = usize::from(from);
        &bytes[from..(from + usize::from(length) % 2048).min(bytes.len())]
    };
    let mut scheduler = Scheduler::<A, usize>::new_with(isa).unwrap();
    // The pieces of each message, by tag.
    let mut messages: Vec<Vec<u8>> = Vec::new();
    let mut idle: VecDeque<(usize, Context<A>)> = VecDeque::new();
    let mut finished = 0;
    let mut digests = 0;
    let mut take = |scheduler: &mut Scheduler<A, usize>, messages: &[Vec<u8>], idle: &mut VecDeque<_>| {
        let Some(Done { tag, outcome }) = scheduler.completed() else { return false };
        match outcome {
            Outcome::Hashed(context) => {
                assert_eq!(context.total_bytes(), messages[tag].len() as u64);
                idle.push_back((tag, context));
            }
            Outcome::Finished(digest) => {
                assert_eq!(digest, oracle(&messages[tag]));
                digests += 1;
            }
        }
        true
    };
    for step in &input.steps {
        match *step {
            Step::Submit(from, length) => {
                finished += 1;
                messages.push(part(from, length).to_vec());
                scheduler.submit(messages.len() - 1, part(from, length));
            }
            Step::Open => {
                messages.push(Vec::new());
                idle.push_back((messages.len() - 1, Context::new_with(isa).unwrap()));
            }
            Step::Update(from, length) => {
                let Some((tag, context)) = idle.pop_front() else { continue };
                messages[tag].extend_from_slice(part(from, length));
                scheduler.update(tag, context, part(from, length));
            }
            Step::Finish(from, length) => {
                let Some((tag, context)) = idle.pop_front() else { continue };
                finished += 1;
                messages[tag].extend_from_slice(part(from, length));
                scheduler.finish(tag, context, part(from, length));
            }
            Step::Drop => drop(idle.pop_front()),
            Step::Flush => {
                scheduler.flush();
                assert_eq!(scheduler.pending(), 0);
            }
            Step::Take => _ = take(&mut scheduler, &messages, &mut idle),
        }
    }
    scheduler.flush();
    while take(&mut scheduler, &messages, &mut idle) {}
    assert_eq!(digests, finished);
}

fuzz_target!(|input: Input| {
    match input.function % 4 {
        0 => run::<Md5>(&input, reference::md5),
        1 => run::<Sha1>(&input, reference::sha1),
        2 => run::<Sha256>(&input, reference::sha256),
        _ => run::<Sha512>(&input, reference::sha512),
    }
});
