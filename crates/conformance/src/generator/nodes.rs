//! The bodies of functions: straight pieces, branches, loops, calls, computed jumps, nested at random.

use super::features::Features;
use super::model::{CallForm, Convention, Function, Guard, Level, Node, Place, Table};
use super::pieces::{Pen, SLOT_COUNT, SLOTS};
use super::registers::{
    ALL, ARGUMENTS, CALLEE_SAVED, GO_RESULTS, RAX, RBX, RCX, RDI, RDX, RESULTS, RSI, Register, Set, members,
};
use crate::random::Random;

/// Most instructions of a call of the first function, by estimate.
const MOST_COST: u64 = 20_000;

/// Numbers that are used once in a scenario.
#[derive(Default)]
pub struct Numbers {
    label: u32,
    slot: u32,
    stack: u32,
}

impl Numbers {
    /// Reserves this number of labels; returns the first.
    pub fn labels(&mut self, count: u32) -> u32 {
        self.label += count;
        self.label - count
    }

    /// Distance of another stack below the stack pointer. Any of them may be created on any other: sums are
    /// unique, and all of them fit into the driver's stack.
    fn stack(&mut self) -> Option<u32> {
        let stack = self.stack;
        self.stack += 1;
        (stack < 4).then(|| 16384 << stack)
    }

    /// The offset of eight unused bytes in the data, as long as there are some.
    pub fn slot(&mut self) -> Option<u32> {
        let slot = self.slot;
        self.slot += 1;
        (slot < SLOT_COUNT).then_some(SLOTS + slot * 8)
    }
}

/// Writes the body of one function.
pub struct Author<'a> {
    /// Random numbers.
    pub random: &'a mut Random,
    /// Labels and slots.
    pub numbers: &'a mut Numbers,
    /// Features that may be used.
    pub features: Features,
    /// Which registers survive calls.
    pub convention: Convention,
    /// Vector instructions.
    pub level: Level,
    /// Functions that may be called.
    pub callees: &'a [Function],
    /// The function calls nothing and pushes nothing.
    pub leaf: bool,
    /// Registers that may be written at this point.
    pub writable: Set,
    /// Registers that were written.
    pub written: Set,
    /// Estimate of the instructions executed so far, in one execution of this point.
    pub cost: u64,
    /// Product of the iterations of the loops around this point.
    pub times: u64,
    /// Slots below the stack pointer that are in use.
    pub below: i32,
    /// Loops around this point.
    pub depth: u32,
    /// On another stack, from which a return is not possible.
    pub away: bool,
    /// The function is in a writable section.
    pub in_writable: bool,
}

impl Author<'_> {
    fn pen(&mut self) -> Pen<'_> {
        Pen {
            random: self.random,
            features: self.features,
            level: self.level,
            writable: self.writable,
            written: self.written,
            leaf: self.leaf,
        }
    }

    fn with_pen<R>(&mut self, write: impl FnOnce(&mut Pen<'_>) -> R) -> R {
        let mut pen = self.pen();
        let made = write(&mut pen);
        self.written = pen.written;
        made
    }

    /// One to six pieces.
    fn code(&mut self) -> Node {
        let count = self.random.within(1, 5);
        let lines: Vec<String> = (0..count).flat_map(|_| self.with_pen(|p| p.piece())).collect();
        self.cost += lines.len() as u64 * self.times;
        Node::Code(lines)
    }

    /// The test of a branch: none where flags from before may decide.
    fn test(&mut self) -> Vec<String> {
        if self.features.has("flags") && self.random.chance(50) {
            Vec::new()
        } else {
            self.with_pen(|p| p.test())
        }
    }

    /// A random number of parts.
    pub fn parts(&mut self, nesting: u32) -> Vec<Node> {
        let count = self.random.within(1, if nesting == 0 { 6 } else { 3 });
        (0..count).map(|_| self.part(nesting)).collect()
    }

    fn part(&mut self, nesting: u32) -> Node {
        if nesting >= 4 {
            return self.code();
        }
        for _ in 0..8 {
            let made = match self.random.below(18) {
                0..=3 => Some(self.code()),
                4 | 5 => Some(self.branch(nesting)),
                6..=8 => self.repeated(nesting),
                9 | 10 => self.called(),
                11 if self.features.has("tables") => self.dispatched(nesting),
                12 if self.features.has("breaks") && self.depth > 0 => Some(Node::Leave {
                    test: self.test(),
                    condition: self.with_pen(|p| p.condition()),
                    next: self.random.chance(40),
                }),
                13 if self.features.has("returns") && !self.away => Some(Node::Return {
                    test: self.test(),
                    condition: self.with_pen(|p| p.condition()),
                    label: self.numbers.labels(1),
                }),
                14 if self.features.has("symbols") && self.random.chance(40) => {
                    Some(Node::Mark { label: self.numbers.labels(1) })
                }
                15 if self.features.has("recursion") && self.depth == 0 && !self.leaf => self.recursion(),
                16 if self.features.has("contexts") => self.switched(nesting),
                17 if self.in_writable => self.written(),
                _ => None,
            };
            if let Some(node) = made {
                return node;
            }
        }
        self.code()
    }

    fn branch(&mut self, nesting: u32) -> Node {
        let test = self.test();
        let condition = self.with_pen(|p| p.condition());
        let label = self.numbers.labels(2);
        let then = self.parts(nesting + 1);
        let otherwise = if self.random.chance(50) { self.parts(nesting + 1) } else { Vec::new() };
        let place = match self.random.below(6) {
            0 if self.features.has("cold") => Place::Cold(true),
            1 if self.features.has("cold") => Place::Cold(false),
            2 if self.features.has("cold") => Place::Behind,
            _ => Place::Inline,
        };
        Node::If { test, condition, then, otherwise, place, label }
    }

    fn repeated(&mut self, nesting: u32) -> Option<Node> {
        let times = self.random.pick(&[1, 2, 2, 3, 5, 9]) as u32;
        if self.cost + self.times * u64::from(times) * 40 > MOST_COST {
            return None;
        }
        let guard = self.guard(times)?;
        let (before, below) = (self.writable, self.below);
        if let Guard::Memory { at, .. } = guard
            && at < 0
        {
            self.below = -at / 8;
        }
        for r in guard_registers(guard) {
            self.writable &= !r.bit();
            self.written |= r.bit();
        }
        self.times *= u64::from(times);
        self.depth += 1;
        let label = self.numbers.labels(6);
        let body = self.parts(nesting + 1);
        self.depth -= 1;
        self.times /= u64::from(times);
        (self.writable, self.below) = (before, below);
        let middle = (self.features.has("irreducible") && self.random.chance(50))
            .then(|| self.random.below(body.len() as u64 + 1) as usize);
        Some(Node::Loop { guard, body, middle, label })
    }

    fn guard(&mut self, times: u32) -> Option<Guard> {
        let counter = |this: &mut Self, except: Set| {
            let choices = members(this.writable & !except);
            (!choices.is_empty()).then(|| this.random.pick(&choices))
        };
        Some(match self.random.below(8) {
            0 => Guard::Decrement(counter(self, 0)?, times),
            1 => Guard::Subtract(counter(self, 0)?, times),
            2..=4 => {
                let r = counter(self, 0)?;
                let bound = if self.random.chance(50) { Some(counter(self, r.bit())?) } else { None };
                Guard::Compare {
                    counter: r,
                    start: self.random.below(100) as i32 - 50,
                    step: self.random.pick(&[1, 1, 1, 4, 8, -1]),
                    times,
                    bound,
                    top: self.random.chance(30),
                }
            }
            5 if self.writable & RCX.bit() != 0 => Guard::Loop(times),
            6 if self.writable & RCX.bit() != 0 => Guard::Jrcxz(times),
            7 if self.leaf && self.below < 12 => Guard::Memory { at: -(self.below + 1) * 8, times },
            7 => Guard::Memory { at: self.numbers.slot()? as i32, times },
            _ => return None,
        })
    }

    /// Registers that a call of this function changes, as far as its caller may know.
    fn clobbers(&self, callee: &Function) -> Set {
        match self.convention {
            Convention::Free => callee.writes,
            Convention::Known => callee.writes & !CALLEE_SAVED,
            Convention::SystemV => ALL & !CALLEE_SAVED,
            Convention::Go => ALL,
        }
    }

    fn called(&mut self) -> Option<Node> {
        if self.leaf {
            return None;
        }
        let reserved = ALL & !self.writable;
        let fits: Vec<usize> = (0..self.callees.len())
            .filter(|&k| {
                let callee = &self.callees[k];
                self.clobbers(callee) & reserved == 0 && self.cost + self.times * callee.cost < MOST_COST
            })
            .collect();
        if fits.is_empty() {
            return None;
        }
        let callees = self.callees;
        let callee = &callees[self.random.pick(&fits)];
        let clobbered = self.clobbers(callee);
        self.written |= clobbered;
        self.cost += self.times * (callee.cost + 4);
        let form = self.form();
        if let CallForm::Register(r) = form {
            self.written |= r.bit();
        }
        let mut before = Vec::new();
        if callee.popped > 0 {
            before.extend(
                (0..callee.popped / 8).map(|_| format!("push {}", self.with_pen(|p| p.any()).name(8))),
            );
        }
        Some(Node::Call {
            before,
            callee: callee.id,
            second: callee.second_entry.is_some() && self.features.has("middle") && self.random.chance(60),
            form,
            after: self.restored(clobbered),
            label: self.numbers.labels(2),
        })
    }

    fn form(&mut self) -> CallForm {
        let choices = members(self.writable);
        match self.random.below(8) {
            0 | 1 if self.features.has("indirect") && !choices.is_empty() => {
                CallForm::Register(self.random.pick(&choices))
            }
            2 if self.features.has("indirect") => CallForm::Memory,
            3 if self.features.has("pushed") => CallForm::PushJump,
            4 if self.features.has("pushed") => CallForm::PushReturn,
            5 if self.features.has("pushed") => CallForm::Stub,
            _ => CallForm::Direct,
        }
    }

    /// Gives new values to registers that a caller may not read after a call.
    fn restored(&mut self, clobbered: Set) -> Vec<String> {
        let lost = match self.convention {
            Convention::Free => return Vec::new(),
            Convention::Known | Convention::SystemV => clobbered & !RESULTS,
            Convention::Go => clobbered & !GO_RESULTS,
        };
        let mut lines = scrubbed(self.random, lost);
        lines.extend(scrubbed_vectors(self.level, self.convention == Convention::SystemV));
        lines
    }

    fn dispatched(&mut self, nesting: u32) -> Option<Node> {
        let choices = members(self.writable);
        if choices.len() < 2 {
            return None;
        }
        let index = self.random.pick(&choices);
        let rest: Vec<Register> = choices.into_iter().filter(|r| *r != index).collect();
        let scratch = self.random.pick(&rest);
        self.written |= index.bit() | scratch.bit();
        let mut forms = vec![Table::Absolute, Table::InCode, Table::Loaded, Table::Relative];
        if self.features.has("computed") {
            forms.extend([Table::Short, Table::Arithmetic, Table::Chosen]);
            if !self.leaf {
                forms.push(Table::PushReturn);
            }
        }
        let form = self.random.pick(&forms);
        let count = if form == Table::Chosen { 2 } else { self.random.pick(&[2, 4, 8]) };
        let label = self.numbers.labels(count + 2);
        let arms = (0..count).map(|_| self.parts(nesting + 2)).collect();
        Some(Node::Dispatch { index, scratch, form, arms, label })
    }

    fn switched(&mut self, nesting: u32) -> Option<Node> {
        if self.leaf || self.away || self.convention != Convention::Free {
            return None;
        }
        let rounds = self.random.within(1, 4) as u32;
        if self.cost + self.times * u64::from(rounds) * 100 > MOST_COST {
            return None;
        }
        let slot = self.numbers.slot()?;
        self.numbers.slot()?;
        let stack = self.numbers.stack()?;
        let label = self.numbers.labels(4);
        // As in a loop: a recursive call would use the same stack once more.
        self.depth += 1;
        self.times *= u64::from(rounds);
        let own = self.parts(nesting + 1);
        self.away = true;
        let other = self.parts(nesting + 1);
        self.away = false;
        self.times /= u64::from(rounds);
        self.depth -= 1;
        Some(Node::Contexts { own, other, slot, stack, rounds, jumps: self.random.chance(50), label })
    }

    fn written(&mut self) -> Option<Node> {
        // The constant of a move begins at its second byte where the register needs no prefix.
        let choices = members(self.writable & 0xff);
        if choices.is_empty() {
            return None;
        }
        let register = self.random.pick(&choices);
        self.written |= register.bit();
        Some(Node::Written { register, value: self.random.bits() as u32 })
    }

    fn recursion(&mut self) -> Option<Node> {
        // The inner call's changes are not known yet: only where everything may change.
        if self.away || self.convention != Convention::Free || self.writable != ALL {
            return None;
        }
        if self.cost > MOST_COST / 16 {
            return None;
        }
        let slot = self.numbers.slot()?;
        self.written |= ALL;
        self.times *= 4;
        self.cost *= 4;
        Some(Node::Recurse { slot, label: self.numbers.labels(1) })
    }

    /// Gives values to registers that are undefined when the function is entered.
    pub fn entered(&mut self) -> Vec<String> {
        match self.convention {
            Convention::Free => Vec::new(),
            Convention::Known | Convention::SystemV => self.defined(ALL & !ARGUMENTS & !CALLEE_SAVED),
            Convention::Go => {
                self.defined(Register(12).bit() | Register(13).bit() | Register(15).bit() | RDX.bit())
            }
        }
    }

    fn defined(&mut self, lost: Set) -> Vec<String> {
        let lost = lost & self.writable;
        self.written |= lost;
        scrubbed(self.random, lost)
    }
}

/// Registers that a loop's counter needs.
fn guard_registers(guard: Guard) -> Vec<Register> {
    match guard {
        Guard::Decrement(r, _) | Guard::Subtract(r, _) => vec![r],
        Guard::Compare { counter, bound, .. } => std::iter::once(counter).chain(bound).collect(),
        Guard::Loop(_) | Guard::Jrcxz(_) => vec![RCX],
        Guard::Memory { .. } => Vec::new(),
    }
}

/// Constants for registers, and flags that no code has waited for.
fn scrubbed(random: &mut Random, lost: Set) -> Vec<String> {
    let mut lines: Vec<String> = members(lost)
        .into_iter()
        .map(|r| match random.below(3) {
            0 => format!("xor {0}, {0}", r.name(4)),
            _ => format!("mov ${}, {}", random.below(1 << 20), r.name(4)),
        })
        .collect();
    lines.push(format!("test {0}, {0}", random.pick(&[RAX, RBX, RSI, RDI]).name(8)));
    lines
}

/// Zeroes for the vector registers and masks that a call may have changed.
fn scrubbed_vectors(level: Level, result: bool) -> Vec<String> {
    let mut lines: Vec<String> = (u32::from(result)..16).map(|n| format!("pxor %xmm{n}, %xmm{n}")).collect();
    match level {
        Level::Sse2 => {}
        Level::Avx2 => lines.push("vzeroupper".to_owned()),
        Level::Avx512 => {
            lines.push("vzeroupper".to_owned());
            lines.extend((16..32).map(|n| format!("vpxord %zmm{n}, %zmm{n}, %zmm{n}")));
            lines.extend((0..8).map(|n| format!("kxorq %k{n}, %k{n}, %k{n}")));
        }
    }
    lines
}
