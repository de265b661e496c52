//! Time by the purpose of library code: which container or service the program was in, and where it called it.
//!
//! A sample belongs to the outermost function on its stack that has a purpose ([`names`]), inlined functions included: memory that a
//! map allocates is time of the map, and no other purpose reports it a second time. A function of the program that the library calls
//! back belongs to a sort (its comparison), but not to containers, whose closures may do any work.

use crate::model::{Purpose, PurposeCaller, PurposeFacts, PurposeFunction, PurposePart};
use crate::place::{base_name, of_a_library};
use crate::resolve::Entities;
use crate::time::{ContextWeight, Times, seconds};
use loopwright_experiment::Facts;
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub mod names;

use names::{is_of_a_library, plain, purpose_of};

/// Functions and places that are listed for a purpose.
const LISTED: usize = 6;
/// Frames that are looked at: deeper ones are recursion, whose outermost frames decide.
const DEEPEST: usize = 512;

/// A function on a stack, as a call or inlined.
#[derive(Clone, Debug)]
struct Level {
    /// The name, by number.
    name: u32,
    /// Where it calls the next level inwards.
    calls_at: Option<(String, u32)>,
    own: bool,
    purpose: Option<Purpose>,
    /// A function with code of its own, into which others may be inlined.
    holds: bool,
}

#[derive(Default)]
struct Sum {
    user_ns: u64,
    kernel_ns: u64,
    samples: u64,
    callback_ns: u64,
    inside: BTreeMap<Purpose, u64>,
    functions: HashMap<u32, u64>,
    callers: HashMap<(u32, Option<(String, u32)>), u64>,
    holders: HashMap<u32, u64>,
    loops: BTreeSet<u32>,
}

/// What one stack is for.
struct Owned {
    purpose: Purpose,
    function: u32,
    caller: Option<(u32, Option<(String, u32)>)>,
    holder: Option<u32>,
    called_back: bool,
    innermost: Purpose,
    /// The innermost level is library code of this purpose.
    is_leaf: bool,
}

/// Time by purpose, the largest first; `weights` are those of the contexts of each survey.
pub fn purposes(
    facts: &Facts,
    entities: &Entities,
    weights: &[Vec<ContextWeight>],
    times: &Times,
) -> Vec<PurposeFacts> {
    let mut known = Known::default();
    let mut sums: BTreeMap<Purpose, Sum> = BTreeMap::new();
    for (survey, weights) in weights.iter().enumerate() {
        let recording = &facts.surveys[survey].facts;
        let places = &entities.places[survey];
        let mut of_frames: HashMap<u32, Vec<Level>> = HashMap::new();
        for (stack, weight) in weights.iter().enumerate() {
            if weight.user_ns + weight.kernel_ns == 0 {
                continue;
            }
            let leaf = recording.stacks[stack].frame;
            let mut levels: Vec<Level> = Vec::new();
            let mut at = Some(stack as u32);
            // From the innermost outwards.
            for _ in 0..DEEPEST {
                let Some(node) = at.map(|at| recording.stacks[at as usize]) else { break };
                let frame = node.frame;
                let of_frame = of_frames.entry(frame).or_insert_with(|| {
                    let address = recording.frames[frame as usize].address;
                    known.levels(entities, places[frame as usize].function, address)
                });
                levels.extend(of_frame.iter().cloned());
                at = node.parent;
            }
            let Some(owned) = owner(&levels, &known.names) else { continue };
            let sum = sums.entry(owned.purpose).or_default();
            let ns = weight.user_ns + weight.kernel_ns;
            sum.user_ns += weight.user_ns;
            sum.kernel_ns += weight.kernel_ns;
            sum.samples += weight.samples;
            if owned.called_back {
                sum.callback_ns += ns;
            }
            if owned.innermost != owned.purpose {
                *sum.inside.entry(owned.innermost).or_default() += ns;
            }
            *sum.functions.entry(owned.function).or_default() += ns;
            if let Some(caller) = owned.caller {
                *sum.callers.entry(caller).or_default() += ns;
            }
            if let Some(holder) = owned.holder {
                *sum.holders.entry(holder).or_default() += ns;
            }
            if let Some(innermost) = places[leaf as usize].innermost.filter(|_| owned.is_leaf) {
                sum.loops.insert(entities.loops[innermost as usize].id);
            }
        }
    }
    let mut found: Vec<PurposeFacts> =
        sums.into_iter().map(|(purpose, sum)| known.facts(purpose, sum, times)).collect();
    found.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then(a.purpose.cmp(&b.purpose)));
    found
}

/// Whether a function of the program that a library calls does part of the library's work: comparing, hashing, writing a value. A
/// closure that a container of Rust takes may do anything (`or_insert_with`).
fn calls_back(purpose: Purpose, name: &str) -> bool {
    match purpose {
        Purpose::Sorting => true,
        Purpose::OrderedContainer
        | Purpose::HashTable
        | Purpose::Hashing
        | Purpose::LinkedList
        | Purpose::Shifting
        | Purpose::Comparing
        | Purpose::Copying
        | Purpose::Formatting => !name.contains("{{closure}}") && !name.contains("{closure"),
        _ => false,
    }
}

/// What a stack is for, its levels given from the innermost outwards.
fn owner(levels: &[Level], names: &[String]) -> Option<Owned> {
    let mut found: Option<(usize, Purpose)> = None;
    let mut called_back = false;
    for (at, level) in levels.iter().enumerate().rev() {
        match (found, level.purpose) {
            (None, Some(purpose)) => found = Some((at, purpose)),
            // Whatever throws, the exception is what takes the time.
            (Some(_), Some(Purpose::Exceptions)) => found = Some((at, Purpose::Exceptions)),
            (Some((_, purpose)), _) if level.own => {
                if calls_back(purpose, &names[level.name as usize]) {
                    called_back = true;
                } else {
                    // The program's own code again: what it calls is looked at anew.
                    found = None;
                    called_back = false;
                }
            }
            _ => {}
        }
    }
    let (at, purpose) = found?;
    let outer = levels.get(at + 1..).unwrap_or_default();
    let caller = outer.iter().find(|level| level.own).map(|level| (level.name, level.calls_at.clone()));
    let holder = outer.iter().find(|level| level.own && level.holds).map(|level| level.name);
    let inner = &levels[..=at];
    let innermost = inner.iter().find_map(|level| level.purpose).unwrap_or(purpose);
    Some(Owned {
        purpose,
        function: levels[at].name,
        caller,
        holder,
        called_back,
        innermost,
        is_leaf: levels.first().is_some_and(|level| !level.own),
    })
}

/// Names seen, each judged once.
#[derive(Default)]
struct Known {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    judged: HashMap<u32, (Option<Purpose>, bool)>,
}

impl Known {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let next = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), next);
        next
    }

    /// Purpose, and whether a library has the function by its name.
    fn judge(&mut self, name: u32) -> (Option<Purpose>, bool) {
        let text = &self.names[name as usize];
        *self.judged.entry(name).or_insert_with(|| (purpose_of(text), is_of_a_library(text)))
    }

    /// The levels of a frame, the innermost first.
    fn levels(&mut self, entities: &Entities, function: u32, address: u64) -> Vec<Level> {
        let entity = &entities.functions[function as usize];
        let code = entity.stored.map(|stored| &stored.code);
        let own_module = entity.main_module || !is_installed(&entity.module_path);
        let mut levels = Vec::new();
        let call = code.and_then(|code| code.inlined.call_at(address));
        let mut calls_at = call.map(|(file, line)| (file.to_owned(), line));
        for inlined in code.into_iter().flat_map(|code| code.inlined.at(address)) {
            let name = self.number(inlined.function);
            let (purpose, library) = self.judge(name);
            let own = own_module && !library && purpose.is_none() && !written_in_a_library(&calls_at);
            levels.push(Level { name, calls_at, own, purpose, holds: false });
            calls_at = inlined.call.map(|(file, line)| (file.to_owned(), line));
        }
        let name = self.number(&entity.name);
        let (purpose, library) = self.judge(name);
        let file = code.and_then(|code| code.location.as_ref()).map(|at| at.file.as_str());
        let own_file = file.is_some_and(|file| !of_a_library(file));
        let symbol = !entity.name.contains("::") && !entity.name.starts_with('<');
        // A symbol of C says nothing by itself where it is the program's own; templates are, by their names.
        let purpose = purpose.filter(|purpose| {
            let marked = entity.name.starts_with('_') || *purpose == Purpose::Allocation;
            !own_module || !symbol || (!own_file && marked)
        });
        let own = own_module && !library && purpose.is_none() && (own_file || file.is_none());
        levels.push(Level { name, calls_at, own, purpose, holds: true });
        levels
    }

    fn facts(&self, purpose: Purpose, sum: Sum, times: &Times) -> PurposeFacts {
        let mut inside: Vec<PurposePart> = sum
            .inside
            .into_iter()
            .map(|(purpose, ns)| PurposePart { purpose, share: times.share(ns) })
            .collect();
        inside.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.purpose.cmp(&b.purpose)));
        let functions = self.listed(sum.functions, times, |name| plain(name).into_owned());
        let holders = self.listed(sum.holders, times, str::to_owned);
        let mut callers: Vec<PurposeCaller> = sum
            .callers
            .into_iter()
            .map(|((name, place), ns)| PurposeCaller {
                function: self.names[name as usize].clone(),
                place: place.map(|(file, line)| format!("{}:{line}", base_name(&file))),
                share: times.share(ns),
            })
            .collect();
        callers.sort_by(|a, b| {
            (b.share.total_cmp(&a.share))
                .then_with(|| a.function.cmp(&b.function))
                .then_with(|| a.place.cmp(&b.place))
        });
        callers.truncate(LISTED);
        let ns = sum.user_ns + sum.kernel_ns;
        PurposeFacts {
            purpose,
            seconds: seconds(ns),
            share: times.share(ns),
            samples: sum.samples,
            kernel_share: times.share(sum.kernel_ns),
            callback_share: times.share(sum.callback_ns),
            inside,
            functions,
            callers,
            holders,
            loops: sum.loops.into_iter().collect(),
        }
    }
}

impl Known {
    /// Functions by their time, those with one name together.
    fn listed(
        &self,
        of: HashMap<u32, u64>,
        times: &Times,
        shown: impl Fn(&str) -> String,
    ) -> Vec<PurposeFunction> {
        let mut named: BTreeMap<String, u64> = BTreeMap::new();
        for (name, ns) in of {
            *named.entry(shown(&self.names[name as usize])).or_default() += ns;
        }
        let mut listed: Vec<PurposeFunction> = named
            .into_iter()
            .map(|(function, ns)| PurposeFunction { function, share: times.share(ns) })
            .collect();
        listed.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.function.cmp(&b.function)));
        listed.truncate(LISTED);
        listed
    }
}

/// Whether a module came with the system or is no file: the user did not build it.
fn is_installed(path: &str) -> bool {
    const FOLDERS: [&str; 5] = ["/usr/", "/lib", "/opt/", "/bin/", "/nix/store/"];
    !path.starts_with('/') || path.contains("/site-packages/") || FOLDERS.iter().any(|f| path.starts_with(f))
}

/// The place is in a header or a source of a library.
fn written_in_a_library(place: &Option<(String, u32)>) -> bool {
    place.as_ref().is_some_and(|(file, _)| of_a_library(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{function, module, recording};
    use loopwright_binary::facts::{Collected, InlineFrame, SourceLocation};
    use loopwright_experiment::{Run, StoredFunction};

    fn at(line: u32) -> SourceLocation {
        SourceLocation { file: "/src/a.cpp".into(), line, column: 0 }
    }

    fn of_library(name: &str, bounds: (u64, u64), id: i64) -> StoredFunction {
        let mut new = function(id, name, bounds, vec![], id as u32 * 10);
        new.code.location = None;
        new
    }

    /// `main` at 0x100: a map's search is inlined at 0x110 and called at line 7, a call of the sort is at 0x120 in line 9.
    fn main() -> StoredFunction {
        let mut main = function(1, "main", (0x100, 0x200), vec![], 1);
        let mut inlined = Collected::default();
        let frame = |function: &str| InlineFrame { function: function.into(), call_site: Some(at(7)) };
        let find = inlined.chain(&[frame("std::map<int, int>::find(int const&)")]);
        inlined.range((0x110, 0x118), find);
        inlined.call((0x120, 0x125), &at(9));
        main.code.inlined = inlined.finish();
        main
    }

    fn found(stacks: &[(&[u64], u32)]) -> Vec<PurposeFacts> {
        let code = module(vec![
            main(),
            of_library("void std::sort<int*>(int*, int*)", (0x200, 0x300), 2),
            function(3, "by_name(A const&, A const&)", (0x300, 0x400), vec![], 30),
            of_library("__memcmp_avx2", (0x400, 0x500), 4),
            of_library("malloc", (0x500, 0x600), 5),
            of_library("std::_Rb_tree<int>::_M_insert_(int)", (0x600, 0x700), 6),
            function(7, "quicksort", (0x700, 0x800), vec![], 70),
            function(8, "app::fill::{{closure}}", (0x800, 0x900), vec![], 80),
            of_library("_Unwind_RaiseException", (0x900, 0xa00), 9),
        ]);
        let survey = Run { id: 1, facts: recording(stacks), code: vec![code], ..Run::default() };
        let facts = Facts { surveys: vec![survey], ..Facts::default() };
        crate::analyse(&facts).purposes
    }

    #[test]
    fn inlined_code_belongs_to_its_container_and_to_the_line_of_the_call() {
        let found = found(&[(&[0x110], 3), (&[0x150], 1)]);
        let [map] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((map.purpose, map.share, map.samples), (Purpose::OrderedContainer, 0.75, 3));
        assert_eq!(map.functions[0].function, "std::map::find");
        let caller = &map.callers[0];
        assert_eq!((caller.function.as_str(), caller.place.as_deref()), ("main", Some("a.cpp:7")));
    }

    #[test]
    fn memory_that_a_map_allocates_is_reported_once() {
        let found = found(&[(&[0x110, 0x610, 0x510], 2), (&[0x150, 0x510], 2)]);
        let shares: Vec<(Purpose, f64)> = found.iter().map(|p| (p.purpose, p.share)).collect();
        assert_eq!(shares, [(Purpose::OrderedContainer, 0.5), (Purpose::Allocation, 0.5)]);
        assert_eq!(found[0].inside(Purpose::Allocation), 0.5);
    }

    #[test]
    fn a_comparison_of_the_program_belongs_to_the_sort() {
        let found = found(&[(&[0x120, 0x210, 0x310, 0x410], 3), (&[0x120, 0x210], 1)]);
        let [sort] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((sort.purpose, sort.share, sort.callback_share), (Purpose::Sorting, 1.0, 0.75));
        assert_eq!(sort.inside(Purpose::Comparing), 0.75);
        assert_eq!(sort.callers[0].place.as_deref(), Some("a.cpp:9"));
    }

    #[test]
    fn exceptions_are_what_takes_the_time_of_whatever_throws() {
        let found = found(&[(&[0x120, 0x210, 0x910], 1), (&[0x120, 0x210], 1)]);
        let shares: Vec<(Purpose, f64)> = found.iter().map(|p| (p.purpose, p.share)).collect();
        assert_eq!(shares, [(Purpose::Sorting, 0.5), (Purpose::Exceptions, 0.5)]);
    }

    #[test]
    fn own_functions_with_names_of_a_library_have_no_purpose() {
        assert!(found(&[(&[0x150, 0x710], 4)]).is_empty());
    }

    #[test]
    fn work_that_a_container_calls_back_is_not_its_own() {
        assert!(found(&[(&[0x110, 0x810], 4)]).is_empty());
        let compared = found(&[(&[0x110, 0x310], 4)]);
        assert_eq!((compared[0].purpose, compared[0].callback_share), (Purpose::OrderedContainer, 1.0));
    }
}
