//! How the code of a function differs in two builds, read from the text that the compiler gives to the assembler: what rounds otherwise
//! (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2).

use loopwright_experiment::reproduction::{CodeChange, CodeChangeKind};
use std::collections::{BTreeMap, BTreeSet};

/// Most differences that are kept of one function.
const MOST: usize = 32;

/// One instruction.
struct Instruction<'t> {
    mnemonic: &'t str,
    operands: &'t str,
    line: Option<u32>,
    in_loop: bool,
}

/// What the second text has in a function and the first one has not.
pub(crate) fn changes(good: &str, bad: &str, function: &str) -> Vec<CodeChange> {
    let (good, bad) = (body(good, function), body(bad, function));
    let of = |body: &[Instruction]| -> BTreeSet<(CodeChangeKind, Option<u32>)> {
        body.iter().filter_map(|one| Some((kind(one)?, one.line))).collect()
    };
    let known = of(&good);
    let called: BTreeSet<CodeChangeKind> =
        good.iter().filter_map(call).map(|function| CodeChangeKind::Calls { function }).collect();
    let loops: BTreeMap<Option<u32>, bool> =
        bad.iter().chain(&good).fold(BTreeMap::new(), |mut loops, one| {
            *loops.entry(one.line).or_default() |= one.in_loop;
            loops
        });
    let change = |(what, line): (CodeChangeKind, Option<u32>)| {
        let in_loop = loops.get(&line).copied().unwrap_or(false);
        CodeChange { what, line, in_loop }
    };
    let mut found: BTreeSet<CodeChange> = of(&bad).difference(&known).cloned().map(change).collect();
    let new = bad.iter().filter_map(|one| Some((CodeChangeKind::Calls { function: call(one)? }, one.line)));
    found.extend(new.filter(|(what, _)| !called.contains(what)).map(change));
    // Each line divides in the first build, and none in the second one.
    let divides = |body: &[Instruction]| -> BTreeSet<Option<u32>> {
        body.iter().filter(|one| is_division(one.mnemonic)).map(|one| one.line).collect()
    };
    let lines = divides(&good);
    found.extend(lines.difference(&divides(&bad)).map(|line| change((CodeChangeKind::NoDivision, *line))));
    found.into_iter().take(MOST).collect()
}

/// The instructions of a function.
fn body<'t>(text: &'t str, function: &str) -> Vec<Instruction<'t>> {
    let begins = format!("{function}:");
    let is_begin = |line: &str| {
        line.strip_prefix(begins.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    };
    let mut lines = text.lines().skip_while(|line| !is_begin(line));
    lines.next();
    let (mut all, mut labels, mut line): (Vec<Instruction>, BTreeMap<&str, usize>, _) =
        (Vec::new(), BTreeMap::new(), None);
    for text in lines {
        let text = text.trim();
        if let Some(label) = text.strip_suffix(':').or_else(|| Some(text.split_once(":\t")?.0))
            && !label.contains(char::is_whitespace)
        {
            labels.insert(label, all.len());
            continue;
        }
        let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match mnemonic {
            ".size" if operands.split(',').next().map(str::trim) == Some(function) => break,
            ".loc" => line = operands.split_whitespace().nth(1).and_then(|line| line.parse().ok()),
            _ if mnemonic.starts_with(['.', '#']) || mnemonic.is_empty() => {}
            _ => all.push(Instruction { mnemonic, operands: operands.trim(), line, in_loop: false }),
        }
    }
    let jumps: Vec<(usize, usize)> = (0..)
        .zip(&all)
        .filter(|(_, one)| one.mnemonic.starts_with('j'))
        .filter_map(|(at, one)| Some((*labels.get(one.operands.split_whitespace().next()?)?, at)))
        .filter(|(to, at)| to <= at)
        .collect();
    for (from, to) in jumps {
        all[from..=to].iter_mut().for_each(|one| one.in_loop = true);
    }
    all.retain(|one| one.line != Some(0));
    all
}

fn kind(one: &Instruction) -> Option<CodeChangeKind> {
    let name = one.mnemonic.strip_prefix('v').unwrap_or(one.mnemonic);
    let fused = ["fmadd", "fmsub", "fnmadd", "fnmsub", "fmaddsub", "fmsubadd"];
    if fused.iter().any(|beginning| name.starts_with(beginning)) && one.mnemonic.starts_with('v') {
        return Some(CodeChangeKind::Fused);
    }
    if name.starts_with("rcp") || name.starts_with("rsqrt") {
        return Some(CodeChangeKind::Approximation);
    }
    let packed = name.strip_suffix("pd").or_else(|| name.strip_suffix("ps"))?;
    ["add", "sub", "mul", "div", "sqrt", "max", "min", "hadd"]
        .contains(&packed)
        .then_some(CodeChangeKind::Vectors)
}

fn is_division(mnemonic: &str) -> bool {
    let name = mnemonic.strip_prefix('v').unwrap_or(mnemonic);
    ["divsd", "divss", "divpd", "divps"].contains(&name)
}

/// The function that an instruction calls, or jumps to.
fn call(one: &Instruction) -> Option<String> {
    if !one.mnemonic.starts_with("call") && one.mnemonic != "jmp" {
        return None;
    }
    let name = one.operands.split(['@', ' ', '\t', '#']).next()?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "sum:
.LFB0:
\t.loc 1 3 5
.L2:
\tmulsd\t%xmm1, %xmm2
\taddsd\t%xmm2, %xmm0
\tjne\t.L2
\t.loc 1 5 1
\tdivsd\t%xmm1, %xmm0
\tjmp\texp@PLT
\t.size\tsum, .-sum
other:
\tvaddpd\t%ymm1, %ymm2, %ymm3
\t.size\tother, .-other
";

    #[test]
    fn what_rounds_otherwise_is_named_with_its_line() {
        let bad = GOOD
            .replace("mulsd\t%xmm1, %xmm2", "vfmadd231sd\t%xmm1, %xmm2, %xmm0")
            .replace("addsd\t%xmm2, %xmm0", "vaddpd\t%ymm1, %ymm2, %ymm0")
            .replace("divsd", "mulsd")
            .replace("exp@PLT", "_ZGVdN4v_exp@PLT");
        let change = |what, line, in_loop| CodeChange { what, line: Some(line), in_loop };
        let calls = CodeChangeKind::Calls { function: "_ZGVdN4v_exp".into() };
        let mut expected = vec![
            change(CodeChangeKind::Fused, 3, true),
            change(CodeChangeKind::Vectors, 3, true),
            change(CodeChangeKind::NoDivision, 5, false),
            change(calls, 5, false),
        ];
        expected.sort();
        assert_eq!(changes(GOOD, &bad, "sum"), expected);
        assert_eq!(changes(GOOD, GOOD, "sum"), []);
        assert_eq!(changes(GOOD, &bad, "none"), []);
        assert_eq!(changes(GOOD, &bad, "other"), []);
    }
}
