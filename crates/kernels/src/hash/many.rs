//! Whole messages that are all there: the order and the number in work are chosen from their lengths.

use super::HashError;
use super::algorithm::Algorithm;
use super::context::Context;
use super::engine::Plan;
use super::slots::{Jobs, Piece, Slots};
use crate::isa::Isa;

/// Up to this many messages the best number in work is computed from their lengths: later ones even out by themselves.
const CONSIDERED: usize = 128;

/// .. and from this many blocks on: below, choosing takes longer than it saves.
const WORTH_CHOOSING: usize = 4096;

/// The digest of one message.
pub fn hash<A: Algorithm>(message: &[u8]) -> A::Digest {
    one::<A>(Context::new(), message)
}

/// [`hash`] at the level `isa`.
pub fn hash_with<A: Algorithm>(isa: Isa, message: &[u8]) -> Result<A::Digest, HashError> {
    Ok(one::<A>(Context::new_with(isa)?, message))
}

fn one<A: Algorithm>(mut context: Context<A>, message: &[u8]) -> A::Digest {
    context.update(message);
    context.finish()
}

/// The digests of messages of any lengths, several at a time: `digests[i]` becomes that of `messages[i]`.
pub fn hash_many<A: Algorithm>(
    messages: &[impl AsRef<[u8]>],
    digests: &mut [A::Digest],
) -> Result<(), HashError> {
    many::<A>(Isa::best(), messages, digests)
}

/// [`hash_many`] at the level `isa`.
pub fn hash_many_with<A: Algorithm>(
    isa: Isa,
    messages: &[impl AsRef<[u8]>],
    digests: &mut [A::Digest],
) -> Result<(), HashError> {
    many::<A>(isa.require()?, messages, digests)
}

/// `isa` is available.
fn many<A: Algorithm>(
    isa: Isa,
    messages: &[impl AsRef<[u8]>],
    digests: &mut [A::Digest],
) -> Result<(), HashError> {
    if messages.len() != digests.len() {
        return Err(HashError::Count { messages: messages.len(), digests: digests.len() });
    }
    if let ([message], [digest]) = (messages, &mut *digests) {
        *digest = hash_with::<A>(isa, message.as_ref())?;
        return Ok(());
    }
    let plan = A::plan(isa);
    let lengths = messages.iter().map(|message| message.as_ref().len());
    let (order, width) = arrange::<A>(plan, lengths);
    let mut jobs = Whole::<A, _>::new(messages, digests, order);
    Slots::<A>::new().drive(plan, width, false, &mut jobs);
    Ok(())
}

/// Whole messages, each of which is a job.
pub struct Whole<'d, 'o, A: Algorithm, M> {
    messages: &'d [M],
    digests: &'o mut [A::Digest],
    order: Option<Vec<u32>>,
    turn: usize,
    initial: [A::Word; 8],
}

impl<'d, 'o, A: Algorithm, M: AsRef<[u8]>> Whole<'d, 'o, A, M> {
    /// As many digests as messages, which are taken up in an order, or as they come.
    pub fn new(messages: &'d [M], digests: &'o mut [A::Digest], order: Option<Vec<u32>>) -> Self {
        Whole { messages, digests, order, turn: 0, initial: A::INITIAL }
    }
}

impl<'d, A: Algorithm, M: AsRef<[u8]>> Jobs<'d, A::Word> for Whole<'d, '_, A, M> {
    fn next(&mut self) -> Option<(usize, Piece<'_, 'd, A::Word>)> {
        let index = match &self.order {
            Some(order) => *order.get(self.turn)? as usize,
            None => self.turn,
        };
        let bytes = self.messages.get(index)?.as_ref();
        self.turn += 1;
        Some((index, Piece { state: &self.initial, kept: &[], bytes, before: 0, last: true }))
    }

    fn done(&mut self, job: usize, state: [A::Word; 8]) {
        self.digests[job] = A::digest(state);
    }
}

/// The order in which messages of these lengths are taken up (`None`: as they come), and how many at once.
///
/// Longest first: a long one that begins last would end alone. Those of equal length side by side, for they end
/// together.
pub fn arrange<A: Algorithm>(
    plan: &Plan<A::Word>,
    lengths: impl ExactSizeIterator<Item = usize> + Clone,
) -> (Option<Vec<u32>>, usize) {
    let count = lengths.len();
    let blocks = |length: usize| length / A::BLOCK + 1;
    let (mut least, mut most, mut all) = (usize::MAX, 0, 0usize);
    for length in lengths.clone() {
        let blocks = blocks(length);
        (least, most, all) = (least.min(blocks), most.max(blocks), all.saturating_add(blocks));
    }
    let few = count <= CONSIDERED;
    if most <= least.saturating_add(1)
        || count > u32::MAX as usize
        || (few && all < WORTH_CHOOSING && count <= plan.width)
    {
        return (None, plan.equal_width(count));
    }
    let keys: Vec<usize> = lengths.map(blocks).collect();
    let order = order(&keys);
    let width = match few && all >= WORTH_CHOOSING {
        true => {
            let sorted: Vec<usize> = order.iter().map(|&index| keys[index as usize]).collect();
            plan.best_width(&sorted)
        }
        false => plan.width,
    };
    (Some(order), width)
}

/// Indices of the messages, longest first.
fn order(blocks: &[usize]) -> Vec<u32> {
    if blocks.len() <= CONSIDERED {
        let mut order: Vec<u32> = (0..blocks.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| blocks[b as usize].cmp(&blocks[a as usize]));
        return order;
    }
    // Many: by class of length, in linear time. Up to 64 blocks a class is one length, above a 32nd of an octave.
    const CLASSES: usize = 64 + 32 * 58;
    let class = |blocks: usize| match blocks {
        0..64 => blocks,
        _ => {
            let octave = blocks.ilog2() as usize;
            64 + 32 * (octave - 6) + (blocks >> (octave - 5) & 31)
        }
    };
    let mut begins = [0u32; CLASSES];
    blocks.iter().for_each(|&blocks| begins[class(blocks)] += 1);
    let mut at = 0;
    for begin in begins.iter_mut().rev() {
        (*begin, at) = (at, at + *begin);
    }
    let mut order = vec![0; blocks.len()];
    for (index, &blocks) in blocks.iter().enumerate() {
        let begin = &mut begins[class(blocks)];
        order[*begin as usize] = index as u32;
        *begin += 1;
    }
    order
}
