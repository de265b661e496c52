//! Iterations of a loop that ends by what its data says, where the machine loop has each test of the head once.
//!
//! Each time the last test of the head passes there is an iteration. Where in its cycle a machine loop begins is the
//! compiler's choice. If it begins with the last of two tests, iterations are what gets beyond its first block; if it
//! begins with the first, they are the ways back from its end to its begin.

use super::text::Nest;
use super::variables::Variables;
use super::{Inferred, Loops};
use loopwright_binary::facts::SourceKind;

/// First token, and the token after the last.
type Tokens = (usize, usize);

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
        if !one || !self.is_enough(code, profile, 1) || !nest.runs_out(written) || self.is_placed().is_err() {
            return None;
        }
        let (mut parts, whole, mut last) = nest.tests(written)?;
        if code.exits == 1 {
            // One branch is left of all tests.
            (parts, last) = (1, whole);
        }
        let ends = code.ends.as_ref()?;
        if parts != code.exits as usize || !ends.unclear.is_empty() {
            return None;
        }
        let mut tests = Vec::new();
        for operation in function.operations.iter().filter(|o| o.kind == SourceKind::Load) {
            let place = function.places.get(operation.place as usize)?;
            let token = nest.text().token_at(place.line, place.column);
            // A load that became part of the only test may have the place of the keyword.
            let keyword = parts == 1 && token == Some(nest.written(written).keyword);
            if !keyword && !token.is_some_and(|token| last.0 <= token && token < last.1) {
                continue;
            }
            match self.question.executions.at(operation.address) {
                _ if operation.in_loop == Some(code.index) => tests.push(operation),
                Some(0) => {}
                // What stays the same in the loop is loaded before it.
                _ if token.is_some_and(|token| nest.stays(written, token)) => {}
                // Another test is made elsewhere.
                _ => return None,
            }
        }
        let test = tests.iter().min_by_key(|o| o.address)?;
        let tested = self.question.executions.at(test.address)?;
        let blocks = || code.ranges.iter().flat_map(|&range| self.question.executions.blocks(range));
        let (first, end, begun) = blocks().find(|block| block.0 == code.header)?;
        let again = begun.checked_sub(pieces[at].tally?.entries?)?;
        let in_first = |address: u64| first <= address && address < end;
        let ends_first = ends.data.iter().any(|&branch| in_first(branch));
        let total = match (parts, ends.data.len()) {
            (1, 1) if tested == begun && test.always => again,
            // Whatever gets beyond the first block passed the last test: the one block that always runs, and no more often.
            (2, 1 | 2) if ends_first && tests.iter().all(|o| in_first(o.address)) => {
                blocks().filter(|block| block.0 != first).map(|block| block.2).max().unwrap_or(0)
            }
            (2, 1) if !ends_first => again,
            (2, 2) if ends_first && !tests.iter().any(|o| in_first(o.address)) => again,
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
    /// The reference at a token is to the same place in each iteration.
    fn stays(&self, index: usize, token: usize) -> bool {
        let text = self.text();
        let name = if text.word(token) == "[" { token.saturating_sub(1) } else { token };
        let accesses = Variables::new(text, self.written(index)).reference(name).flatten();
        accesses.is_some_and(|all| !all.is_empty() && all.iter().all(|access| access.moves == Some(0)))
    }

    /// Number of tests in the head, all of which an iteration follows, the tokens of all, and those of the last.
    pub(super) fn tests(&self, index: usize) -> Option<(usize, Tokens, Tokens)> {
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
            Some(at) => (2, condition, (at, condition.1)),
            None => (1, condition, condition),
        })
    }
}
