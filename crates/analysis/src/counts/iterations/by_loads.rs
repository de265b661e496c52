//! Iterations by the bytes that operands load which every iteration reads first of all.
//!
//! What the condition of `if (a[i] > m)` reads from a place where no iteration before has been is read once in each
//! iteration, whatever follows from it: no compiler leaves it out, and none has it from elsewhere. So the bytes that all
//! code of the operand loaded are the iterations times those of one, also where a loop that was unrolled is left in its
//! middle. Copies of the operand must be found by their columns. Clang keeps them. GCC gives copies the columns of their
//! neighbours: there nothing is said unless the loop has no copy of its body beside it.

use super::accesses::Access;
use super::declared::closing;
use super::evidence::{Key, Profile, is_memory, is_plain};
use super::text::Nest;
use super::variables::Variables;
use super::{Inferred, Loops};
use crate::patterns::expression::{Grammar, Sort};
use loopwright_binary::facts::{LoopCode, SourceKind, SourceOperation, SourcePlace};
use std::collections::{BTreeMap, BTreeSet};

/// An operand that each iteration loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loaded {
    pub columns: Columns,
    /// Bytes of an iteration.
    pub bytes: u64,
    /// Bytes from one iteration to the next.
    pub moves: u64,
    /// No other operand of the loop reads what this one has read, or the other way round.
    pub alone: bool,
}

/// Where a reference is written: compilers take the column of the name, or of a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    line: u32,
    first: u32,
    last: u32,
}

impl Columns {
    fn holds(&self, place: &SourcePlace) -> bool {
        place.line == self.line && self.first <= place.column && place.column <= self.last
    }
}

impl Loaded {
    pub fn holds(&self, place: &SourcePlace) -> bool {
        self.columns.holds(place)
    }
}

/// The inlined copy that all pieces belong to.
struct Copy {
    file: u32,
    chain: u32,
    depth: u32,
}

impl Copy {
    fn holds(&self, place: &SourcePlace) -> bool {
        (place.file, place.chain, place.depth) == (self.file, self.chain, self.depth)
    }
}

impl Loops<'_, '_> {
    /// The iterations, where all that is loaded for some operand is certain, and operands agree.
    pub(super) fn by_loads(&self) -> Option<Inferred> {
        let (nest, written) = self.written.filter(|_| !is_plain(self.question.function))?;
        let copy = self.copy().filter(|_| self.is_placed().is_ok())?;
        let mut found: Option<Inferred> = None;
        for loaded in nest.loads(written).iter().filter(|loaded| loaded.alone) {
            let Some(inferred) = self.of_load(loaded, &copy) else { continue };
            if found.as_ref().is_some_and(|known| known.total != inferred.total) {
                return None;
            }
            found.get_or_insert(inferred);
        }
        found
    }

    /// Where the pieces have their code from, if all of it is one copy.
    fn copy(&self) -> Option<Copy> {
        let (function, pieces) = (self.question.function, self.question.pieces);
        let depth = pieces.first()?.code.inlined_from.len() as u32;
        let own: BTreeSet<u32> = pieces.iter().map(|piece| piece.code.index).collect();
        let lines = |place: &SourcePlace| self.work.lines.contains_key(&place.line);
        let copies: BTreeSet<(u32, u32)> = (function.operations.iter())
            .filter(|o| o.in_loop.is_some_and(|l| own.contains(&l)))
            .filter_map(|o| function.places.get(o.place as usize))
            .filter(|place| place.depth == depth && lines(place))
            .map(|place| (place.file, place.chain))
            .collect();
        let &(file, chain) = copies.first().filter(|_| copies.len() == 1)?;
        Some(Copy { file, chain, depth })
    }

    /// The iterations by one operand.
    fn of_load(&self, loaded: &Loaded, copy: &Copy) -> Option<Inferred> {
        let (function, pieces) = (self.question.function, self.question.pieces);
        let own: BTreeMap<u32, usize> =
            pieces.iter().enumerate().map(|(at, piece)| (piece.code.index, at)).collect();
        let (mut done, mut each, mut beside) = (vec![0u64; pieces.len()], vec![0u64; pieces.len()], 0u64);
        let mut others = false;
        let keeps = function.producer.as_ref().is_some_and(|producer| producer.contains("clang"));
        let references = self.written.map(|(nest, written)| nest.references(written)).unwrap_or_default();
        for operation in function.operations.iter().filter(|o| o.kind == SourceKind::Load) {
            let place = function.places.get(operation.place as usize)?;
            if place.line != loaded.columns.line || !copy.holds(place) {
                continue;
            }
            let executions = match self.question.executions.at(operation.address) {
                Some(executions) => executions,
                None if pieces.iter().all(|piece| piece.complete) => 0,
                None => return None,
            };
            let at = operation.in_loop.and_then(|l| own.get(&l).copied());
            if !loaded.holds(place) {
                let known = references.iter().any(|other| other.holds(place));
                others |= at.is_none() && executions > 0 && !(keeps && known);
                continue;
            }
            if operation.masked {
                return None;
            }
            let bytes = executions.checked_mul(u64::from(operation.amount))?;
            match at {
                Some(at) => {
                    done[at] = done[at].checked_add(bytes)?;
                    each[at] = each[at].checked_add(u64::from(operation.amount))?;
                }
                None if executions == 0 => {}
                None if operation.in_loop.is_none_or(|l| self.around(l)) => {
                    beside = beside.checked_add(bytes)?;
                }
                None => return None,
            }
        }
        // A load that became part of another instruction has the place of that.
        if (others || !keeps && beside > 0) && self.is_copied(copy).unwrap_or(true) {
            return None;
        }
        let whole = |bytes: u64| bytes.is_multiple_of(loaded.bytes).then(|| bytes / loaded.bytes);
        let straight = whole(beside)?;
        let (mut factors, mut iterations) = (Vec::new(), Vec::new());
        for (at, piece) in pieces.iter().enumerate() {
            let (done, machine) = (whole(done[at])?, piece.iterations()?);
            let factor = whole(each[at])?;
            iterations.push(done);
            if machine == 0 {
                factors.push(None);
                continue;
            }
            let entries = piece.tally.and_then(|tally| tally.entries)?;
            // The last iteration of an entry may be left before all copies of the operand.
            let least = machine.saturating_sub(entries).checked_mul(factor)?;
            if factor == 0 || done < least || done > machine.checked_mul(factor)? {
                return None;
            }
            if !self.loads_each(piece.code, &self.profiles[at], loaded, factor) {
                return None;
            }
            let certain = done == machine * factor;
            factors.push(u32::try_from(factor).ok().filter(|_| certain));
        }
        let total = iterations.iter().try_fold(straight, |sum, &n| sum.checked_add(n))?;
        let total = self.is_whole(total).ok().filter(|&total| total > 0)?;
        let inferred = straight > 0 || factors.iter().any(|&factor| factor != Some(1));
        Some(Inferred { factors, iterations, straight, total: Some(total), inferred, unknown: None })
    }

    /// The operands show that each machine iteration of the piece does `factor` source iterations, and the compiler did not
    /// join several iterations of an outer loop in it, which would share what they load.
    fn loads_each(&self, code: &LoopCode, profile: &Profile, loaded: &Loaded, factor: u64) -> bool {
        let alone = self.written.is_some_and(|(nest, written)| nest.depth(written) == 0)
            && code.parent.is_none()
            && code.inlined_from.is_empty();
        let places = &self.question.function.places;
        let own = |key: &Key| {
            key.1 == SourceKind::Load && places.get(key.0 as usize).is_some_and(|place| loaded.holds(place))
        };
        let mut own = profile.operators.iter().filter(|(key, _)| own(key)).map(|(_, amount)| amount.stride);
        let apart = loaded.moves.checked_mul(factor);
        let moves = own.all(|stride| stride == apart) && self.is_enough(code, profile, factor);
        let scalar = factor == 1 && !profile.is_packed() && self.is_enough(code, profile, 1);
        (moves || scalar) && (alone || factor == 1 && self.is_one(code, profile))
    }

    /// A part of the loop's body that has to be in each copy of it is in the code outside of the pieces; nothing where there is
    /// no such part.
    fn is_copied(&self, copy: &Copy) -> Option<bool> {
        let (function, pieces) = (self.question.function, self.question.pieces);
        let own: BTreeSet<u32> = pieces.iter().map(|piece| piece.code.index).collect();
        let (nest, written) = self.written?;
        let shows = |o: &&SourceOperation| {
            let place = function.places.get(o.place as usize);
            let works = o.kind == SourceKind::Store || o.floating && !is_memory(o.kind);
            let here = |place: &SourcePlace| {
                copy.holds(place) && nest.holds(written, place.line, place.column)
                    || self.work.lines.contains_key(&place.line) && copy.holds(place)
            };
            works && place.is_some_and(here)
        };
        let outside = |o: &&SourceOperation| o.in_loop.is_none_or(|l| !own.contains(&l));
        let mut works = function.operations.iter().filter(shows).peekable();
        works.peek()?;
        Some(works.any(|o| outside(&o)))
    }
}

impl Nest<'_> {
    /// Operands that each iteration of a loop loads, each from another place than the iteration before.
    pub(super) fn loads(&self, index: usize) -> Vec<Loaded> {
        let (text, written) = (self.text(), self.written(index));
        if !matches!(text.language(), Grammar::C | Grammar::Cxx) {
            return Vec::new();
        }
        let variables = Variables::new(text, written);
        let references: Vec<(usize, Vec<Access>)> = (written.keyword..written.end)
            .filter(|&token| text.sort(token).is_some())
            .filter_map(|token| Some((token, variables.reference(token)??)))
            .collect();
        let has_inside = self.has_inside(index);
        let mut loads = Vec::new();
        for (token, accesses) in &references {
            let Some(load) = accesses.first().filter(|access| !access.store) else { continue };
            let known = load.bytes.zip(load.moves);
            let Some((bytes, moves)) = known.filter(|&(bytes, moves)| 0 < bytes && bytes <= moves) else {
                continue;
            };
            if !self.is_own(index, *token) || !self.comes_first(index, *token) {
                continue;
            }
            // What another operand has read may be kept for this one: where it moves ahead of it, or behind.
            let shares = |other: &Access| {
                other.name == load.name
                    && other.text != load.text
                    && (has_inside || other.moves.is_some_and(|moves| moves > 0))
            };
            let alone = !references.iter().flat_map(|(_, accesses)| accesses).any(shares);
            let Some((begin, end)) = self.operand(*token, written.body) else { continue };
            let ((line, first), (last_line, last)) = (text.position(begin), text.position(end));
            if last_line == line {
                loads.push(Loaded { columns: Columns { line, first, last }, bytes, moves, alone });
            }
        }
        loads
    }

    /// First and last token of whose columns the load of a reference may have one: a load that became part of a comparison
    /// has the place of that, or of its `if`.
    fn operand(&self, token: usize, body: usize) -> Option<(usize, usize)> {
        let text = self.text();
        let end = self.reference_end(token)?;
        let before = |back: usize| token.checked_sub(back).filter(|&at| at >= body);
        let begins = before(2).filter(|&at| text.word(at) == "if" && text.word(at + 1) == "(");
        // The other side is not loaded.
        let other = matches!(text.sort(end + 2), Some(Sort::Name | Sort::Number))
            && matches!(text.word(end + 3), ")" | "&&" | "||");
        let compares = matches!(text.word(end + 1), "==" | "!=" | "<" | ">" | "<=" | ">=") && other;
        Some((begins.unwrap_or(token), if compares { end + 1 } else { end }))
    }

    /// Columns of all references of a loop.
    fn references(&self, index: usize) -> Vec<Columns> {
        let (text, written) = (self.text(), self.written(index));
        let variables = Variables::new(text, written);
        let of = |token: usize| {
            variables.reference(token)??.first()?;
            let ((line, first), end) = (text.position(token), text.position(self.reference_end(token)?));
            (end.0 == line).then_some(Columns { line, first, last: end.1 })
        };
        (written.body..written.end).filter(|&token| text.sort(token).is_some()).filter_map(of).collect()
    }

    /// The last token of the reference that begins at `token`.
    fn reference_end(&self, token: usize) -> Option<usize> {
        let text = self.text();
        if text.word(token) == "*" {
            return Some(token + 1 + usize::from(matches!(text.word(token + 1), "++" | "--")));
        }
        let mut end = token;
        while text.word(end + 1) == "[" {
            end = closing(text, end + 1)?;
        }
        let member = matches!(text.word(end + 1), "." | "->");
        (text.sort(token) == Some(Sort::Name)).then_some(if member { end + 2 } else { end })
    }

    /// Each iteration gets to the token: it is in a statement of the body's own level, or in the condition of one, before
    /// anything that chooses.
    fn comes_first(&self, index: usize, token: usize) -> bool {
        let text = self.text();
        let Some(mut begin) = self.statement_of_each(index, token) else { return false };
        while begin < token && text.is_macro(begin) {
            begin += 1;
        }
        let condition = matches!(text.word(begin), "if" | "switch") && text.word(begin + 1) == "(";
        if condition {
            if closing(text, begin + 1).is_none_or(|close| close < token) {
                return false;
            }
            begin += 1;
        }
        !self.chooses(begin, token)
    }
}
