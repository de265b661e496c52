//! Iterations of a loop that ends by what its data says, where the machine loop has each test of the head once.
//!
//! Each time the last test of the head passes there is an iteration. Where in its cycle a machine loop begins is the
//! compiler's choice. If it begins with the last of two tests, the other one is made after each iteration; if it begins
//! with the first, iterations are the ways back from its end to its begin.

use super::text::Nest;
use super::variables::Variables;
use super::{Inferred, Loops};
use loopwright_binary::facts::SourceKind;

impl Loops<'_, '_> {
    /// The iterations, where every test was made in the one machine loop that ran.
    pub(super) fn by_head(&self) -> Option<Inferred> {
        let (function, pieces) = (self.question.function, self.question.pieces);
        let (nest, written) = self.written?;
        let iterations: Vec<u64> = pieces.iter().map(|piece| piece.iterations()).collect::<Option<_>>()?;
        let mut ran = (0..pieces.len()).filter(|&at| iterations[at] > 0);
        let (at, None) = (ran.next()?, ran.next()) else { return None };
        let (code, profile) = (pieces[at].code, &self.profiles[at]);
        let one = code.innermost && !profile.is_packed() && self.is_one(code, profile);
        if !one || !self.is_enough(code, profile, 1) || !nest.runs_out(written) {
            return None;
        }
        let (parts, last) = nest.tests(written)?;
        let ends = code.ends.as_ref()?;
        if parts != code.exits as usize || !ends.unclear.is_empty() {
            return None;
        }
        let (mut tests, mut before) = (Vec::new(), Vec::new());
        for operation in function.operations.iter().filter(|o| o.kind == SourceKind::Load) {
            let place = function.places.get(operation.place as usize)?;
            let token = nest.text().token_at(place.line, place.column);
            // A load that became part of the only test may have the place of the keyword.
            let keyword = parts == 1 && token == Some(nest.written(written).keyword);
            if !keyword && !token.is_some_and(|token| last.0 <= token && token < last.1) {
                let earlier = nest.in_condition(written, place.line, place.column);
                before
                    .extend((earlier && operation.in_loop == Some(code.index)).then_some(operation.address));
                continue;
            }
            match self.question.executions.at(operation.address) {
                _ if operation.in_loop == Some(code.index) => tests.push(operation),
                Some(0) => {}
                // Another test is made elsewhere.
                _ => return None,
            }
        }
        let test = tests.iter().min_by_key(|o| o.address)?;
        let tested = self.question.executions.at(test.address)?;
        let begun = self.question.executions.at(code.header)?;
        let entries = pieces[at].tally?.entries?;
        let again = begun.checked_sub(entries)?;
        let total = match (parts, ends.data.as_slice()) {
            (1, [_]) if tested == begun && test.always => again,
            (2, [_]) if tested < begun => again,
            (2, [one, other]) => {
                let first = [*one, *other].into_iter().filter(|&end| end >= code.header).min()?;
                let header = code.header..=first;
                let inside = tests.iter().filter(|o| header.contains(&o.address)).count();
                match inside {
                    0 => again,
                    all if all == tests.len() => {
                        // The other test follows each iteration.
                        let follows = before.iter().min().filter(|address| !header.contains(address));
                        follows.and_then(|&address| self.question.executions.at(address))?
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        let mut inferred = Inferred { factors: vec![None; pieces.len()], ..Inferred::default() };
        inferred.factors[at] = Some(1);
        inferred.iterations = vec![0; pieces.len()];
        inferred.iterations[at] = total;
        inferred.total = Some(total).filter(|&total| total > 0);
        inferred.inferred = true;
        inferred.total.is_some().then_some(inferred)
    }
}

impl Nest<'_> {
    /// Number of tests in the head, all of which an iteration follows, and the tokens of the last.
    pub(super) fn tests(&self, index: usize) -> Option<(usize, (usize, usize))> {
        let (text, written) = (self.text(), self.written(index));
        if !self.tests_all(index) {
            return None;
        }
        let condition = match text.word(written.keyword) {
            "for" => *Variables::new(text, written).head()?.get(1)?,
            _ => (written.keyword + 2, written.body.checked_sub(1)?),
        };
        let mut between = (condition.0..condition.1).filter(|&token| text.word(token) == "&&");
        let (first, None) = (between.next(), between.next()) else { return None };
        Some(match first {
            Some(at) => (2, (at + 1, condition.1)),
            None => (1, condition),
        })
    }
}
