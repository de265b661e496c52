//! Keeps the lanes full: runs any number of pieces of work of unequal length on the engines of a level.

use super::choice::Engines;
use super::lanes::{Lanes, MOST, RoundKeys};
use std::ptr;
use zeroize::Zeroize;

/// What a piece of work does per step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Encrypts 64 bytes and compresses a block.
    Both,
    /// Compresses a block.
    Hash,
    /// Encrypts 16 bytes.
    Rows,
}

/// Some steps for one message.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Whose it is: the caller's mark.
    pub owner: usize,
    /// Steps to do.
    pub steps: usize,
    /// What to encrypt; unused where nothing is.
    pub data: *mut u8,
    /// What to compress; unused where nothing is.
    pub hash: *const u8,
    /// Unused where nothing is encrypted.
    pub keys: *const RoundKeys,
    /// The hash's state.
    pub state: [u32; 8],
    /// The last block of ciphertext.
    pub chain: [u8; 16],
}

impl Work {
    /// Nothing to do.
    pub const NONE: Work = Work {
        owner: 0,
        steps: 0,
        data: ptr::null_mut(),
        hash: ptr::null(),
        keys: ptr::null(),
        state: [0; 8],
        chain: [0; 16],
    };
}

/// Does all of `works`, longest first, and brings their states and chains forward; their order changes. Lanes that get
/// free take the next piece; when fewer are left than the engine has lanes, a narrower one goes on. `lanes` keeps the
/// round keys from one call to the next.
///
/// # Safety
/// The pointers of each piece must be good for its steps (as for [`super::lanes::both`] and [`super::lanes::rows`]), no
/// two pieces may encrypt the same bytes, the engines' level must be available, and keys that `lanes` has seen before must
/// be there still.
pub unsafe fn run(lanes: &mut Lanes, engines: &Engines, kind: Kind, rounds: usize, works: &mut [Work]) {
    works.sort_unstable_by_key(|work| std::cmp::Reverse(work.steps));
    let all = works.partition_point(|work| work.steps > 0);
    let works = &mut works[..all];
    let (encrypts, rounds, bytes) = match kind {
        Kind::Both => (true, rounds, 64),
        Kind::Hash => (false, 0, 64),
        Kind::Rows => (true, rounds, 16),
    };
    let mut running = [Work::NONE; MOST];
    // Pieces that run have left their place in `works` to those that are done or have to wait:
    // done + live = next.
    let (mut done, mut live, mut next) = (0, 0, 0);
    while done < works.len() {
        let engine = engines.engine(works.len() - done);
        // A narrower engine than before: the surplus waits.
        while live > engine.lanes {
            live -= 1;
            next -= 1;
            leave(lanes, live, &mut running[live]);
            works[next] = running[live];
        }
        while live < engine.lanes && next < works.len() {
            running[live] = works[next];
            enter(lanes, live, &running[live]);
            next += 1;
            live += 1;
        }
        let mut steps = usize::MAX;
        for (lane, work) in running.iter().enumerate().take(live) {
            steps = steps.min(work.steps);
            lanes.data[lane] = work.data;
            lanes.hash[lane] = work.hash;
            if encrypts {
                // SAFETY: the caller vouches for the keys.
                unsafe { lanes.set_keys(lane, work.keys, engine.table) };
            }
        }
        for lane in live..engine.lanes {
            // SAFETY: lane 0 has got its keys where they are used.
            unsafe { lanes.copy(0, lane, encrypts && engine.table) };
        }
        // SAFETY: the caller vouches for the level and for pointers good for each piece's steps, of which these are
        // no more; every lane of the engine has its pointers and keys, the spare ones those of lane 0.
        unsafe {
            match kind {
                Kind::Rows => (engine.rows)(lanes, steps, rounds),
                _ => (engine.both)(lanes, steps, rounds),
            }
        }
        let mut lane = 0;
        while lane < live {
            let work = &mut running[lane];
            work.steps -= steps;
            // After the last step they may point behind what is theirs; they are not used again then.
            work.data = work.data.wrapping_add(bytes * steps);
            work.hash = work.hash.wrapping_add(bytes * steps);
            if work.steps > 0 {
                lane += 1;
                continue;
            }
            leave(lanes, lane, work);
            works[done] = *work;
            done += 1;
            live -= 1;
            if lane < live {
                running[lane] = running[live];
                // SAFETY: nothing is done with the keys but to note them.
                unsafe { lanes.copy(live, lane, false) };
            }
        }
    }
    for work in running.iter_mut().take(works.len()) {
        work.state.zeroize();
    }
}

fn enter(lanes: &mut Lanes, lane: usize, work: &Work) {
    lanes.set_state(lane, &work.state);
    lanes.chain[lane] = work.chain;
}

fn leave(lanes: &Lanes, lane: usize, work: &mut Work) {
    work.state = lanes.state(lane);
    work.chain = lanes.chain[lane];
}
