//! Nodes as assembly.

use super::model::{CallForm, Convention, End, Function, Guard, Node, Place, Scenario, Table};
use super::registers::Register;
use std::fmt::Write as _;

/// The separately placed parts of a function.
pub struct Parts {
    /// The function.
    pub main: String,
    /// Code after it.
    pub behind: String,
    /// In the section of cold code.
    pub cold: String,
    /// Constant data.
    pub data: String,
}

/// Writes one function.
pub struct Writer<'a> {
    scenario: &'a Scenario,
    function: &'a Function,
    /// No instruction may hold an address.
    relative: bool,
    /// Constant data.
    data: String,
    /// Number of addresses that are pushed from the data.
    pushed: usize,
    /// The lines of the part being written.
    current: String,
    /// Finished code after the function, and finished cold code.
    behind: String,
    cold: String,
    /// The part being written goes to the section of cold code.
    in_cold: bool,
    /// Labels of the ends and the next iterations of the loops around.
    loops: Vec<(String, String)>,
}

/// The function, in parts; `relative` code can be loaded anywhere.
pub fn function(scenario: &Scenario, function: &Function, relative: bool) -> Parts {
    let mut writer = Writer {
        scenario,
        function,
        relative,
        data: String::new(),
        pushed: 0,
        current: String::new(),
        behind: String::new(),
        cold: String::new(),
        in_cold: false,
        loops: Vec::new(),
    };
    for r in &function.saves {
        writer.line(&format!("push {}", r.name(8)));
    }
    if function.frame > 0 {
        writer.line(&format!("lea -{}(%rsp), %rsp", function.frame));
    }
    for (k, node) in function.body.iter().enumerate() {
        if function.second_entry == Some(k) {
            writer.second_entry();
        }
        writer.node(node);
    }
    if function.second_entry.is_some_and(|k| k >= function.body.len()) {
        writer.second_entry();
    }
    writer.end();
    Parts { main: writer.current, behind: writer.behind, cold: writer.cold, data: writer.data }
}

fn opposite(condition: &str) -> String {
    condition.strip_prefix('n').map_or_else(|| format!("n{condition}"), str::to_owned)
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.current.push_str(if text.ends_with(':') { "" } else { "\t" });
        self.current.push_str(text);
        self.current.push('\n');
    }

    fn lines(&mut self, lines: &[String]) {
        for line in lines {
            self.line(line);
        }
    }

    /// Loads the address of a label to a register and keeps the flags.
    fn address(&mut self, name: &str, r: Register) {
        if self.relative {
            self.line(&format!("lea {name}(%rip), {}", r.name(8)));
        } else {
            self.line(&format!("mov ${name}, {}", r.name(4)));
        }
    }

    /// Pushes the address of a label and changes no register.
    fn push_address(&mut self, name: &str) {
        if !self.relative {
            return self.line(&format!("push ${name}"));
        }
        let at = format!(".L@Ppushed{}_{}", self.function.id, self.pushed);
        self.pushed += 1;
        let _ = writeln!(self.data, "\t.p2align 3\n{at}:\t.quad {name}");
        self.line(&format!("push {at}(%rip)"));
    }

    fn second_entry(&mut self) {
        let id = self.function.id;
        self.line(&format!("@E{id}:"));
    }

    /// The code before every way out of the function.
    fn epilogue(&mut self) {
        if self.function.frame > 0 {
            self.line(&format!("lea {}(%rsp), %rsp", self.function.frame));
        }
        for r in self.function.saves.iter().rev() {
            self.line(&format!("pop {}", r.name(8)));
        }
    }

    fn leave(&mut self) {
        self.epilogue();
        self.line(&match self.function.popped {
            0 => "ret".to_owned(),
            bytes => format!("ret ${bytes}"),
        });
    }

    fn end(&mut self) {
        // A function that was removed is not a target.
        let there = |id: usize| self.scenario.functions.iter().any(|f| f.id == id);
        match self.function.end {
            End::Tail(id) if there(id) => {
                self.epilogue();
                self.line(&format!("jmp @F{id}"));
            }
            End::TailInto(id) if there(id) => {
                self.epilogue();
                self.line(&format!("jmp @E{id}"));
            }
            End::Fall(id) if there(id) => self.epilogue(),
            End::PushReturn(id) if there(id) => {
                self.epilogue();
                self.push_address(&format!("@F{id}"));
                self.line("ret");
            }
            End::Register(id, r) if there(id) => {
                self.epilogue();
                self.address(&format!("@F{id}"), r);
                self.line(&format!("jmp *{}", r.name(8)));
            }
            End::RepeatReturn => {
                self.epilogue();
                self.line("rep ret");
            }
            _ => self.leave(),
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Code(lines) => self.lines(lines),
            Node::If { test, condition, then, otherwise, place, label } => {
                self.lines(test);
                self.branch(condition, then, otherwise, *place, *label);
            }
            Node::Loop { guard, body, middle, label } => self.repeated(*guard, body, *middle, *label),
            Node::Leave { test, condition, next } => {
                let Some((end, latch)) = self.loops.last().cloned() else { return };
                self.lines(test);
                self.line(&format!("j{condition} {}", if *next { latch } else { end }));
            }
            Node::Return { test, condition, label } => {
                self.lines(test);
                self.line(&format!("j{} @L{label}", opposite(condition)));
                self.leave();
                self.line(&format!("@L{label}:"));
            }
            Node::Call { before, callee, second, form, after, label } => {
                self.lines(before);
                self.call(*callee, *second, *form, *label);
                self.lines(after);
            }
            Node::Dispatch { index, scratch, form, arms, label } => {
                self.dispatch(*index, *scratch, *form, arms, *label);
            }
            Node::Recurse { slot, label } => {
                let id = self.function.id;
                self.line(&format!("andl $3, @D+{slot}"));
                self.line(&format!("je @L{label}"));
                self.line(&format!("decl @D+{slot}"));
                for _ in 0..self.function.popped / 8 {
                    self.line("push %rax");
                }
                self.line(&format!("call @F{id}"));
                self.line(&format!("@L{label}:"));
            }
            Node::Contexts { own, other, slot, stack, rounds, jumps, label } => {
                // Far enough below for code that runs meanwhile, including signal handlers.
                self.line(&format!("lea -{stack}(%rsp), %rsp"));
                self.push_address(&format!("@L{}", label + 1));
                self.line(&format!("mov %rsp, @D+{slot}"));
                self.line(&format!("lea {}(%rsp), %rsp", stack + 8));
                self.line(&format!("movl ${rounds}, @D+{}", slot + 8));
                self.contexts((own, other), *slot, *jumps, *label);
            }
            Node::Written { register, value } => {
                let writable = self.function.shape.writable && !self.in_cold;
                self.line(&format!("9: mov $77, {}", register.name(4)));
                if writable {
                    self.line(&format!("movl ${}, 9b+1(%rip)", *value as i32));
                }
            }
            Node::Mark { label } => {
                let name = format!("@Pmark{label}");
                self.line(&format!(".globl {name}"));
                self.line(&format!(".type {name}, @function"));
                self.line(&format!("{name}:"));
                if label % 2 == 0 {
                    self.line(&format!(".size {name}, {}", 1 + label % 23));
                }
            }
        }
    }

    /// The switch exchanges the stack pointers and continues where the other stack says; registers and flags
    /// do not change.
    fn contexts(&mut self, (own, other): (&[Node], &[Node]), slot: u32, jumps: bool, label: u32) {
        let at = |k: u32| format!("@L{}", label + k);
        let (top, body, switch, end) = (at(0), at(1), at(2), at(3));
        let outer = std::mem::take(&mut self.loops);
        self.line(&format!("{top}:"));
        self.nodes(own);
        self.line(&format!("call {switch}"));
        self.line(&format!("decl @D+{}", slot + 8));
        self.line(&format!("jnz {top}"));
        self.line(&format!("jmp {end}"));
        self.line(&format!("{switch}:"));
        self.line(&format!("xchg %rsp, @D+{slot}"));
        if jumps {
            self.line(&format!("pop @D+{}", CONTEXT_JUMP));
            self.line(&format!("jmp *@D+{}", CONTEXT_JUMP));
        } else {
            self.line("ret");
        }
        self.line(&format!("{body}:"));
        self.nodes(other);
        self.line(&format!("call {switch}"));
        self.line(&format!("jmp {body}"));
        self.line(&format!("{end}:"));
        self.loops = outer;
    }

    fn branch(&mut self, condition: &str, then: &[Node], otherwise: &[Node], place: Place, label: u32) {
        let (inside, end) = (format!("@L{label}"), format!("@L{}", label + 1));
        if place == Place::Inline {
            self.line(&format!("j{} {inside}", opposite(condition)));
            self.nodes(then);
            if !otherwise.is_empty() {
                self.line(&format!("jmp {end}"));
            }
            self.line(&format!("{inside}:"));
            self.nodes(otherwise);
            self.line(&format!("{end}:"));
            return;
        }
        self.line(&format!("j{condition} {inside}"));
        self.nodes(otherwise);
        self.line(&format!("{end}:"));
        // A part nested in a separately placed part is placed separately, too.
        let around = std::mem::take(&mut self.current);
        let cold_around = self.in_cold;
        self.in_cold |= place != Place::Behind;
        if place == Place::Cold(true) {
            let name = format!("@Pf{}.cold{label}", self.function.id);
            self.line(&format!(".type {name}, @function"));
            self.line(&format!("{name}:"));
        }
        self.line(&format!("{inside}:"));
        self.nodes(then);
        self.line(&format!("jmp {end}"));
        let made = std::mem::replace(&mut self.current, around);
        // Everything nested in cold code is cold.
        self.in_cold = cold_around;
        if place == Place::Behind { self.behind.push_str(&made) } else { self.cold.push_str(&made) }
    }

    fn repeated(&mut self, guard: Guard, body: &[Node], middle: Option<usize>, label: u32) {
        let at = |k: u32| format!("@L{}", label + k);
        let (top, inside, latch, end, far) = (at(0), at(1), at(2), at(3), at(4));
        match guard {
            Guard::Decrement(r, n) | Guard::Subtract(r, n) => self.line(&format!("mov ${n}, {}", r.name(4))),
            Guard::Compare { counter, start, step, times, bound, top } => {
                self.line(&format!("mov ${start}, {}", counter.name(8)));
                if let Some(bound) = bound {
                    let last = start + step * times as i32;
                    self.line(&format!("mov ${last}, {}", bound.name(8)));
                }
                if top {
                    self.line(&format!("jmp {far}"));
                }
            }
            Guard::Loop(n) | Guard::Jrcxz(n) => self.line(&format!("mov ${n}, %ecx")),
            Guard::Memory { at, times } => self.line(&format!("movl ${times}, {}", place_of(at))),
        }
        if middle.is_some() {
            self.line(&format!("jmp {inside}"));
        }
        self.line(&format!("{top}:"));
        if let Guard::Jrcxz(_) = guard {
            // Conditional jumps on rcx reach only 128 bytes.
            self.line("jrcxz 8f");
            self.line("jmp 9f");
            self.line("8:");
            self.line(&format!("jmp {end}"));
            self.line("9:");
        }
        self.loops.push((end.clone(), latch.clone()));
        for (k, node) in body.iter().enumerate() {
            if middle == Some(k) {
                self.line(&format!("{inside}:"));
            }
            self.node(node);
        }
        if middle.is_some_and(|k| k >= body.len()) {
            self.line(&format!("{inside}:"));
        }
        self.loops.pop();
        self.line(&format!("{latch}:"));
        self.guard_end(guard, &top, &far);
        self.line(&format!("{end}:"));
    }

    fn guard_end(&mut self, guard: Guard, top: &str, far: &str) {
        match guard {
            Guard::Decrement(r, _) => {
                self.line(&format!("dec {}", r.name(4)));
                self.line(&format!("jnz {top}"));
            }
            Guard::Subtract(r, _) => {
                self.line(&format!("sub $1, {}", r.name(8)));
                self.line(&format!("jg {top}"));
            }
            Guard::Compare { counter, start, step, times, bound, top: at_top } => {
                self.line(&format!("add ${step}, {}", counter.name(8)));
                if at_top {
                    self.line(&format!("{far}:"));
                }
                let last = start + step * times as i32;
                match bound {
                    Some(bound) => self.line(&format!("cmp {}, {}", bound.name(8), counter.name(8))),
                    None => self.line(&format!("cmp ${last}, {}", counter.name(8))),
                }
                self.line(&format!("{} {top}", if step > 0 { "jl" } else { "jne" }));
            }
            Guard::Loop(_) => {
                self.line("loop 8f");
                self.line("jmp 9f");
                self.line("8:");
                self.line(&format!("jmp {top}"));
                self.line("9:");
            }
            Guard::Jrcxz(_) => {
                self.line("lea -1(%rcx), %rcx");
                self.line(&format!("jmp {top}"));
            }
            Guard::Memory { at, .. } => {
                self.line(&format!("decl {}", place_of(at)));
                self.line(&format!("jnz {top}"));
            }
        }
    }

    fn call(&mut self, callee: usize, second: bool, form: CallForm, label: u32) {
        let name = format!("@{}{callee}", if second { 'E' } else { 'F' });
        match form {
            CallForm::Direct => self.line(&format!("call {name}")),
            CallForm::Register(r) => {
                self.address(&name, r);
                self.line(&format!("call *{}", r.name(8)));
            }
            CallForm::Memory => {
                let _ = writeln!(self.data, "\t.p2align 3\n@L{label}:\t.quad {name}");
                self.line(&format!("call *@L{label}(%rip)"));
            }
            CallForm::PushJump => {
                self.push_address(&format!("@L{label}"));
                self.line(&format!("jmp {name}"));
                self.line(&format!("@L{label}:"));
            }
            CallForm::PushReturn => {
                self.push_address(&format!("@L{label}"));
                self.push_address(&name);
                self.line("ret");
                self.line(&format!("@L{label}:"));
            }
            CallForm::Stub => {
                self.line(&format!("call @L{label}"));
                self.line(&format!("jmp @L{}", label + 1));
                self.line(&format!("@L{label}:"));
                self.line(&format!("jmp {name}"));
                self.line(&format!("@L{}:", label + 1));
            }
        }
    }

    fn dispatch(&mut self, index: Register, scratch: Register, form: Table, arms: &[Vec<Node>], label: u32) {
        let count = arms.len();
        let (table, end) = (format!("@L{label}"), format!("@L{}", label + 1));
        let arm = |k: usize| format!("@L{}", label + 2 + k as u32);
        let (i, s) = (index.name(8), scratch.name(8));
        self.line(&format!("and ${}, {}", count - 1, index.name(4)));
        let words: Vec<String> = (0..count).map(|k| format!("\t.quad {}", arm(k))).collect();
        let words = words.join("\n");
        // How the table is addressed; without absolute addresses, from the scratch register.
        let base = if self.relative { s.as_str() } else { "" };
        let from = if self.relative { String::new() } else { table.clone() };
        let tabled = matches!(form, Table::Absolute | Table::Loaded | Table::PushReturn);
        if self.relative && tabled {
            self.line(&format!("lea {table}(%rip), {s}"));
        }
        match form {
            Table::Absolute => {
                self.line(&format!("jmp *{from}({base},{i},8)"));
                let _ = writeln!(self.data, "\t.p2align 3\n{table}:\n{words}");
            }
            Table::InCode | Table::Short if self.relative => {
                // Differences within the code, or from the first part.
                let among = form == Table::InCode;
                let zero = if among { table.clone() } else { arm(0) };
                let words: Vec<String> = (0..count).map(|k| format!("\t.long {}-{zero}", arm(k))).collect();
                let words = words.join("\n");
                self.line(&format!("lea {table}(%rip), {s}"));
                self.line(&format!("movslq ({s},{i},4), {i}"));
                self.line(&format!("lea {zero}(%rip), {s}"));
                self.line(&format!("add {s}, {i}"));
                self.line(&format!("{}jmp *{i}", if among { "notrack " } else { "" }));
                if among {
                    self.line(&format!("{table}:"));
                    self.line(words.trim_start());
                } else {
                    let _ = writeln!(self.data, "\t.p2align 2\n{table}:\n{words}");
                }
            }
            Table::InCode => {
                self.line(&format!("notrack jmp *{table}(,{i},8)"));
                self.line(&format!("{table}:"));
                self.line(words.trim_start());
            }
            Table::Loaded => {
                self.line(&format!("mov {from}({base},{i},8), {s}"));
                self.line(&format!("jmp *{s}"));
                let _ = writeln!(self.data, "\t.p2align 3\n{table}:\n{words}");
            }
            Table::Relative => {
                self.line(&format!("lea {table}(%rip), {s}"));
                self.line(&format!("movslq ({s},{i},4), {i}"));
                self.line(&format!("add {s}, {i}"));
                self.line(&format!("jmp *{i}"));
                let words: Vec<String> = (0..count).map(|k| format!("\t.long {}-{table}", arm(k))).collect();
                let _ = writeln!(self.data, "\t.p2align 2\n{table}:\n{}", words.join("\n"));
            }
            Table::Short => {
                self.line(&format!("movslq {table}(,{i},4), {s}"));
                self.line(&format!("lea {}({s}), {s}", arm(0)));
                self.line(&format!("jmp *{s}"));
                let words: Vec<String> =
                    (0..count).map(|k| format!("\t.long {}-{}", arm(k), arm(0))).collect();
                let _ = writeln!(self.data, "\t.p2align 2\n{table}:\n{}", words.join("\n"));
            }
            Table::Arithmetic => {
                self.line(&format!("shl $4, {i}"));
                self.line(&format!("lea {table}(%rip), {s}"));
                self.line(&format!("add {i}, {s}"));
                self.line(&format!("jmp *{s}"));
                self.line(".p2align 4");
                self.line(&format!("{table}:"));
                for k in 0..count {
                    self.line(".p2align 4");
                    self.line(&format!("jmp {}", arm(k)));
                }
            }
            Table::Chosen => {
                self.address(&arm(0), scratch);
                self.line(&format!("test {i}, {i}"));
                self.address(&arm(1), index);
                self.line(&format!("cmovne {i}, {s}"));
                self.line(&format!("jmp *{s}"));
            }
            Table::PushReturn => {
                self.line(&format!("push {from}({base},{i},8)"));
                self.line("ret");
                let _ = writeln!(self.data, "\t.p2align 3\n{table}:\n{words}");
            }
        }
        for (k, nodes) in arms.iter().enumerate() {
            self.line(&format!("{}:", arm(k)));
            self.nodes(nodes);
            if k + 1 < count {
                self.line(&format!("jmp {end}"));
            }
        }
        self.line(&format!("{end}:"));
    }
}

/// Offset of the address through which a switch of stacks jumps.
const CONTEXT_JUMP: u32 = 3144;

/// The counter of a loop in memory.
fn place_of(at: i32) -> String {
    if at < 0 { format!("{at}(%rsp)") } else { format!("@D+{at}") }
}

/// Which registers, vectors and other state are compared at the end of a scenario.
pub fn masks(convention: Convention) -> (u32, u32, u32) {
    use super::registers::{ALL, CALLEE_SAVED, GO_RESULTS, RESULTS};
    // The stack pointer is always compared.
    let stack = 1 << 4;
    match convention {
        Convention::Free => (u32::from(ALL) | stack, u32::MAX, 7),
        Convention::Known | Convention::SystemV => (u32::from(RESULTS | CALLEE_SAVED) | stack, 0, 0),
        Convention::Go => (u32::from(GO_RESULTS) | stack, 0, 0),
    }
}
