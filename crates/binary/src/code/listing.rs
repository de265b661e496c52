//! The listing of a function: text, line and loop of each instruction.

use super::blocks::Graph;
use super::nest::Nest;
use super::origin::Places;
use super::source::CodeSource;
use crate::facts::InstructionLine;
use iced_x86::{Formatter, Instruction, IntelFormatter, SymbolResolver, SymbolResult};
use rustc_hash::FxHashMap;

/// Names call and jump targets; the names are collected first because the formatter owns its resolver.
struct Names(FxHashMap<u64, String>);

impl SymbolResolver for Names {
    fn symbol(
        &mut self,
        _: &Instruction,
        _: u32,
        _: Option<u32>,
        address: u64,
        _: u32,
    ) -> Option<SymbolResult<'_>> {
        self.0.get(&address).map(|name| SymbolResult::with_str(address, name))
    }
}

/// Formats all instructions of a function in Intel syntax.
pub fn lines(source: &dyn CodeSource, graph: &Graph, nest: &Nest, places: &Places) -> Vec<InstructionLine> {
    let mut names = FxHashMap::default();
    for i in graph.instructions.iter().filter(|i| super::step::is_call(i)) {
        let target =
            if i.is_ip_rel_memory_operand() { i.ip_rel_memory_address() } else { i.near_branch_target() };
        if target != 0
            && let Some(name) = source.name_at(target)
        {
            names.insert(target, name);
        }
    }
    let mut formatter = IntelFormatter::with_options(Some(Box::new(Names(names))), None);
    let options = formatter.options_mut();
    options.set_space_after_operand_separator(true);
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_rip_relative_addresses(true);
    options.set_branch_leading_zeros(false);
    options.set_first_operand_char_index(8);
    let mut out = Vec::with_capacity(graph.instructions.len());
    for (b, block) in graph.blocks.iter().enumerate() {
        for at in block.instructions.0 as usize..block.instructions.1 as usize {
            let instruction = &graph.instructions[at];
            let mut text = String::new();
            formatter.format(instruction, &mut text);
            let position = places.spots.get(at).and_then(|s| s.position);
            out.push(InstructionLine {
                address: instruction.ip(),
                text,
                file: position.map(|p| p.file),
                line: position.map_or(0, |p| p.line),
                column: position.map_or(0, |p| p.column),
                in_loop: nest.innermost.get(b).copied().flatten(),
            });
        }
    }
    out
}
