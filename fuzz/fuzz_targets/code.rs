//! Any bytes as the code of a function, with any bytes as its data: the analysis, and the work of
//! each block, must end without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_binary::code::{
    CodeSource, Graph, GuardedRange, Returns, analyze_function, block_work, decode,
};
use loopwright_binary::facts::{FunctionInfo, FunctionOrigin};

const CODE: u64 = 0x1000;
const DATA: u64 = 0x10_0000;

struct Bytes<'a> {
    code: &'a [u8],
    data: &'a [u8],
}

fn part(bytes: &[u8], base: u64, address: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(address.checked_sub(base)?).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(length).ok()?)?)
}

impl CodeSource for Bytes<'_> {
    fn code(&self, start: u64, end: u64) -> Option<&[u8]> {
        part(self.code, CODE, start, end.checked_sub(start)?)
    }
    fn data(&self, address: u64, length: usize) -> Option<&[u8]> {
        part(self.data, DATA, address, length as u64)
    }
    fn is_read_only(&self, _: u64) -> bool {
        true
    }
    fn guarded_ranges(&self, _: &FunctionInfo) -> Vec<GuardedRange> {
        let mut words = self.data.chunks_exact(3).take(4);
        let range = |w: &[u8]| GuardedRange {
            start: CODE + u64::from(w[0]),
            end: CODE + u64::from(w[0]) + u64::from(w[1]),
            pad: CODE + u64::from(w[2]),
        };
        words.by_ref().map(range).collect()
    }
}

fuzz_target!(|input: (&[u8], &[u8])| {
    let (code, data) = input;
    let function = FunctionInfo {
        name: "f".into(),
        linkage_name: None,
        address: CODE,
        end: CODE + code.len() as u64,
        parts: vec![],
        origin: FunctionOrigin::Unwind,
    };
    let source = Bytes { code, data };
    if let Ok(found) = analyze_function(&source, &function) {
        assert!(found.loops.iter().enumerate().all(|(k, l)| l.index as usize == k));
    }
    let graph = Graph::new(&decode(&source, &function, &Returns::default()));
    for block in 0..graph.blocks.len() as u32 {
        let instructions = graph.code(block);
        assert_eq!(block_work(instructions).fixed.instructions, instructions.len() as u64);
    }
});
