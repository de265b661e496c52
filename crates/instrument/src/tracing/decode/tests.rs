use super::*;
use crate::tracing::operands::Operand;
use crate::tracing::plan::IDS;
use crate::tracing::registry::{TracedBranch, TracedCall};
use loopwright_patterns::facts::AccessKind;

fn operand(form: Form, size: u32, element: u32, lanes: u32) -> Operand {
    Operand {
        number: 0,
        form,
        kind: AccessKind::Load,
        size,
        element,
        lanes,
        streaming: false,
        atomic: false,
        frame: false,
    }
}

/// Function 0: block 0 before a loop; block 1 its header and test, with one operand; block 2 its body, which
/// calls function 1; block 3 after it, which returns. Function 1: one block, one operand, returns.
fn functions() -> Vec<Arc<TracedFunction>> {
    let site = |site: u32| RecordedSite {
        word: 1,
        operand: operand(Form::Plain, 8, 8, 1),
        index: Register::None,
        site,
    };
    let outside = || TracedBlock { words: 1, ..TracedBlock::default() };
    let call = TracedCall { word: 1, call: 9, target: Some(0x2000), foreign: false };
    let first = vec![
        outside(),
        TracedBlock {
            words: 2,
            operands: vec![site(5)],
            loops: vec![3],
            header: true,
            tests: Some(3),
            share: Some(0),
            ..outside()
        },
        TracedBlock { words: 4, call: Some(call), loops: vec![3], share: Some(0), ..outside() },
        TracedBlock { returns: true, ..outside() },
    ];
    let second = vec![TracedBlock { words: 2, operands: vec![site(6)], returns: true, ..outside() }];
    vec![
        Arc::new(TracedFunction { first: 0, address: 0x1000, blocks: first, incomplete: None }),
        Arc::new(TracedFunction { first: 4 * IDS, address: 0x2000, blocks: second, incomplete: None }),
    ]
}

fn id(function: u64, block: u64, kind: RecordKind) -> u64 {
    function * 4 * u64::from(IDS) + block * u64::from(IDS) + kind as u64
}

fn decoded(words: &[u64]) -> Vec<Event> {
    let functions = functions();
    let (mut decoder, mut out) = (Decoder::default(), Vec::new());
    decoder.cut(&functions, &mut out);
    decoder.decode(words, &functions, &mut out);
    decoder.finish(&functions, &mut out);
    out
}

fn access(site: u32, address: u64) -> Event {
    Event::Access(Access { site, address, size: 8, lane: 0 })
}

#[test]
fn a_loop_with_a_traced_call_is_followed() {
    use RecordKind::{Block, Called, Entered};
    let mut words = vec![id(0, 1, Entered), 500, 0];
    for k in 0..2 {
        words.extend([id(0, 1, Block), 0x100 + 8 * k, id(0, 2, Block), 1, 2, 3]);
        words.extend([id(1, 0, Called), 400, id(1, 0, Block), 0x900]);
    }
    words.extend([id(0, 1, Block), 0x110]);
    let loop_ = 3;
    assert_eq!(
        decoded(&words),
        [
            Event::Gap,
            Event::Enter { loop_, stack: 500 },
            Event::Pass { loop_ },
            access(5, 0x100),
            access(6, 0x900),
            Event::Pass { loop_ },
            access(5, 0x108),
            access(6, 0x900),
            Event::Pass { loop_ },
            access(5, 0x110),
            Event::Leave { loop_, tested: true },
        ]
    );
}

#[test]
fn a_call_that_records_nothing_is_told_with_its_arguments() {
    use RecordKind::{Block, Entered};
    let words =
        [id(0, 1, Entered), 500, 0, id(0, 1, Block), 0x100, id(0, 2, Block), 7, 8, 9, id(0, 1, Block), 0x108];
    let events = decoded(&words);
    let call = Event::Call { call: 9, arguments: [7, 8, 9] };
    let at = events.iter().position(|e| *e == call).expect("the call is an event");
    assert_eq!(events[at + 1], Event::Pass { loop_: 3 });
}

/// Code that is not traced was called and calls the other function back.
#[test]
fn a_callback_does_not_hide_the_call() {
    use RecordKind::{Block, Called, Entered};
    let mut functions = functions();
    let mut blocks = functions[0].blocks.clone();
    blocks[2].call = Some(TracedCall { word: 1, call: 9, target: Some(0x7000), foreign: false });
    functions[0] = Arc::new(TracedFunction { first: 0, address: 0x1000, blocks, incomplete: None });
    let words = [
        id(0, 1, Entered),
        500,
        0,
        id(0, 1, Block),
        0x100,
        id(0, 2, Block),
        1,
        2,
        3,
        id(1, 0, Called),
        400,
        id(1, 0, Block),
        0x900,
    ];
    let (mut decoder, mut out) = (Decoder::default(), Vec::new());
    decoder.decode(&words, &functions, &mut out);
    assert!(out.contains(&Event::Call { call: 9, arguments: [1, 2, 3] }), "{out:?}");
    assert!(out.contains(&access(6, 0x900)), "{out:?}");
}

/// Between two loops of different functions nothing else may record.
#[test]
fn a_loop_that_was_left_is_not_around_the_next() {
    use RecordKind::{Block, Entered, Left};
    let words =
        [id(0, 1, Entered), 500, 0, id(0, 1, Block), 0x100, id(0, 3, Left), id(1, 0, Entered), 400, 1];
    let events = decoded(&words);
    let left = Event::Leave { loop_: 3, tested: true };
    assert_eq!(events.iter().filter(|e| **e == left).count(), 1);
    assert_eq!(events.iter().position(|e| *e == left), Some(4), "{events:?}");
}

#[test]
fn recording_from_the_middle_joins() {
    use RecordKind::{Block, Joined};
    let events = decoded(&[id(0, 1, Joined), 500, 0, id(0, 1, Block), 0x100]);
    assert_eq!(events[1], Event::Join { loop_: 3, stack: 500 });
    // In the same chunk again, after it ran without being recorded.
    let again = [id(0, 1, Joined), 500, 0];
    let events =
        decoded(&[&again[..], &[id(0, 1, Block), 0x100], &again, &[id(0, 1, Block), 0x200]].concat());
    let gap = events.iter().rposition(|e| *e == Event::Gap);
    assert_eq!(events.iter().rposition(|e| *e == events[1]), gap.map(|at| at + 1), "{events:?}");
    // Also without a record of how control arrived there.
    let events = decoded(&[id(0, 2, Block), 1, 2, 3]);
    assert_eq!(events[1], Event::Join { loop_: 3, stack: 0 });
}

/// [`functions`] with a branch at the end of the header: it jumps out of the loop to block 3, else block 2 follows.
fn branching() -> Vec<Arc<TracedFunction>> {
    let mut functions = functions();
    let mut blocks = functions[0].blocks.clone();
    blocks[1].branch = Some(TracedBranch { branch: 4, taken: 3, fall: 2 });
    functions[0] = Arc::new(TracedFunction { first: 0, address: 0x1000, blocks, incomplete: None });
    functions
}

/// The outcomes in records that follow an entry of the loop.
fn outcomes(records: &[&[u64]]) -> Vec<bool> {
    let functions = branching();
    let (mut decoder, mut out) = (Decoder::default(), Vec::new());
    decoder.cut(&functions, &mut out);
    decoder.decode(&[id(0, 1, RecordKind::Entered), 500, 0], &functions, &mut out);
    for words in records {
        decoder.decode(words, &functions, &mut out);
    }
    decoder.cut(&functions, &mut out);
    decoder.decode(&[id(0, 2, RecordKind::Block), 1, 2, 3], &functions, &mut out);
    decoder
        .outcomes
        .iter()
        .inspect(|outcome| assert_eq!(outcome.branch, 4))
        .map(|outcome| outcome.taken)
        .collect()
}

#[test]
fn the_next_record_shows_which_way_a_branch_went() {
    use RecordKind::{Block, Left};
    let (test, body) = ([id(0, 1, Block), 0x100], [id(0, 2, Block), 1, 2, 3]);
    assert_eq!(outcomes(&[&test, &body, &test, &body]), [false, false]);
    assert_eq!(outcomes(&[&test, &body, &test, &[id(0, 3, Left)]]), [false, true]);
    assert_eq!(outcomes(&[&test, &[id(0, 3, Block)]]), [true]);
    // The loop is still active when the outcome that leaves it is told.
    let functions = branching();
    let (mut decoder, mut out) = (Decoder::default(), Vec::new());
    let words = [id(0, 1, RecordKind::Entered), 500, 0, test[0], test[1], id(0, 3, Left)];
    decoder.decode(&words, &functions, &mut out);
    assert_eq!(out.last(), Some(&Event::Leave { loop_: 3, tested: true }));
    assert_eq!(decoder.outcomes, [Outcome { after: out.len() as u32 - 1, branch: 4, taken: true }]);
}

#[test]
fn an_outcome_that_no_record_shows_is_not_told() {
    use RecordKind::{Block, Called, Joined};
    let test = [id(0, 1, Block), 0x100];
    let none: [bool; 0] = [];
    assert_eq!(outcomes(&[&test]), none, "the burst ends; block 2 runs at the beginning of the next");
    assert_eq!(outcomes(&[&test, &test]), none, "the block between does not record");
    assert_eq!(outcomes(&[&test, &[id(0, 2, Joined), 500, 0]]), none, "it ran without recording");
    // A signal handler came in between.
    let handler = [id(1, 0, Called), 400, id(1, 0, Block), 0x900];
    assert_eq!(outcomes(&[&test, &handler, &[id(0, 2, Block), 1, 2, 3]]), none);
}

/// The called function throws: its frame is gone when the caller runs again.
#[test]
fn frames_below_are_dead() {
    use RecordKind::{Block, Called, Entered};
    let words = [
        id(0, 1, Entered),
        500,
        0,
        id(0, 1, Block),
        0x100,
        id(0, 2, Block),
        1,
        2,
        3,
        id(1, 0, Called),
        400,
        id(0, 3, Block),
    ];
    let events = decoded(&words);
    assert_eq!(events.last(), Some(&Event::Leave { loop_: 3, tested: false }));
    let opened = events.iter().filter(|e| matches!(e, Event::Enter { .. } | Event::Join { .. })).count();
    let closed = events.iter().filter(|e| matches!(e, Event::Leave { .. })).count();
    assert_eq!((opened, closed), (1, 1));
}

#[test]
fn masks_and_indices_choose_lanes() {
    let recorded = |operand, index| RecordedSite { word: 0, operand, index, site: 1 };
    let masked = recorded(operand(Form::Masked { mask: Register::K1 }, 32, 4, 1), Register::None);
    let mut out = Vec::new();
    expand(&masked, &[0x1000, 0b0110_0001], &mut out);
    let at = |address, size, lane| Event::Access(Access { site: 1, address, size, lane });
    assert_eq!(out, [at(0x1000, 4, 0), at(0x1014, 8, 5)]);

    let form = Form::Gathered { mask: Register::YMM2, index_bytes: 4, scale: 8 };
    let gathered = recorded(operand(form, 32, 8, 4), Register::XMM1);
    let indices = [2u64 << 32 | 1, (-1i32 as u32 as u64) << 32 | 3];
    let on = 1u64 << 63;
    out.clear();
    expand(&gathered, &[0x1000, indices[0], indices[1], on, 0, on, on], &mut out);
    assert_eq!(out, [at(0x1008, 8, 0), at(0x1018, 8, 2), at(0xff8, 8, 3)]);

    let form = Form::Repeated { register: Register::RDI, repeats: true };
    let repeated = recorded(operand(form, 0, 4, 1), Register::None);
    out.clear();
    expand(&repeated, &[0x2000, 10], &mut out);
    expand(&repeated, &[0x2000, 0], &mut out);
    assert_eq!(out, [at(0x2000, 40, 0)]);
}

/// The program can write arbitrary words into the trace.
#[test]
fn any_words_are_survived() {
    let functions = branching();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut seen = 0;
    for _ in 0..10_000 {
        let words: Vec<u64> = (0..40)
            .map(|_| match next() % 4 {
                0 => next(),
                1 => next() % 600,
                _ => next() % (5 * u64::from(IDS)),
            })
            .collect();
        let (mut decoder, mut out) = (Decoder::default(), Vec::new());
        decoder.decode(&words, &functions, &mut out);
        decoder.finish(&functions, &mut out);
        let mut open = Vec::new();
        for event in &out {
            match *event {
                Event::Enter { loop_, .. } | Event::Join { loop_, .. } => open.push(loop_),
                Event::Leave { loop_, .. } => assert_eq!(open.pop(), Some(loop_), "well nested"),
                Event::Pass { loop_ } => assert_eq!(open.last(), Some(&loop_), "the innermost"),
                _ => {}
            }
        }
        assert!(open.is_empty());
        seen += out.len();
    }
    assert!(seen > 2000, "random words are almost never records: {seen} events");
}
