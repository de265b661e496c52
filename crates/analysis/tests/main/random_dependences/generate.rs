//! Random loops over one or two arrays, as C and as what they do to memory.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Iterations of each loop: no multiple of a vector's length.
pub const ITERATIONS: i64 = 67;
/// Elements of each array.
const ELEMENTS: i64 = 2 * ITERATIONS + 32;

/// Numbers from a seed (xorshift, Marsaglia 2003).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// Element `factor * i + offset` of an array.
#[derive(Clone, Copy, Debug)]
struct Element {
    array: usize,
    factor: i64,
    offset: i64,
}

impl Element {
    fn any(random: &mut Random, arrays: u64) -> Self {
        let factor = [1, 1, 1, 1, 2, -1, 0][random.below(7) as usize];
        // Downwards from an element that leaves all of them within the array.
        let base = if factor < 0 { ITERATIONS } else { 0 };
        let offset = base + random.below(10) as i64;
        Self { array: random.below(arrays) as usize, factor, offset }
    }

    fn at(self, i: i64) -> (usize, i64) {
        (self.array, self.factor * i + self.offset)
    }

    fn text(self) -> String {
        format!("{}[{}*i + {}]", ["a", "b"][self.array], self.factor, self.offset)
    }
}

/// `if (..) to = from[0] * c + from[1]`
#[derive(Clone, Debug)]
struct Statement {
    to: Element,
    from: Vec<Element>,
    /// Runs where the condition holds.
    conditional: bool,
}

#[derive(Clone, Debug)]
pub struct Loop {
    floating: bool,
    statements: Vec<Statement>,
    /// A scalar that each iteration computes from the one before, as the first statement.
    recurrence: bool,
    /// Line of the `for`.
    pub line: u32,
}

/// Which iterations meet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// Distances at which a later iteration reads what an earlier one wrote.
    pub flow: Vec<u64>,
    /// The nearest of those that go backward in the body.
    pub backward: Option<u64>,
    /// Nearest distance at which a later iteration overwrites what an earlier one read.
    pub anti: Option<u64>,
    /// Nearest distance at which a later iteration overwrites what an earlier one wrote.
    pub output: Option<u64>,
    /// A scalar is computed from itself.
    pub recurrence: bool,
    /// Some subscript is constant: compilers keep such elements in registers.
    pub constant: bool,
}

/// Where the condition holds.
fn holds(i: i64) -> bool {
    i % 3 != 1
}

impl Loop {
    pub fn any(random: &mut Random) -> Self {
        let arrays = 1 + random.below(2);
        let statements = 1 + random.below(2);
        let statement = |random: &mut Random| Statement {
            to: Element::any(random, arrays),
            from: (0..=random.below(2)).map(|_| Element::any(random, arrays)).collect(),
            conditional: random.chance(20),
        };
        Self {
            floating: random.chance(60),
            statements: (0..statements).map(|_| statement(random)).collect(),
            recurrence: random.chance(8),
            line: 0,
        }
    }

    /// Its function; notes the line that its loop gets.
    pub fn write(&mut self, number: usize, out: &mut String) {
        let kind = if self.floating { "double" } else { "int" };
        let parameters = format!("{kind} *a, {kind} *b, const int *condition, long n, {kind} *last");
        let _ = writeln!(out, "KERNEL k{number}({parameters}) {{\n    {kind} t = 1;");
        self.line = out.lines().count() as u32 + 1;
        let _ = writeln!(out, "    for (long i = 0; i < n; i++) {{");
        if self.recurrence {
            let _ = writeln!(out, "        t = t * 3 + {};", self.statements[0].from[0].text());
        }
        for s in &self.statements {
            let condition = if s.conditional { "if (condition[i]) " } else { "" };
            let sum: Vec<String> = s.from.iter().map(|from| from.text()).collect();
            let _ = writeln!(out, "        {condition}{} = ({}) * 3;", s.to.text(), sum.join(" + "));
        }
        let _ = writeln!(out, "    }}\n    *last = t;\n}}");
    }

    fn call(&self, number: usize) -> String {
        let kind = if self.floating { "d" } else { "i" };
        format!("    k{number}({kind}a, {kind}b, condition, iterations, &{kind}last);\n")
    }

    /// By running it.
    pub fn truth(&self) -> Truth {
        let mut truth = Truth { recurrence: self.recurrence, ..Truth::default() };
        let mut written: BTreeMap<(usize, i64), (i64, usize)> = BTreeMap::new();
        // Reads since the last write.
        let mut read: BTreeMap<(usize, i64), Vec<i64>> = BTreeMap::new();
        let near = |known: &mut Option<u64>, distance: i64| {
            if distance > 0 {
                *known = Some(known.map_or(distance as u64, |k| k.min(distance as u64)));
            }
        };
        for i in 0..ITERATIONS {
            // The scalar's statement, where there is one, comes first and writes nothing.
            let scalar = self.recurrence.then(|| (usize::MAX, vec![self.statements[0].from[0]], None));
            let statements = self.statements.iter().enumerate();
            let statements = statements
                .filter(|(_, s)| !s.conditional || holds(i))
                .map(|(at, s)| (at, s.from.clone(), Some(s.to)));
            for (at, from, to) in scalar.into_iter().chain(statements) {
                for place in from.iter().map(|from| from.at(i)) {
                    if let Some(&(when, by)) = written.get(&place).filter(|(when, _)| *when < i) {
                        truth.flow.push((i - when) as u64);
                        if at == usize::MAX || by >= at {
                            near(&mut truth.backward, i - when);
                        }
                    }
                    read.entry(place).or_default().push(i);
                }
                let Some(place) = to.map(|to| to.at(i)) else { continue };
                for when in read.remove(&place).unwrap_or_default() {
                    near(&mut truth.anti, i - when);
                }
                if let Some((when, _)) = written.insert(place, (i, at)) {
                    near(&mut truth.output, i - when);
                }
            }
        }
        truth.flow.sort_unstable();
        truth.flow.dedup();
        let elements = self.statements.iter().flat_map(|s| s.from.iter().chain([&s.to]));
        truth.constant = elements.into_iter().any(|element| element.factor == 0);
        truth
    }
}

/// A program that runs all the loops.
pub fn program(loops: &mut [Loop]) -> String {
    let mut out = String::from(
        "#include <stdio.h>\n#ifdef __clang__\n#define KERNEL __attribute__((noinline)) void\n#else\n\
         #define KERNEL __attribute__((noipa)) void\n#endif\n",
    );
    let _ = writeln!(out, "static _Alignas(64) double da[{ELEMENTS}], db[{ELEMENTS}], dlast;");
    let _ = writeln!(
        out,
        "static _Alignas(64) int ia[{ELEMENTS}], ib[{ELEMENTS}], ilast, condition[{ELEMENTS}];"
    );
    let _ = writeln!(out, "static volatile long iterations = {ITERATIONS};");
    for (number, l) in loops.iter_mut().enumerate() {
        l.write(number, &mut out);
    }
    let _ = writeln!(
        out,
        "int main(void) {{\n    for (int i = 0; i < {ELEMENTS}; i++) condition[i] = i % 3 != 1;"
    );
    for (number, l) in loops.iter().enumerate() {
        out.push_str(&l.call(number));
    }
    out.push_str("    return 0;\n}\n");
    out
}
