//! The object of one source with some functions of one build and the others of another one.

use super::assembly::{Exchangeable, Locals, exchangeable};
use crate::fault::Fault;
use crate::line::Line;
use crate::rebuild::Workshop;
use loopwright_experiment::reproduction::Inlining;
use loopwright_remarks::compiler::identify;
use loopwright_remarks::remark::Family;
use object::{Object, ObjectSection, ObjectSymbol};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Options with which GCC does not make use of what it knows of a function when it compiles another one: the other one may be called in
/// another version (GCC manual, *Options That Control Optimization*).
const APART: [&str; 6] = [
    "-fno-ipa-ra",
    "-fno-ipa-cp",
    "-fno-ipa-sra",
    "-fno-ipa-icf",
    "-fno-partial-inlining",
    "-fno-ipa-stack-alignment",
];
/// Text for the assembler, with lines of the source and in the syntax that is read here.
const AS_TEXT: [&str; 4] = ["-S", "-g1", "-fno-lto", "-masm=att"];

/// Options for what is inlined (GCC manual, *Options That Control Optimization*; Clang command line argument reference).
fn inlined(inlining: Inlining, is_gcc: bool) -> &'static [&'static str] {
    match inlining {
        Inlining::None => &["-fno-inline"],
        Inlining::Declared if is_gcc => {
            &["-fno-inline-functions", "-fno-inline-small-functions", "-fno-inline-functions-called-once"]
        }
        Inlining::Declared => &["-finline-hint-functions"],
        Inlining::AsBuilt => &[],
    }
}

/// How one build compiles a source.
pub(crate) struct Compiled<'c> {
    pub options: Vec<String>,
    /// Another compiler, and the words of the command that it does not know.
    pub compiler: Option<(&'c str, &'c [String])>,
}

/// Both objects of a source.
pub(crate) struct Exchange {
    folder: PathBuf,
    /// Texts and objects, and what can be exchanged.
    pub texts: Exchangeable,
    objects: [Vec<u8>; 2],
    made: usize,
}

/// Why there is none.
pub(crate) enum NoExchange {
    Fault(Fault),
    Reason(String),
}

impl From<Fault> for NoExchange {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<std::io::Error> for NoExchange {
    fn from(cause: std::io::Error) -> Self {
        Self::Fault(cause.into())
    }
}

impl Exchange {
    /// Compiles a source twice.
    pub fn new(
        workshop: &mut Workshop,
        line: &Line,
        sides: [&Compiled; 2],
        inlining: Inlining,
    ) -> Result<Self, NoExchange> {
        let program = |side: &Compiled<'_>| {
            side.compiler.map_or(line.step.arguments[0].clone(), |(program, _)| program.to_owned())
        };
        let folder = workshop.new_folder()?;
        let mut texts = Vec::new();
        let mut locals = Locals::Exchanged;
        for (side, name) in sides.into_iter().zip(["good.s", "bad.s"]) {
            let program = program(side);
            let is_gcc = identify(Path::new(&program)).is_some_and(|known| known.family == Family::Gcc);
            if !is_gcc {
                locals = Locals::Kept;
            }
            let apart: &[&str] = if is_gcc { &APART } else { &[] };
            let more = inlined(inlining, is_gcc);
            let options: Vec<&str> = side
                .options
                .iter()
                .map(String::as_str)
                .chain(more.iter().chain(apart).chain(&AS_TEXT).copied())
                .collect();
            let text = folder.join(name);
            workshop.compile_to(line, side.compiler, &options, &text)?;
            texts.push(std::fs::read_to_string(&text)?);
        }
        let texts = exchangeable(&texts[0], &texts[1], locals).map_err(NoExchange::Reason)?;
        if texts.functions.is_empty() {
            return Err(NoExchange::Reason("both builds have no function in common".to_owned()));
        }
        let mut objects = [Vec::new(), Vec::new()];
        let both = [(&texts.good, "good"), (&texts.bad, "bad")];
        for (((text, name), side), bytes) in both.into_iter().zip(sides).zip(&mut objects) {
            let (source, object) =
                (folder.join(format!("exchanged-{name}.s")), folder.join(format!("{name}.o")));
            std::fs::write(&source, text)?;
            let program = program(side);
            let words = ["-c".to_owned(), shown(&source), "-o".to_owned(), shown(&object)];
            workshop.run(line, &program, &words, &folder)?;
            *bytes = std::fs::read(&object)?;
        }
        Ok(Self { folder, texts, objects, made: 0 })
    }

    /// The object with these functions of the second build.
    pub fn object(&mut self, workshop: &Workshop, line: &Line, on: &[usize]) -> Result<PathBuf, NoExchange> {
        let symbols = |second: bool| -> BTreeSet<&str> {
            let functions = (0..).zip(&self.texts.functions);
            let chosen = functions.filter(|(number, _)| on.contains(number) == second);
            chosen.flat_map(|(_, function)| &function.symbols).map(String::as_str).collect()
        };
        let mut of_good = symbols(false);
        of_good.extend(self.texts.strong.iter().map(String::as_str));
        let sets = [of_good, symbols(true)];
        self.made += 1;
        let name = |what: &str| self.folder.join(format!("{what}-{}.o", self.made));
        let files = [name("good"), name("bad")];
        for ((bytes, set), file) in self.objects.iter().zip(&sets).zip(&files) {
            std::fs::write(file, strengthened(bytes, set).map_err(NoExchange::Reason)?)?;
        }
        let whole = name("both");
        let words = ["-r", "-nostdlib", "-o", &shown(&whole), &shown(&files[0]), &shown(&files[1])]
            .map(str::to_owned);
        // The compiler of the project links objects into one.
        workshop.run(line, &line.step.arguments[0], &words, &self.folder)?;
        Ok(whole)
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Length of a symbol of a 64-bit object, and the place of its kind in it (ELF specification, *Symbol Table*).
const SYMBOL: (u64, u64) = (24, 4);
/// The binding in the upper half of that byte: `STB_GLOBAL`.
const GLOBAL: u8 = 1 << 4;

/// An object whose symbols of these names are strong.
fn strengthened(bytes: &[u8], names: &BTreeSet<&str>) -> Result<Vec<u8>, String> {
    let cause = |error: object::Error| format!("an object cannot be read: {error}");
    let file = object::File::parse(bytes).map_err(cause)?;
    if !matches!(file, object::File::Elf64(_)) {
        return Err("an object is not one of 64 bits".to_owned());
    }
    let table = file.section_by_name(".symtab").and_then(|table| table.file_range());
    let (start, _) = table.ok_or_else(|| "an object has no symbols".to_owned())?;
    let mut new = bytes.to_vec();
    for symbol in file.symbols().filter(|symbol| symbol.name().is_ok_and(|name| names.contains(name))) {
        let at = usize::try_from(start + symbol.index().0 as u64 * SYMBOL.0 + SYMBOL.1);
        let info =
            at.ok().and_then(|at| new.get_mut(at)).ok_or_else(|| "an object is too short".to_owned())?;
        *info = GLOBAL | (*info & 0xf);
    }
    Ok(new)
}
