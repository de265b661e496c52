//! What a row of the table holds.

/// A class of messages with one cause and one set of remedies.
#[derive(Debug)]
pub struct Reason {
    /// Stable name, kebab-case.
    pub id: &'static str,
    /// One line.
    pub title: &'static str,
    /// GCC's words (see [`mod@super::matching`] for the pattern language) that name this as the reason.
    pub gcc: &'static [&'static str],
    /// GCC's words that accompany this reason but also loops that are vectorised or fail for something else.
    pub gcc_hints: &'static [&'static str],
    /// Functions whose call, in a statement that GCC blames, means this reason.
    pub gcc_callees: &'static [&'static str],
    /// LLVM's words.
    pub clang: &'static [&'static str],
    /// LLVM's remark names.
    pub clang_names: &'static [&'static str],
    /// Intel's numbers.
    pub intel: &'static [u32],
    /// Intel's words, of reports without numbers.
    pub intel_text: &'static [&'static str],
    /// Among several reasons of one loop the higher rank answers better; 0 for words that say nothing.
    pub rank: u8,
    /// Nothing needs to be done.
    pub benign: bool,
    /// What the compiler means, in plain words.
    pub meaning: &'static str,
    /// What it costs.
    pub cost: &'static str,
    /// The reason in C.
    pub c: Example,
    /// The reason in Fortran.
    pub fortran: Example,
    /// What helps, best first.
    pub remedies: &'static [Remedy],
    /// When the remedy is wrong or does not pay.
    pub caveats: &'static str,
}

/// A loop that suffers from a reason, and the same loop mended.
#[derive(Debug)]
pub struct Example {
    /// As first written.
    pub bad: &'static str,
    /// After the remedy; empty when there is no rewriting.
    pub mended: &'static str,
    /// Flags of `bad` beyond `-O3 -march=x86-64-v3`.
    pub bad_flags: &'static [&'static str],
    /// Flags of `mended` beyond `-O3 -march=x86-64-v3`: often the remedy itself.
    pub mended_flags: &'static [&'static str],
    /// Compilers whose report of `bad` is tested to give this reason.
    pub proves_bad: &'static [Prover],
    /// Compilers whose report of `mended` is tested to say vectorised.
    pub proves_mended: &'static [Prover],
    /// Why a compiler is missing above; empty when none is.
    pub unproven: &'static str,
}

/// A compiler that proves an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prover {
    /// gcc, or gfortran for Fortran.
    Gcc,
    /// clang.
    Clang,
}

/// One way to remedy a reason.
#[derive(Debug)]
pub struct Remedy {
    /// What it applies to: `source`, `gcc`, `clang`, `intel`, `any`.
    pub by: &'static str,
    /// What to do.
    pub what: &'static str,
}

impl Reason {
    /// A row without patterns and words, for rows to name only what they have.
    pub(super) const BLANK: Reason = Reason {
        id: "",
        title: "",
        gcc: &[],
        gcc_hints: &[],
        gcc_callees: &[],
        clang: &[],
        clang_names: &[],
        intel: &[],
        intel_text: &[],
        rank: 50,
        benign: false,
        meaning: "",
        cost: "",
        c: Example::BLANK,
        fortran: Example::BLANK,
        remedies: &[],
        caveats: "",
    };
}

impl Example {
    /// An example that proves nothing yet.
    pub(super) const BLANK: Example = Example {
        bad: "",
        mended: "",
        bad_flags: &[],
        mended_flags: &[],
        proves_bad: &[],
        proves_mended: &[],
        unproven: "",
    };
}
