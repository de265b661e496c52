//! Names as programs have them, and names that try to break the page that shows them.

use crate::random::Random;

/// Where names come from.
pub struct Names {
    /// Mix in names that no one would choose in good faith.
    pub hostile: bool,
}

const VERBS: [&str; 16] = [
    "update",
    "solve",
    "apply",
    "relax",
    "interpolate",
    "project",
    "scatter",
    "reduce",
    "assemble",
    "advance",
    "smooth",
    "restrict",
    "prolong",
    "integrate",
    "exchange",
    "normalise",
];
const NOUNS: [&str; 20] = [
    "velocity",
    "pressure",
    "flux",
    "boundary",
    "lattice",
    "density",
    "spectrum",
    "matrix",
    "stencil",
    "particles",
    "mesh",
    "gradient",
    "halo",
    "residual",
    "energy",
    "charges",
    "forces",
    "tensor",
    "cells",
    "modes",
];

/// What has been tried on pages before: markup, ends of scripts and comments, attributes, directions, control characters.
const ATTACKS: [&str; 16] = [
    "<script>alert(1)</script>",
    "</script><script>document.title='run'</script>",
    "<!--",
    "--><img src=x onerror=alert(2)>",
    "\"><svg/onload=alert(3)>",
    "' onmouseover='alert(4)",
    "javascript:alert(5)",
    "&lt;b&gt;&amp;&#60;",
    "</title></style></textarea>",
    "\u{202e}txt.exe\u{202c}",
    "\u{0}\u{1b}[31m\u{7}",
    "broken \u{fffd}\u{fffd}(\u{fffd} utf-8",
    "{{constructor.constructor('alert(6)')()}}",
    "${alert(7)}`",
    "__proto__",
    "a\nb\r\nc\td\u{2028}e\u{2029}",
];

impl Names {
    /// Each attack in turn, and a symbol of ten thousand characters.
    fn attack(&self, index: usize) -> Option<String> {
        let in_turn = index % (ATTACKS.len() + 1);
        let long = || format!("std::vector<{}>", "std::pair<int, ".repeat(700));
        self.hostile.then(|| ATTACKS.get(in_turn).map_or_else(long, |attack| (*attack).to_owned()))
    }

    pub fn function(&self, random: &mut Random, index: usize) -> String {
        let (verb, noun) = (random.pick(&VERBS), random.pick(&NOUNS));
        let plain = match index % 5 {
            0 => format!("{verb}_{noun}_{index}"),
            1 => format!("solver::{noun}::{verb}(double const*, double*, int) [clone .{index}]"),
            2 => format!("__{noun}_mod_MOD_{verb}_{index}"),
            3 => {
                format!("void kernels::{verb}<{noun}, {index}>(std::vector<double, std::allocator<double>>&)")
            }
            _ => format!("<{noun}::Field{index} as Step>::{verb}"),
        };
        self.attack(index).map_or(plain.clone(), |attack| format!("{attack}{plain}"))
    }

    /// A source file.
    pub fn file(&self, random: &mut Random, index: usize) -> String {
        let noun = random.pick(&NOUNS);
        let ending = ["c", "cpp", "f90", "rs"][index % 4];
        let plain = format!("/home/ada/solver/src/{noun}/{noun}_{index}.{ending}");
        self.attack(index * 5)
            .map_or(plain, |attack| format!("/home/ada/{}/{index}.{ending}", attack.replace('/', "\u{2215}")))
    }

    /// Any short text of another program: a message, a thread's name, an argument.
    pub fn text(&self, random: &mut Random, plain: &str) -> String {
        if !random.chance(0.3) {
            return plain.to_owned();
        }
        let index = random.below(1000) as usize;
        self.attack(index).map_or_else(|| plain.to_owned(), |attack| format!("{plain} {attack}"))
    }

    /// An identifier in a source.
    pub fn identifier(&self, random: &mut Random) -> String {
        format!("{}_{}", random.pick(&NOUNS), random.below(40))
    }
}
