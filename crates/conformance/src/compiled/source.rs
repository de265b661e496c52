//! From a seed to a program in C of static functions, for which compilers create their own calling conventions.
//!
//! Where a compiler sees all callers of a function, it need not keep to the ABI: gcc's `-fipa-ra` keeps values in
//! registers that the callee happens not to write, both drop arguments, pass parts of structures and clone. Every
//! function here is static; the number of values that are live at the calls is random. Nothing is undefined and every
//! loop has its own bound, so that one executable prints the same in every run.

use crate::random::Random;
use std::fmt::Write as _;

/// Rounds of each root in each thread.
const ROUNDS: u32 = 3;

/// Most instructions, by estimate, of one call of a root.
const MOST_COST: u64 = 20_000;

/// A type of C as the program names it, and its conversion from a `u64` expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Word,
    Half,
    Byte,
    Double,
    Float,
    Pair,
    Mixed,
    Big,
    Vector,
}

const TYPES: [Type; 12] = [
    Type::Word,
    Type::Word,
    Type::Word,
    Type::Half,
    Type::Half,
    Type::Byte,
    Type::Double,
    Type::Float,
    Type::Pair,
    Type::Mixed,
    Type::Big,
    Type::Vector,
];

impl Type {
    fn name(self) -> &'static str {
        match self {
            Self::Word => "u64",
            Self::Half => "u32",
            Self::Byte => "u8",
            Self::Double => "double",
            Self::Float => "float",
            Self::Pair => "struct pair",
            Self::Mixed => "struct mixed",
            Self::Big => "struct big",
            Self::Vector => "v4",
        }
    }

    /// A value of the type.
    fn of_word(self, word: &str) -> String {
        match self {
            Self::Word => format!("({word})"),
            Self::Half => format!("(u32)({word})"),
            Self::Byte => format!("(u8)({word})"),
            Self::Double => format!("(double)(u32)({word})"),
            Self::Float => format!("(float)(u16)({word})"),
            Self::Pair => format!("(struct pair){{{word}, 5}}"),
            Self::Mixed => format!("(struct mixed){{(double)(u16)({word}), {word}}}"),
            Self::Big => format!("(struct big){{{{1, {word}, 3, {word}}}}}"),
            Self::Vector => format!("(v4){{1, (u32)({word}), 7, 9}}"),
        }
    }

    /// Its value as a `u64`.
    fn to_word(self, value: &str) -> String {
        match self {
            Self::Word | Self::Half | Self::Byte => format!("(u64)({value})"),
            Self::Double => format!("bits({value})"),
            Self::Float => format!("bits((double)({value}))"),
            Self::Pair => format!("of_pair({value})"),
            Self::Mixed => format!("of_mixed({value})"),
            Self::Big => format!("of_big({value})"),
            Self::Vector => format!("of_vector({value})"),
        }
    }
}

struct Function {
    id: usize,
    result: Type,
    parameters: Vec<Type>,
    /// It takes further arguments, as `...`.
    varied: bool,
    /// Its first parameter limits its depth of recursion.
    recursive: bool,
    /// It may be called through a pointer: `u64 (u64, u64)`, with the ABI's convention.
    pointed: bool,
    cost: u64,
}

/// Writes one function.
struct Author<'a> {
    random: &'a mut Random,
    made: &'a [Function],
    out: String,
    words: usize,
    doubles: usize,
    /// Product of the iterations of the loops around.
    times: u64,
    cost: u64,
    depth: usize,
    /// Numbers for names.
    names: usize,
}

/// The text of the program of a seed: `roots` groups of functions, each called by `main` in every round and thread.
pub fn program(seed: u64, roots: usize) -> String {
    let random = &mut Random::new(seed);
    let mut out = String::from(HEAD);
    let mut entries = Vec::new();
    for root in 0..roots {
        let count = random.within(3, 8) as usize;
        let mut made: Vec<Function> = Vec::new();
        for k in 0..count {
            let last = k + 1 == count;
            let function = function(random, &mut out, &made, root * 100 + k, last);
            made.push(function);
        }
        entries.push(format!("f{}", root * 100 + count - 1));
    }
    let _ = writeln!(out, "static u64 (*const roots[])(u64, u64) = {{{}}};", entries.join(", "));
    let _ = writeln!(out, "enum {{ ROOTS = {roots}, ROUNDS = {ROUNDS} }};");
    out.push_str(MAIN);
    out
}

fn function(random: &mut Random, out: &mut String, made: &[Function], id: usize, root: bool) -> Function {
    let pointed = root || random.chance(20);
    let recursive = !pointed && random.chance(15);
    let varied = !pointed && !recursive && random.chance(8);
    let mut parameters: Vec<Type> = if pointed {
        vec![Type::Word, Type::Word]
    } else {
        (0..random.below(9)).map(|_| random.pick(&TYPES)).collect()
    };
    if recursive || varied {
        parameters.insert(0, Type::Half);
    }
    let result = if pointed { Type::Word } else { random.pick(&TYPES) };
    let convention = if pointed || varied {
        ""
    } else {
        random.pick(&["", "", "", "", "ODD_MS ", "ODD_MOST ", "ODD_ALL ", "ODD_REG "])
    };
    // The Windows ABI and variables of vector type do not work together in every compiler.
    let plain = convention != "ODD_MS ";
    if !plain {
        for parameter in &mut parameters {
            if *parameter == Type::Vector {
                *parameter = Type::Word;
            }
        }
    }
    let result = if result == Type::Vector && !plain { Type::Double } else { result };
    let held = random.pick(&["NOINLINE ", "NOINLINE ", "NOINLINE ", "NOCLONE ", ""]);
    let list: Vec<String> =
        parameters.iter().enumerate().map(|(k, p)| format!("{} p{k}", p.name())).collect();
    let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
    let dots = if varied { ", ..." } else { "" };
    let _ = writeln!(out, "static {held}{convention}{} f{id}({list}{dots}) {{", result.name());
    let words = random.within(2, 16) as usize;
    let many = random.chance(30);
    let doubles = random.below(if many { 14 } else { 4 }) as usize;
    let mut author = Author {
        random,
        made,
        out: String::new(),
        words,
        doubles,
        times: 1,
        cost: (words + doubles) as u64 + 4,
        depth: 0,
        names: 0,
    };
    author.open(&parameters, varied);
    if recursive {
        author.recurse(id, &parameters, result);
    }
    for _ in 0..author.random.within(2, 7) {
        author.statement();
    }
    author.close(result);
    let cost = if recursive { author.cost * 4 } else { author.cost };
    out.push_str(&author.out);
    out.push_str("}\n");
    Function { id, result, parameters, varied, recursive, pointed, cost }
}

impl Author<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:indent$}{text}", "", indent = 4 * (self.depth + 1));
        self.cost += 3 * self.times;
    }

    fn word(&mut self) -> String {
        format!("a{}", self.random.below(self.words as u64))
    }

    fn double(&mut self) -> Option<String> {
        (self.doubles > 0).then(|| format!("d{}", self.random.below(self.doubles as u64)))
    }

    fn name(&mut self, what: &str) -> String {
        self.names += 1;
        format!("{what}{}", self.names)
    }

    fn open(&mut self, parameters: &[Type], varied: bool) {
        for k in 0..self.words {
            let from = parameters.get(k).map(|p| p.to_word(&format!("p{k}")));
            let from = from.unwrap_or_else(|| format!("mem[{}]", self.random.below(256)));
            self.line(&format!("u64 a{k} = {from};"));
        }
        for k in 0..self.doubles {
            let slot = self.random.below(256);
            self.line(&format!("double d{k} = (double)(u16)mem[{slot}] + {k}.25;"));
        }
        for (k, parameter) in parameters.iter().enumerate().skip(self.words) {
            let (value, into) = (parameter.to_word(&format!("p{k}")), self.word());
            self.line(&format!("{into} ^= {value};"));
        }
        if varied {
            let into = self.word();
            self.line("va_list list;");
            self.line("va_start(list, p0);");
            self.line(&format!("for (u32 i = 0; i < (p0 & 3); i++) {into} += va_arg(list, u64);"));
            self.line(&format!("{into} ^= bits(va_arg(list, double));"));
            self.line("va_end(list);");
        }
    }

    fn recurse(&mut self, id: usize, parameters: &[Type], result: Type) {
        let mut values = vec!["(p0 & 3) - 1".to_owned()];
        for parameter in &parameters[1..] {
            let word = self.word();
            values.push(parameter.of_word(&word));
        }
        let call = result.to_word(&format!("f{id}({})", values.join(", ")));
        let into = self.word();
        self.line(&format!("if (p0 & 3) {into} += {call};"));
    }

    fn close(&mut self, result: Type) {
        let all: Vec<String> = (0..self.words).map(|k| format!("a{k} * {}", 2 * k + 1)).collect();
        let mut sum = all.join(" + ");
        for k in 0..self.doubles {
            let _ = write!(sum, " + bits(d{k})");
        }
        self.line(&format!("u64 sum = {sum};"));
        self.line(&format!("return {};", result.of_word("sum")));
    }

    fn nested(&mut self, most: u64) {
        self.depth += 1;
        for _ in 0..self.random.within(1, most) {
            self.statement();
        }
        self.depth -= 1;
    }

    fn statement(&mut self) {
        let deep = self.depth >= 3;
        match self.random.below(if deep { 8 } else { 15 }) {
            0..=2 => self.arithmetic(),
            3 => self.memory(),
            4 => self.floating(),
            5 | 6 => self.call(),
            7 => self.opaque(),
            8 | 9 => self.counted_loop(),
            10 => self.packed_loop(),
            11 => self.ended_loop(),
            12 => self.branch(),
            13 => self.switch(),
            _ => self.jump_by_label(),
        }
    }

    fn arithmetic(&mut self) {
        let (a, b, c) = (self.word(), self.word(), self.word());
        let n = self.random.within(1, 63);
        let text = match self.random.below(11) {
            0 => format!("{a} = {b} + {c} * {n};"),
            1 => format!("{a} -= {b} ^ {c};"),
            2 => format!("{a} = ({b} << {n}) | ({b} >> {});", 64 - n),
            3 => format!("{a} ^= {b} >> ({c} & 63);"),
            4 => format!("{a} = {b} / ({c} | 1);"),
            5 => format!("{a} += (u64)((i64){b} % (i64)(({c} & 0xffff) + {n}));"),
            6 => format!("{a} = {b} < {c} ? {b} : {a};"),
            7 => format!("{a} = (u64)(((unsigned __int128){b} * {c}) >> 64);"),
            8 => format!("{a} += (u64)__builtin_popcountll({b}) + (u64)__builtin_clzll({c} | 1);"),
            9 => format!("{a} = (u64)(i64)(i32){b} - (u8){c};"),
            _ => format!("{{ u64 t; {a} = {b} + (u64)__builtin_add_overflow({b}, {c}, &t); {c} ^= t; }}"),
        };
        self.line(&text);
    }

    fn memory(&mut self) {
        let (a, b) = (self.word(), self.word());
        let text = match self.random.below(4) {
            0 => format!("mem[{a} & 255] = {b};"),
            1 => format!("{a} ^= mem[{b} & 255];"),
            2 => format!("mem[{a} & 255] += {b};"),
            _ => format!("memcpy(&mem[{a} & 63], &mem[128], 8 * ({b} & 63));"),
        };
        self.line(&text);
    }

    fn floating(&mut self) {
        let (Some(a), Some(b)) = (self.double(), self.double()) else { return self.arithmetic() };
        let w = self.word();
        let text = match self.random.below(5) {
            0 => format!("{a} = {b} * 0.5 + 1.25;"),
            1 => format!("{a} = {a} / ({b} * {b} + 1.0);"),
            2 => format!("{a} += (double)(u32){w};"),
            3 => format!("{w} += {a} < {b};"),
            _ => format!("{w} ^= bits({a});"),
        };
        self.line(&text);
    }

    /// Code that the compiler cannot analyse, or registers that it must keep free.
    fn opaque(&mut self) {
        let (a, b) = (self.word(), self.word());
        let text = match self.random.below(5) {
            0 => format!("__asm__(\"\" : \"+r\"({a}), \"+r\"({b}));"),
            1 => format!("__asm__ volatile(\"\" : \"+r\"({a}) : : \"rcx\", \"rsi\", \"r9\", \"r11\");"),
            2 => format!("__asm__(\"rol $7, %0\" : \"+r\"({a}) : : \"cc\");"),
            3 => format!(
                "{{ u64 high; __asm__(\"mulq %2\" : \"+a\"({a}), \"=d\"(high) : \"r\"({b}) : \"cc\"); {b} ^= high; }}"
            ),
            _ => format!(
                "{{ u64 room[({a} & 15) + 1]; room[{a} & 15] = {b}; __asm__ volatile(\"\" : : \"r\"(room) : \"memory\"); {a} += room[{a} & 15]; }}"
            ),
        };
        self.line(&text);
    }

    fn call(&mut self) {
        let budget = MOST_COST.saturating_sub(self.cost) / self.times.max(1);
        let fits: Vec<usize> =
            (0..self.made.len()).filter(|&k| self.made[k].cost < budget.min(MOST_COST / 4)).collect();
        if fits.is_empty() {
            return self.arithmetic();
        }
        let made = self.made;
        let callee = &made[self.random.pick(&fits)];
        let mut values = Vec::new();
        for (k, parameter) in callee.parameters.iter().enumerate() {
            let word = self.word();
            let word =
                if k == 0 && (callee.recursive || callee.varied) { format!("{word} & 3") } else { word };
            values.push(parameter.of_word(&word));
        }
        if callee.varied {
            // At most as many words as its first argument states, then a double.
            let count = self.random.below(4);
            values[0] = count.to_string();
            for _ in 0..count {
                let word = self.word();
                values.push(word);
            }
            values.push("2.5".to_owned());
        }
        let name = if callee.pointed && self.random.chance(60) {
            let pointer = self.name("g");
            self.line(&format!("u64 (*{pointer})(u64, u64) = f{};", callee.id));
            if self.random.chance(70) {
                self.line(&format!("__asm__ volatile(\"\" : \"+r\"({pointer}));"));
            }
            pointer
        } else {
            format!("f{}", callee.id)
        };
        let call = callee.result.to_word(&format!("{name}({})", values.join(", ")));
        let into = self.word();
        let operator = self.random.pick(&["=", "+=", "^="]);
        self.line(&format!("{into} {operator} {call};"));
        self.cost += callee.cost * self.times;
    }

    fn within(&mut self, times: u64, head: &str, tail: &str) {
        let times = times.max(1);
        self.line(head);
        self.times *= times;
        self.nested(3);
        self.times /= times;
        self.line(tail);
    }

    fn counted_loop(&mut self) {
        if self.times > 300 {
            return self.arithmetic();
        }
        let (i, w) = (self.name("i"), self.word());
        let most = self.random.within(2, 20);
        let head = match self.random.below(4) {
            0 => format!("for (u64 {i} = 0; {i} < {most}; {i}++) {{"),
            1 => format!("for (u64 {i} = {w} & {}; {i} > 0; {i}--) {{", most.next_power_of_two() - 1),
            2 => format!("for (u32 {i} = {most}; {i}-- != 0;) {{"),
            _ => format!("for (i64 {i} = -{most}; {i} < (i64)({w} & 7); {i} += 2) {{"),
        };
        self.within(most.next_power_of_two() + 8, &head, "}");
    }

    fn packed_loop(&mut self) {
        let count = self.random.within(4, 64);
        let (i, w) = (self.name("i"), self.word());
        let text = match self.random.below(5) {
            0 => format!("for (int {i} = 0; {i} < {count}; {i}++) mem[{i}] += mem[{i} + 64] ^ {w};"),
            1 => format!("for (int {i} = 0; {i} < {count}; {i}++) {w} += mem[{i}] >> 3;"),
            2 => format!(
                "for (int {i} = 0; {i} < {count}; {i}++) real[{i}] = real[{i}] * 0.5 + real[{i} + 64];"
            ),
            3 => format!("for (int {i} = 0; {i} < {count}; {i}++) if (mem[{i}] & 1) mem[{i} + 64] = {w};"),
            _ => format!("for (u64 {i} = 0; {i} < ({w} & 63); {i}++) mem[{i}] = {w};"),
        };
        self.line(&text);
        self.cost += 4 * count * self.times;
    }

    fn ended_loop(&mut self) {
        if self.times > 300 {
            return self.arithmetic();
        }
        let (i, w, v) = (self.name("i"), self.word(), self.word());
        let most = self.random.within(3, 16);
        let leave = self.random.pick(&["break", "continue", "break"]);
        let head = format!("for (u32 {i} = 0; {i} < {most}; {i}++) {{ if (({w} ^ {v}) % 7 == {i}) {leave};");
        self.within(most, &head, "}");
    }

    fn branch(&mut self) {
        let (a, b) = (self.word(), self.word());
        let test = match self.random.below(4) {
            0 => format!("{a} < {b}"),
            1 => format!("({a} & 3) == 1"),
            2 => format!("__builtin_expect({a} == {b}, 0)"),
            _ => format!("(i64){a} < 0 && ({b} & 1)"),
        };
        self.line(&format!("if ({test}) {{"));
        self.nested(2);
        if self.random.chance(50) {
            self.line("} else {");
            self.nested(2);
        }
        self.line("}");
    }

    fn switch(&mut self) {
        let w = self.word();
        let arms = self.random.within(4, 12);
        self.line(&format!("switch ({w} % {}) {{", arms + 1));
        for arm in 0..arms {
            self.line(&format!("case {arm}:"));
            self.depth += 1;
            self.arithmetic();
            if self.random.chance(25) {
                self.call();
            }
            if self.random.chance(80) {
                self.line("break;");
            }
            self.depth -= 1;
        }
        self.line("default: break;");
        self.line("}");
    }

    fn jump_by_label(&mut self) {
        let (name, w) = (self.name("t"), self.word());
        let arms = self.random.within(2, 5);
        let labels: Vec<String> = (0..arms).map(|k| format!("&&{name}_{k}")).collect();
        self.line(&format!("{{ static void *const {name}[] = {{{}}};", labels.join(", ")));
        self.line(&format!("goto *{name}[{w} % {arms}]; }}"));
        for k in 0..arms {
            self.line(&format!("{name}_{k}: ;"));
            self.arithmetic();
        }
    }
}

const HEAD: &str = include_str!("../../programs/compiled/head.h");
const MAIN: &str = include_str!("../../programs/compiled/main.h");

#[cfg(test)]
mod tests {
    use super::program;

    #[test]
    fn a_seed_gives_the_same_program_and_another_seed_another() {
        assert_eq!(program(7, 2), program(7, 2));
        assert_ne!(program(7, 2), program(8, 2));
    }
}
