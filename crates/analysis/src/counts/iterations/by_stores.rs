//! Iterations by the bytes that statements store which every iteration executes.
//!
//! A store is never done ahead of time, twice, or for an iteration that does not happen; and where each goes to another
//! place than the last, none is left out. However a loop was unrolled, vectorised, peeled or left in its middle, the bytes
//! that all code of the statement stored are the iterations times the bytes of one. The text shows which statements
//! these are: at the body's own level, with nothing before them that could pass them by. What replaces stores (a call of
//! `memset`, string instructions, variables of the frame, masks) is looked for, and then nothing is said.

use super::declared::closing;
use super::evidence::{Profile, is_plain};
use super::text::Nest;
use super::variables::Variables;
use super::{Inferred, Loops};
use crate::patterns::expression::Grammar;
use loopwright_binary::facts::{OtherStoreKind, SourceKind};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A wider element is a structure or a complex number, which is stored in parts.
const WIDEST: u64 = 8;

/// Statements that store in each iteration.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Stores {
    lines: BTreeSet<u32>,
    /// Bytes of an iteration, of all lines.
    pub bytes: u64,
    /// Some store what was there before, under a condition: compilers may leave that out in a copy for the condition.
    chooses: bool,
}

impl Loops<'_, '_> {
    /// The iterations, where all that the loop stores is certain.
    pub(super) fn by_stores(&self) -> Option<Inferred> {
        let (function, pieces) = (self.question.function, self.question.pieces);
        let (nest, written) = self.written?;
        let stores = nest.stores(written).filter(|stores| stores.lines.is_disjoint(&self.work.inner))?;
        let own: BTreeMap<u32, usize> =
            pieces.iter().enumerate().map(|(at, piece)| (piece.code.index, at)).collect();
        let (first, last) = nest.lines(written);
        if self.is_replaced(&own, (first, last)) {
            return None;
        }
        let depth = pieces.first()?.code.inlined_from.len() as u32;
        let chains: BTreeSet<(u32, u32)> = function
            .operations
            .iter()
            .filter(|o| o.in_loop.is_some_and(|l| own.contains_key(&l)))
            .filter_map(|o| function.places.get(o.place as usize))
            .filter(|place| place.depth == depth && stores.lines.contains(&place.line))
            .map(|place| (place.file, place.chain))
            .collect();
        if chains.len() != 1 {
            return None;
        }
        let head = pieces.first()?.code.location.as_ref()?.line;
        let (mut by_piece, mut beside) = (vec![0u64; pieces.len()], 0u64);
        for operation in function.operations.iter().filter(|o| o.kind == SourceKind::Store) {
            let place = function.places.get(operation.place as usize)?;
            let at = operation.in_loop.and_then(|l| own.get(&l).copied());
            let is_one = chains.contains(&(place.file, place.chain)) && place.depth == depth;
            let is_here = is_one && (stores.lines.contains(&place.line) || place.line == head);
            if !is_here && at.is_none() {
                continue;
            }
            let executions = match self.question.executions.at(operation.address) {
                Some(executions) => executions,
                None if pieces.iter().all(|piece| piece.complete) => 0,
                None => return None,
            };
            if executions == 0 {
                continue;
            }
            // Other stores of the loop: what it calls, loops inside that are no loops any more, or misplaced ones.
            let inside =
                is_one && self.work.inner.contains(&place.line) && !stores.lines.contains(&place.line);
            if !is_here && inside {
                continue;
            }
            if !is_here || operation.masked || stores.chooses && at.is_some() && !operation.always {
                return None;
            }
            let bytes = executions.checked_mul(u64::from(operation.amount))?;
            match at {
                Some(at) => by_piece[at] = by_piece[at].checked_add(bytes)?,
                None if operation.in_loop.is_none_or(|l| self.around(l)) => {
                    beside = beside.checked_add(bytes)?
                }
                None => return None,
            }
        }
        self.of_bytes(&stores, &by_piece, beside)
    }

    /// Iterations by bytes stored in the pieces and beside them.
    fn of_bytes(&self, stores: &Stores, by_piece: &[u64], beside: u64) -> Option<Inferred> {
        let pieces = self.question.pieces;
        let whole = |bytes: u64| bytes.is_multiple_of(stores.bytes).then(|| bytes / stores.bytes);
        let straight = whole(beside)?;
        let iterations: Vec<u64> = by_piece.iter().map(|&bytes| whole(bytes)).collect::<Option<_>>()?;
        let total = iterations.iter().try_fold(straight, |sum, &n| sum.checked_add(n))?;
        let total = self.is_whole(total).ok().filter(|&total| total > 0)?;
        let mut factors = Vec::new();
        for (piece, &done) in pieces.iter().zip(&iterations) {
            let machine = piece.iterations()?;
            let entries = piece.tally.and_then(|tally| tally.entries).unwrap_or(0);
            // A piece may be left before its last iteration stores, and not otherwise do less than one of the source.
            if done < machine.saturating_sub(entries) {
                return None;
            }
            let factor =
                if machine == 0 { Some(1) } else { done.is_multiple_of(machine).then(|| done / machine) };
            let profile = Profile::new(self.question.function, piece.code);
            let certain =
                |factor| is_plain(self.question.function) || self.is_enough(piece.code, &profile, factor);
            if machine > 0 && factor.is_some_and(|factor| !certain(factor)) {
                return None;
            }
            factors.push(factor.filter(|&factor| factor > 0).and_then(|factor| u32::try_from(factor).ok()));
        }
        let inferred = straight > 0 || factors.iter().any(|&factor| factor != Some(1));
        Some(Inferred { factors, iterations, straight, total: Some(total), inferred, unknown: None })
    }

    /// Code of the loop's lines may store in a way that is not seen: functions that fill or copy memory, or that have no name,
    /// beside the pieces; string instructions; variables of the frame.
    fn is_replaced(&self, own: &BTreeMap<u32, usize>, (first, last): (u32, u32)) -> bool {
        let function = self.question.function;
        let plain = is_plain(function);
        // An experiment from before they were looked for does not show that there are none.
        let Some(others) = &function.other_stores else { return true };
        let here = others.list.iter().filter(|store| first <= store.line && store.line <= last);
        here.into_iter().any(|store| {
            let hidden = match store.kind {
                OtherStoreKind::Call => store.in_loop.is_none_or(|l| !own.contains_key(&l)),
                OtherStoreKind::Repeated => true,
                OtherStoreKind::Frame => !plain,
            };
            hidden && self.question.executions.at(store.address) != Some(0)
        })
    }
}

impl Nest<'_> {
    /// First and last line of a loop.
    fn lines(&self, index: usize) -> (u32, u32) {
        let (text, written) = (self.text(), self.written(index));
        (text.position(written.keyword).0, text.position(written.end.saturating_sub(1)).0)
    }

    /// The stores of each iteration, where all of the loop's own are such.
    pub(super) fn stores(&self, index: usize) -> Option<Stores> {
        let (text, written) = (self.text(), self.written(index));
        if !matches!(text.language(), Grammar::C | Grammar::Cxx) {
            return None;
        }
        let variables = Variables::new(text, written);
        let (mut stores, mut names) = (Stores::default(), BTreeMap::new());
        let alternatives = self.alternatives(index);
        let (mut either, mut both): (BTreeMap<usize, (String, u64)>, usize) = (BTreeMap::new(), 0);
        let own = |token: &usize| self.is_own(index, *token) && text.sort(*token).is_some();
        for token in (written.body..written.end).filter(own) {
            let found = variables.reference(token)?;
            for access in found.into_iter().flatten().filter(|access| access.store) {
                let size = access.bytes.filter(|&bytes| 0 < bytes && bytes <= WIDEST)?;
                stores.lines.insert(text.position(token).0);
                match alternatives
                    .iter()
                    .position(|(one, other)| one.contains(&token) || other.contains(&token))
                {
                    None => stores.chooses |= self.every_time(index, token)?,
                    Some(at) => {
                        // Counted with the first of the two.
                        self.every_time(index, alternatives[at].0.start)?;
                        let in_other = alternatives[at].1.contains(&token);
                        match (either.get(&at), in_other) {
                            (None, false) => drop(either.insert(at, (access.text.clone(), size))),
                            (Some(known), true) if *known == (access.text.clone(), size) => {
                                both += 1;
                                continue;
                            }
                            _ => return None,
                        }
                    }
                }
                // Of stores to one place some may be left out.
                let moves = access.moves.filter(|&moves| moves >= size)?;
                let member = access.text.rsplit_once(['.', '>']).map(|(before, _)| before.to_owned());
                let known =
                    names.entry(access.name.clone()).or_insert_with(|| (member.clone(), BTreeSet::new(), 0));
                let again = !known.1.insert(access.text.clone());
                if again || known.0 != member || known.0.is_none() && known.2 > 0 {
                    return None;
                }
                known.2 += size;
                if known.2 > moves {
                    return None;
                }
                stores.bytes += size;
            }
        }
        // Where one way stores and the other does not, not every iteration does.
        (stores.bytes > 0 && both == either.len()).then_some(stores)
    }

    /// Plain statements at the body's own level of which each iteration executes one: `if (c) a; else b;`.
    fn alternatives(&self, index: usize) -> Vec<(Range<usize>, Range<usize>)> {
        let (text, written) = (self.text(), self.written(index));
        let statement = |begin: usize| {
            let end = if text.word(begin) == "{" {
                closing(text, begin)? + 1
            } else {
                (begin..written.end).find(|&t| text.word(t) == ";")? + 1
            };
            let plain = (begin..end).filter(|&t| text.word(t) == ";").count() == 1
                && (begin..end).all(|t| {
                    !matches!(text.word(t), "if" | "for" | "while" | "do" | "switch" | "?" | "&&" | "||")
                });
            plain.then_some(begin..end)
        };
        let pair = |token: usize| {
            let one = statement(closing(text, token + 1)? + 1)?;
            let other = statement(one.end + 1).filter(|_| text.word(one.end) == "else")?;
            Some((token..one.end, other))
        };
        let own = (written.body..written.end).filter(|&t| text.word(t) == "if" && self.is_own(index, t));
        own.filter_map(pair).collect()
    }

    /// Whether the value that is assigned at `token` is chosen by a condition; nothing where not every iteration gets there.
    pub(super) fn every_time(&self, index: usize, token: usize) -> Option<bool> {
        let (text, written) = (self.text(), self.written(index));
        let begin = self.statement_of_each(index, token)?;
        // Of several cases one is chosen.
        if (written.body..token).any(|at| text.word(at) == "case") || self.chooses(begin, token) {
            return None;
        }
        let end = (token..written.end).find(|&at| text.word(at) == ";").unwrap_or(written.end);
        Some((token..end).any(|at| matches!(text.word(at), "?" | "&&" | "||")))
    }

    /// Where the statement at the body's own level begins that holds the token; nothing where it is deeper, or where an
    /// iteration may end before it.
    pub(super) fn statement_of_each(&self, index: usize, token: usize) -> Option<usize> {
        let (text, written) = (self.text(), self.written(index));
        let passes = ["break", "continue", "goto", "return", "throw", "longjmp", "exit", "abort", "try"];
        let own_level = usize::from(text.word(written.body) == "{");
        let (mut depth, mut begin) = (0usize, written.body);
        for at in written.body..token {
            match text.word(at) {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                word if passes.contains(&word) => return None,
                _ => {}
            }
            if matches!(text.word(at), ";" | "{" | "}") {
                begin = at + 1;
            }
        }
        (depth == own_level).then_some(begin)
    }

    /// Something among these tokens decides whether, or how often, what follows is executed.
    pub(super) fn chooses(&self, first: usize, end: usize) -> bool {
        let turns = ["if", "else", "?", "&&", "||", "for", "while", "do", "switch", "case", ":"];
        (first..end).any(|at| turns.contains(&self.text().word(at)))
    }
}
