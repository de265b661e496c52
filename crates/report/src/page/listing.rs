//! The instructions of the report's functions, each with its place, its time and its loop.

use super::{Function, seconds};
use loopwright_binary::facts::{FunctionCode, InstructionLine};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashSet;

/// Most instructions of all listings: the page has to stay small enough to be sent and opened.
const INSTRUCTIONS: usize = 100_000;

/// The listing of a function.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listing<'a> {
    /// Its name.
    function: &'a str,
    /// Base name of its module.
    module: &'a str,
    /// Entry address, hexadecimal.
    address: String,
    /// Source files that the instructions refer to.
    files: &'a [String],
    /// Ids of its loops that are in `analysis`.
    loops: Vec<u32>,
    /// Lists of six: address, text, index into `files`, line, self seconds, id of the innermost loop that is in
    /// `analysis`; what is not known is `null`.
    instructions: Vec<Row<'a>>,
}

/// Address, text, index into `files`, line, self seconds, innermost loop.
type Row<'a> = (String, &'a str, Option<u32>, Option<u32>, f64, Option<u32>);

/// The listings that there are, in the order of `functions` (the hottest first), and the number of those for which there
/// is no room.
pub(super) fn listings<'a>(functions: &[&'a Function], known: &HashSet<u32>) -> (Vec<Listing<'a>>, usize) {
    let (mut listings, mut left_out, mut room) = (Vec::new(), 0, INSTRUCTIONS);
    for function in functions.iter().filter(|function| !function.code.instructions.is_empty()) {
        match room.checked_sub(function.code.instructions.len()) {
            Some(rest) => {
                room = rest;
                listings.push(listing(function, known));
            }
            None => left_out += 1,
        }
    }
    (listings, left_out)
}

fn listing<'a>(function: &'a Function, known: &HashSet<u32>) -> Listing<'a> {
    let code = &function.code;
    Listing {
        function: &code.function.name,
        module: &function.module,
        address: format!("{:#x}", code.function.address),
        files: &code.files,
        loops: function.loop_ids.iter().copied().filter(|id| known.contains(id)).collect(),
        instructions: code.instructions.iter().map(|each| row(each, function, known)).collect(),
    }
}

fn row<'a>(each: &'a InstructionLine, function: &Function, known: &HashSet<u32>) -> Row<'a> {
    let file = each.file.filter(|at| (*at as usize) < function.code.files.len());
    let time = function.nanoseconds.get(&each.address).copied().unwrap_or(0);
    let innermost = enclosing(&function.code, each.in_loop)
        .find_map(|at| function.loop_ids.get(at as usize).filter(|id| known.contains(id)));
    (
        format!("{:#x}", each.address),
        &each.text,
        file,
        (each.line > 0).then_some(each.line),
        seconds(time),
        innermost.copied(),
    )
}

/// A loop and those around it, by index. As many steps as there are loops: stored parents could form a circle.
fn enclosing(code: &FunctionCode, innermost: Option<u32>) -> impl Iterator<Item = u32> {
    std::iter::successors(innermost, |at| code.loops.get(*at as usize)?.parent).take(code.loops.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::code;
    use serde_json::json;

    fn described() -> Function {
        Function {
            module: "lbm".into(),
            code: code::function(),
            loop_ids: vec![7, 8],
            nanoseconds: code::times(),
        }
    }

    #[test]
    fn an_instruction_has_its_place_time_and_loop() {
        let function = described();
        let (listings, left_out) = listings(&[&function], &HashSet::from([7, 8]));
        let value = serde_json::to_value(&listings).unwrap();
        assert_eq!((listings.len(), left_out), (1, 0));
        assert_eq!(value[0]["loops"], json!([7, 8]));
        let rows = &value[0]["instructions"];
        assert_eq!(rows[0], json!(["0x1000", "mov rcx, rdx", 0, 4, 0.0, 7]));
        assert_eq!(rows[2], json!(["0x100a", "vaddpd ymm0, ymm0, ymmword ptr [rsi+rax]", 0, 6, 2e-7, 8]));
        assert_eq!(rows[11], json!(["0x102b", "ret", 0, 9, 0.0, null]));
    }

    #[test]
    fn an_instruction_of_a_loop_without_facts_belongs_to_the_loop_around_it() {
        let mut function = described();
        function.code.loops[0].parent = Some(0);
        function.code.instructions[0].line = 0;
        function.code.instructions[0].file = Some(9);
        let value = serde_json::to_value(listings(&[&function], &HashSet::from([7])).0).unwrap();
        assert_eq!(value[0]["instructions"][2][5], json!(7));
        assert_eq!(value[0]["instructions"][0], json!(["0x1000", "mov rcx, rdx", null, null, 0.0, 7]));
        let none = serde_json::to_value(listings(&[&function], &HashSet::new()).0).unwrap();
        assert_eq!(none[0]["instructions"][2][5], json!(null));
    }

    #[test]
    fn listings_beyond_the_room_are_counted() {
        let mut large = described();
        large.code.instructions =
            large.code.instructions.iter().cycle().take(INSTRUCTIONS).cloned().collect();
        let small = described();
        let mut empty = described();
        empty.code.instructions.clear();
        let (listings, left_out) = listings(&[&empty, &large, &small], &HashSet::new());
        assert_eq!((listings.len(), left_out), (1, 1));
    }
}
