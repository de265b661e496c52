//! From a seed to a scenario.

use super::features::Features;
use super::model::{Convention, End, Function, Level, Scenario, Shape, Symbol};
use super::nodes::{Author, Numbers};
use super::registers::{ALL, CALLEE_SAVED, Register, Set, members};
use crate::random::Random;

/// The ingredients of scenarios.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Features that they may contain.
    pub allowed: Features,
    /// Features that they must contain.
    pub wanted: Features,
    /// The calling convention of all, unless it is random.
    pub convention: Option<Convention>,
    /// Vector instructions.
    pub level: Level,
}

impl Default for Recipe {
    fn default() -> Self {
        Self { allowed: Features::ALL, wanted: Features::NONE, convention: None, level: Level::Sse2 }
    }
}

/// The scenario of a seed.
pub fn scenario(seed: u64, recipe: &Recipe) -> Scenario {
    let random = &mut Random::new(seed);
    let percent = random.pick(&[15, 30, 60]);
    let mut features = recipe.allowed.some(random, percent).or(recipe.wanted);
    let drawn = random.pick(&[
        Convention::Free,
        Convention::Free,
        Convention::Known,
        Convention::Known,
        Convention::SystemV,
        Convention::Go,
    ]);
    let convention = recipe.convention.unwrap_or(drawn);
    if convention != Convention::Free {
        // State that the ABIs require to be unchanged at every call.
        features = features.without(Features::of(&["direction", "x87", "mxcsr"]));
    }
    let count = random.within(2, 7) as usize;
    let mut numbers = Numbers::default();
    // Callees first, so that callers know which registers they write.
    let mut made: Vec<Function> = Vec::new();
    for id in (0..count).rev() {
        let function = function(random, &mut numbers, features, convention, recipe.level, &made, id);
        made.push(function);
    }
    made.reverse();
    for k in 1..made.len() {
        // Functions that fall through into each other are placed together.
        if made[k - 1].end == End::Fall(made[k].id) {
            made[k - 1].shape.writable = false;
            made[k].shape.writable = false;
        }
    }
    Scenario { seed, features, convention, level: recipe.level, functions: made }
}

fn function(
    random: &mut Random,
    numbers: &mut Numbers,
    features: Features,
    convention: Convention,
    level: Level,
    callees: &[Function],
    id: usize,
) -> Function {
    let leaf = features.has("redzone") && random.chance(50);
    // Some registers may stay unused, so that callers keep values in them.
    let mut writable = ALL;
    if convention == Convention::Known || convention == Convention::Free && random.chance(50) {
        writable &= random.bits() as Set | random.bits() as Set;
    }
    let in_writable = features.has("written") && random.chance(50);
    let mut author = Author {
        random,
        numbers,
        features,
        convention,
        level,
        callees,
        leaf,
        writable,
        written: 0,
        cost: 4,
        times: 1,
        below: 0,
        depth: 0,
        away: false,
        in_writable,
    };
    let mut body = Vec::new();
    let entered = author.entered();
    if !entered.is_empty() {
        body.push(super::model::Node::Code(entered));
    }
    body.extend(author.parts(0));
    let (mut writes, mut cost) = (author.written, author.cost);
    let saves: Vec<Register> = match convention {
        Convention::Free if random.chance(40) => members(writes & random.bits() as Set & CALLEE_SAVED),
        Convention::Free | Convention::Go => Vec::new(),
        Convention::Known | Convention::SystemV => members(writes & CALLEE_SAVED),
    };
    let frame = if !leaf && random.chance(50) { 8 * random.below(20) as u32 } else { 0 };
    let bare = saves.is_empty() && frame == 0;
    let popped = if id > 0 && features.has("pushed") && random.chance(20) {
        8 * random.within(1, 2) as u32
    } else {
        0
    };
    let end = ending(random, features, callees, (&mut writes, &mut cost), popped, leaf);
    for r in &saves {
        writes &= !r.bit();
    }
    let second_entry =
        (bare && convention == Convention::Free && features.has("middle") && random.chance(60))
            .then(|| random.below(body.len() as u64 + 1) as usize);
    let mut shape = shape(random, features);
    shape.writable = in_writable;
    Function { id, saves, frame, body, end, shape, second_entry, popped, writes, cost, leaf }
}

fn ending(
    random: &mut Random,
    features: Features,
    callees: &[Function],
    (writes, cost): (&mut Set, &mut u64),
    popped: u32,
    leaf: bool,
) -> End {
    // The target of the jump returns in place of this function.
    let fits: Vec<&Function> = callees.iter().filter(|f| f.popped == popped).collect();
    if fits.is_empty() {
        return End::Return;
    }
    let chosen = random.pick(&fits);
    let next = callees.last().filter(|f| f.popped == popped);
    let end = match random.below(8) {
        0 | 1 if features.has("tails") => End::Tail(chosen.id),
        2 if features.has("middle") && chosen.second_entry.is_some() => End::TailInto(chosen.id),
        3 if features.has("fall") && next.is_some() => End::Fall(next.map_or(0, |f| f.id)),
        4 if features.has("returns") && !leaf => End::PushReturn(chosen.id),
        5 if features.has("tails") && *writes & !CALLEE_SAVED != 0 => {
            End::Register(chosen.id, random.pick(&members(*writes & !CALLEE_SAVED)))
        }
        6 => End::RepeatReturn,
        _ => End::Return,
    };
    let target = match end {
        End::Return | End::RepeatReturn => return if popped > 0 { End::Return } else { end },
        End::Fall(_) => next,
        _ => Some(chosen),
    };
    if let Some(target) = target {
        *writes |= target.writes;
        *cost += target.cost;
    }
    end
}

fn shape(random: &mut Random, features: Features) -> Shape {
    let symbol = if features.has("symbols") {
        random.pick(&[
            Symbol::Full,
            Symbol::Local,
            Symbol::NoSize,
            Symbol::NoType,
            Symbol::Absent,
            Symbol::Spanning,
            Symbol::Short,
        ])
    } else {
        random.pick(&[Symbol::Full, Symbol::Local])
    };
    let data = features.has("data") && random.chance(50);
    Shape {
        symbol,
        align: random.pick(&[0, 0, 2, 4, 4, 5]),
        unwind: random.chance(30),
        data_before: if data {
            (0..random.within(1, 12)).map(|_| random.bits() as u8).collect()
        } else {
            Vec::new()
        },
        cold: features.has("cold") && random.chance(10),
        writable: false,
    }
}
