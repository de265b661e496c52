//! Address differences between the lanes of a gather or scatter: one execution at a time.

use super::values::Values;
use crate::facts::LaneSteps;

/// Sums over executions, and the state of the current execution.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    steps: Values,
    affine: u64,
    ascending: u64,
    lines: u64,
    active: u64,
    now: Execution,
}

#[derive(Clone, Debug, Default)]
struct Execution {
    lanes: u64,
    last: u64,
    step: Option<i64>,
    crooked: bool,
    descends: bool,
    lines: Vec<u64>,
}

impl Lanes {
    /// Adds the next active lane; `line_bits` is the logarithm of the line's bytes.
    pub fn add(&mut self, address: u64, size: u32, line_bits: u32) {
        let now = &mut self.now;
        if now.lanes > 0 {
            let step = address.wrapping_sub(now.last) as i64;
            self.steps.add(step, 1);
            now.crooked |= now.step.is_some_and(|known| known != step);
            now.descends |= step < 0;
            now.step.get_or_insert(step);
        }
        now.lanes += 1;
        now.last = address;
        let last_byte = address.saturating_add(u64::from(size.max(1) - 1));
        for line in [address >> line_bits, last_byte >> line_bits] {
            if !now.lines.contains(&line) {
                now.lines.push(line);
            }
        }
    }

    /// The execution is complete.
    pub fn end(&mut self) {
        let now = &mut self.now;
        if now.lanes == 0 {
            return;
        }
        self.affine += u64::from(!now.crooked);
        self.ascending += u64::from(!now.descends);
        self.lines += now.lines.len() as u64;
        self.active += now.lanes;
        now.lines.clear();
        (now.lanes, now.step, now.crooked, now.descends) = (0, None, false, false);
    }

    /// Adds the sums of another thread.
    pub fn absorb(&mut self, other: &Self) {
        self.steps.absorb(&other.steps);
        self.affine += other.affine;
        self.ascending += other.ascending;
        self.lines += other.lines;
        self.active += other.active;
    }

    /// The sums in the form of the facts.
    pub fn facts(&self) -> LaneSteps {
        let (values, others) = self.steps.most_frequent();
        LaneSteps {
            values,
            others,
            affine: self.affine,
            ascending: self.ascending,
            lines: self.lines,
            active: self.active,
        }
    }
}
