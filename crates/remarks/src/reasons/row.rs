//! A row of the table.

/// A class of messages with one cause and one set of remedies.
#[derive(Debug)]
pub struct Reason {
    /// Stable name, kebab-case.
    pub id: &'static str,
    /// Title of one line.
    pub title: &'static str,
    /// GCC's messages (see [`mod@super::matching`] for the pattern language) that name this as the reason.
    pub gcc: &'static [&'static str],
    /// GCC's messages that accompany this reason but also loops that are vectorised or fail for another reason.
    pub gcc_hints: &'static [&'static str],
    /// Functions whose call, in a statement that GCC blames, has this reason.
    pub gcc_callees: &'static [&'static str],
    /// LLVM's messages.
    pub clang: &'static [&'static str],
    /// LLVM's remark names.
    pub clang_names: &'static [&'static str],
    /// Intel's message numbers.
    pub intel: &'static [u32],
    /// Intel's messages in reports without numbers.
    pub intel_text: &'static [&'static str],
    /// Among several reasons of one loop the higher rank answers better; 0 for messages without information.
    pub rank: u8,
    /// No action is needed.
    pub benign: bool,
    /// The meaning of the compiler's message, in plain words.
    pub meaning: &'static str,
    /// What the reason costs at run time.
    pub cost: &'static str,
    /// The reason in C.
    pub c: Example,
    /// The reason in Fortran.
    pub fortran: Example,
    /// Remedies, best first.
    pub remedies: &'static [Remedy],
    /// When the remedy is wrong or does not pay.
    pub caveats: &'static str,
}

/// A loop with a reason, and the same loop rewritten.
#[derive(Debug)]
pub struct Example {
    /// The original.
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
    /// clang; for Fortran there is none.
    Clang,
}

/// One remedy of a reason.
#[derive(Debug)]
pub struct Remedy {
    /// What it applies to: `source`, `gcc`, `clang`, `intel`, `any`.
    pub by: &'static str,
    /// What to do.
    pub what: &'static str,
}

impl Reason {
    /// A row without patterns and text, so that rows name only the fields they have.
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
