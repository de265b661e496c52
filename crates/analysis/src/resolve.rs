//! From sampled addresses to functions and loops.
//!
//! Functions and loops of all ranks share one numbering: equal binaries (same build) are the same code.

use crate::counts::Builds;
use loopwright_binary::facts::{FunctionCode, LoopCode};
use loopwright_experiment::{CodeModule, Facts, Run, StoredFunction};
use loopwright_sample::recording::{Frame, Module, ModuleKind};
use std::collections::{BTreeSet, HashMap};

/// A function with time, described or only named.
#[derive(Clone, Debug)]
pub struct FunctionEntity<'a> {
    /// Name as shown.
    pub name: String,
    /// Path of the module, or its name in brackets.
    pub module_path: String,
    /// The module is an executable of the process tree.
    pub main_module: bool,
    /// The static facts.
    pub stored: Option<&'a StoredFunction>,
    /// No symbol, unwind entry or described function covers the address.
    pub unresolved: bool,
}

/// A loop of a described function.
#[derive(Clone, Copy, Debug)]
pub struct LoopEntity<'a> {
    /// Id in the experiment.
    pub id: u32,
    /// Index into [`Entities::functions`].
    pub function: u32,
    /// The static facts.
    pub code: &'a LoopCode,
    /// Index into [`Entities::loops`] of the enclosing loop.
    pub parent: Option<u32>,
}

/// The module and function of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePlace {
    /// Index into [`Entities::functions`].
    pub function: u32,
    /// Index into [`Entities::loops`] of the innermost loop.
    pub innermost: Option<u32>,
}

/// All functions and loops that the samples touch, and the loops beside them.
#[derive(Clone, Debug, Default)]
pub struct Entities<'a> {
    pub functions: Vec<FunctionEntity<'a>>,
    /// Every loop of every described function.
    pub loops: Vec<LoopEntity<'a>>,
    /// For each survey, the place of each of its frames.
    pub places: Vec<Vec<FramePlace>>,
    /// For each counting run, module and counted function, its index into `functions`; absent for other builds.
    pub counted: Vec<Vec<Vec<Option<u32>>>>,
    /// For each tracing run the functions that it names: `(module, entry address)` to index into `functions`. Functions of
    /// other builds are left out.
    pub traced: Vec<HashMap<(u32, u64), u32>>,
    /// The pseudo function that owns time in the kernel.
    pub kernel: u32,
    /// The one that owns user time which the operating system counts and no sample saw.
    pub unsampled: u32,
}

/// Index into [`Entities::loops`] of each loop, by the path of its module and its header.
pub type Headers<'a> = HashMap<(&'a str, u64), u32>;

impl Entities<'_> {
    /// All loops by module and header.
    pub fn headers(&self) -> Headers<'_> {
        (self.loops.iter().zip(0..))
            .map(|(entity, index)| {
                let function = &self.functions[entity.function as usize];
                ((function.module_path.as_str(), entity.code.header), index)
            })
            .collect()
    }

    /// The loop and those around it, innermost first.
    pub fn nest(&self, innermost: Option<u32>) -> impl Iterator<Item = u32> {
        std::iter::successors(innermost, |&at| self.loops[at as usize].parent)
    }
}

/// Name of the pseudo module and function for kernel time.
pub const KERNEL: &str = "[kernel]";
/// Name of the pseudo module and function for user time without samples.
pub const UNSAMPLED: &str = "[not sampled]";

/// Resolves every frame of every survey, and every counted and traced function.
pub fn resolve<'a>(facts: &'a Facts, builds: &Builds) -> Entities<'a> {
    let mut builder = Builder::default();
    builder.entities.kernel = builder.named(KERNEL.to_owned(), KERNEL, false, false);
    builder.entities.unsampled = builder.named(UNSAMPLED.to_owned(), UNSAMPLED, false, false);
    for survey in &facts.surveys {
        let executables: Vec<&str> =
            survey.facts.processes.iter().map(|process| process.executable.as_str()).collect();
        let described: HashMap<u32, &CodeModule> =
            survey.code.iter().map(|module| (module.position, module)).collect();
        let mut places = Vec::with_capacity(survey.facts.frames.len());
        for frame in &survey.facts.frames {
            let module = frame.module.and_then(|at| Some((at, survey.facts.modules.get(at as usize)?)));
            let main = module.is_some_and(|(_, module)| {
                module.kind == ModuleKind::Main || executables.contains(&module.path.as_str())
            });
            let code = module.and_then(|(at, _)| described.get(&at).copied());
            places.push(builder.place(frame, module.map(|(_, module)| module), main, code));
        }
        builder.entities.places.push(places);
    }
    for run in 0..facts.counts.len() {
        let counted = builder.counted(facts, run, builds);
        builder.entities.counted.push(counted);
    }
    for run in 0..facts.traced.len() {
        let traced = builder.traced(facts, run, builds);
        builder.entities.traced.push(traced);
    }
    builder.entities
}

/// The described code of a module in any survey: runs that describe nothing themselves are of a surveyed build.
fn surveyed<'a>(facts: &'a Facts, path: &str) -> Option<&'a CodeModule> {
    let mut described = facts.surveys.iter().flat_map(Run::named_code);
    described.find(|(named, _)| *named == path).map(|(_, code)| code)
}

#[derive(Default)]
struct Builder<'a> {
    entities: Entities<'a>,
    by_name: HashMap<(String, String), u32>,
    by_id: HashMap<i64, (u32, u32)>,
}

impl<'a> Builder<'a> {
    fn place(
        &mut self,
        frame: &Frame,
        module: Option<&Module>,
        main: bool,
        code: Option<&'a CodeModule>,
    ) -> FramePlace {
        let path = module.map_or("[unknown]", |module| &module.path);
        if let Some(stored) = code.and_then(|code| function_at(&code.functions, frame.address)) {
            let (function, first_loop) = self.described(stored, path, main);
            let innermost = innermost(&stored.code, frame.address).map(|index| first_loop + index);
            return FramePlace { function, innermost };
        }
        let (name, unresolved) = match &frame.symbol {
            Some(symbol) => (symbol.clone(), false),
            None if module.is_some_and(|m| m.kind == ModuleKind::Vdso) => ("[vdso]".to_owned(), false),
            None => ("[unknown]".to_owned(), true),
        };
        FramePlace { function: self.named(name, path, main, unresolved), innermost: None }
    }

    /// The functions of a counting run, described ones by their code.
    fn counted(&mut self, facts: &'a Facts, run: usize, builds: &Builds) -> Vec<Vec<Option<u32>>> {
        let counted = &facts.counts[run];
        let main = |path: &str| {
            counted.target.executable == path || counted.facts.threads.iter().any(|t| t.program == path)
        };
        let mut modules = Vec::with_capacity(counted.facts.modules.len());
        for (position, module) in counted.facts.modules.iter().enumerate() {
            if !builds.counts.holds(run, position) {
                modules.push(vec![None; module.functions.len()]);
                continue;
            }
            let code = counted.code.iter().find(|code| code.position as usize == position);
            let code = code.or_else(|| surveyed(facts, &module.path));
            let main = main(&module.path);
            let functions = module.functions.iter().map(|function| {
                let stored = code.and_then(|code| function_at(&code.functions, function.address));
                Some(match stored.filter(|stored| stored.code.function.address == function.address) {
                    Some(stored) => self.described(stored, &module.path, main).0,
                    None => self.named(function.name.clone(), &module.path, main, false),
                })
            });
            modules.push(functions.collect());
        }
        modules
    }

    /// The functions that a tracing run names: those of its loops, of the operands and branches in them and of the loops around.
    fn traced(&mut self, facts: &'a Facts, run: usize, builds: &Builds) -> HashMap<(u32, u64), u32> {
        let traced = &facts.traced[run];
        let code_of = |module: u32| {
            let path = &traced.facts.modules.get(module as usize)?.path;
            let own = traced.code.iter().find(|code| code.position == module);
            builds
                .traces
                .holds(run, module as usize)
                .then(|| own.or_else(|| surveyed(facts, path)))
                .flatten()
                .map(|code| (code, path))
        };
        let mut places: BTreeSet<(u32, u64)> = BTreeSet::new();
        for seen in &traced.facts.loops {
            places.extend(seen.functions());
            for site in &seen.sites {
                places.extend(site.strides.iter().map(|level| (level.module, level.header)));
            }
        }
        for untraced in &traced.facts.untraced {
            let module = traced.facts.modules.iter().position(|module| module.path == untraced.module);
            places.extend(module.map(|module| (module as u32, untraced.header)));
        }
        let mut functions = HashMap::new();
        for (module, address) in places {
            let Some((code, path)) = code_of(module) else { continue };
            let Some(stored) = function_at(&code.functions, address) else { continue };
            let function = self.described(stored, path, traced.target.executable == *path).0;
            functions.insert((module, stored.code.function.address), function);
        }
        functions
    }

    fn described(&mut self, stored: &'a StoredFunction, path: &str, main: bool) -> (u32, u32) {
        if let Some(&known) = self.by_id.get(&stored.id) {
            return known;
        }
        let function = self.entities.functions.len() as u32;
        let first_loop = self.entities.loops.len() as u32;
        self.entities.functions.push(FunctionEntity {
            name: stored.code.function.name.clone(),
            module_path: path.to_owned(),
            main_module: main,
            stored: Some(stored),
            unresolved: false,
        });
        let count = stored.code.loops.len() as u32;
        for (code, &id) in stored.code.loops.iter().zip(&stored.loop_ids) {
            let parent = code.parent.filter(|&p| p < count && p != code.index).map(|p| first_loop + p);
            self.entities.loops.push(LoopEntity { id, function, code, parent });
        }
        self.by_id.insert(stored.id, (function, first_loop));
        (function, first_loop)
    }

    fn named(&mut self, name: String, path: &str, main: bool, unresolved: bool) -> u32 {
        let next = self.entities.functions.len() as u32;
        let index = *self.by_name.entry((path.to_owned(), name.clone())).or_insert(next);
        if index == next {
            self.entities.functions.push(FunctionEntity {
                name,
                module_path: path.to_owned(),
                main_module: main,
                stored: None,
                unresolved,
            });
        }
        index
    }
}

/// The described function that holds `address`, cold parts included.
pub(crate) fn function_at(functions: &[StoredFunction], address: u64) -> Option<&StoredFunction> {
    let after = functions.partition_point(|f| f.code.function.address <= address);
    let before = after.checked_sub(1).and_then(|at| functions.get(at));
    before.filter(|f| address < f.code.function.end).or_else(|| {
        functions.iter().find(|f| f.code.function.parts.iter().any(|&(a, b)| (a..b).contains(&address)))
    })
}

/// Index of the deepest loop whose blocks hold `address`.
fn innermost(code: &FunctionCode, address: u64) -> Option<u32> {
    let holds = |ranges: &[(u64, u64)]| {
        let after = ranges.partition_point(|range| range.0 <= address);
        after > 0 && address < ranges[after - 1].1
    };
    let candidates = code.loops.iter().enumerate().filter(|(_, l)| holds(&l.ranges));
    candidates.max_by_key(|(_, l)| l.depth).map(|(index, _)| index as u32)
}
