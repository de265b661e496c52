//! Time in a library that the user did not write: which one, and what does the same faster.

use crate::allocation;
use crate::evidence::{Expected, Hot, Time};
use crate::libraries;
use crate::prelude::*;
use crate::purposes;
use crate::rules::small_parallel_region;
use loopwright_analysis::model::ModuleSummary;
use loopwright_analysis::place::base_name;

pub(crate) static RULE: Rule = Rule {
    id: "hot-library",
    check: Check::Module(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("hot_library.md")),
};

/// Less than a twentieth of the time is not worth exchanging a library.
const NOTICEABLE: f64 = 0.05;
/// Of a run-time library's time that recommendations about the purpose of its functions report already.
const MOSTLY: f64 = 0.5;
/// The libraries of scalar mathematics functions and of their vector versions in glibc.
const SCALAR: &str = "libm";
const VECTORS: &str = "libmvec";
/// Functions named in the evidence.
const NAMED: usize = 3;

/// The run-time library of a language, of which programs use functions of many purposes.
fn is_run_time(name: &str) -> bool {
    const NAMES: [&str; 6] = ["libc.so", "libc-2", "libstdc++", "libc++", "libgcc_s", "libgfortran"];
    NAMES.iter().any(|prefix| name.starts_with(prefix))
}

/// Functions of a mathematics library that are an instruction or a few, and that no vector library has.
const SHORT: [&str; 15] = [
    "round",
    "lround",
    "llround",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "lrint",
    "nearbyint",
    "fmax",
    "fmin",
    "fabs",
    "copysign",
    "hypot",
    "cabs",
];

/// Most of a mathematics library's time is in such functions.
fn has_no_vector_version(facts: &Facts, name: &str) -> bool {
    let of_library = facts.analysis.functions.iter().filter(|f| f.module == name);
    // `__round_sse41`, `roundf`.
    let stem = |name: &str| name.trim_start_matches('_').split('_').next().unwrap_or_default().to_owned();
    let is_short =
        |name: &str| SHORT.iter().any(|short| [*short, &format!("{short}f")].contains(&stem(name).as_str()));
    let (mut all, mut short) = (0.0, 0.0);
    for function in of_library {
        all += function.self_share;
        short += if is_short(&function.function) { function.self_share } else { 0.0 };
    }
    (name.starts_with("libm.so") || name.starts_with("libm-2")) && 2.0 * short > all
}

/// What to do about functions of the C library, by parts of their names.
const OF_THE_C_LIBRARY: &[(&[&str], &str)] = &[
    (
        &["memcpy", "memmove", "mempcpy", "strcpy"],
        "avoid the copies, or fuse them with the pass that uses the data",
    ),
    (&["memset", "bzero"], "clear only what is read before it is written, where it is used first"),
    (
        &["printf", "itoa", "fputs", "fwrite", "xsputn"],
        "write numbers into a buffer of your own (std::to_chars, or a binary format) and hand over large blocks",
    ),
    (
        &["scanf", "strto", "atoi", "atof", "getline", "getc", "fgets", "fread"],
        "read large blocks and take the numbers apart in place (std::from_chars)",
    ),
    (&["qsort", "msort"], "use a sort whose comparison is inlined"),
    (&["strlen"], "keep the length with the text, and out of loop conditions"),
    (
        &["strcmp", "strcasecmp", "strncmp", "strncasecmp", "memcmp", "strcoll"],
        "compare lengths, first bytes or numbers before texts, and find words in a table instead of one after the other",
    ),
    (
        &["strchr", "memchr", "strstr", "strtok", "strspn", "strcspn", "memmem"],
        "search the text once for all that is looked for",
    ),
    (
        &["rand", "random", "lrand48", "drand48"],
        "use a generator of your own, inlined, with its state in registers",
    ),
    (
        &["time", "localtime", "gmtime", "mktime", "clock_gettime"],
        "ask for the time once for many events, and compute days and hours from differences",
    ),
    (&["pthread", "lll_lock", "sem_"], "lock less often: one lock for a batch of work"),
];
/// Part of the named functions' time that has to have an answer.
const ANSWERED: f64 = 0.5;

/// What to do about the hottest functions of the C library; nothing where most of their time has no answer.
fn of_the_c_library(hottest: &[Hot]) -> Option<How> {
    let answer = |hot: &Hot| {
        let has = |parts: &[&str]| parts.iter().any(|part| hot.function.contains(part));
        OF_THE_C_LIBRARY.iter().find(|(parts, _)| has(parts)).map(|(_, text)| *text)
    };
    let all: f64 = hottest.iter().map(|hot| hot.share).sum();
    let known: f64 = hottest.iter().filter(|hot| answer(hot).is_some()).map(|hot| hot.share).sum();
    let mut sentences: Vec<String> = Vec::new();
    for hot in hottest {
        let Some(text) = answer(hot) else { continue };
        if !sentences.iter().any(|sentence| sentence.contains(text)) {
            sentences.push(format!("{}: {text}", hot.function));
        }
    }
    (known >= ANSWERED * all && known > 0.0).then(|| How::new(format!("{}.", sentences.join("; "))))
}

/// More of the time is in the vector versions of glibc's mathematics functions than in this library.
fn vectors_take_more(facts: &Facts, module: &ModuleSummary) -> bool {
    let vectors = |m: &&ModuleSummary| base_name(&m.path).starts_with(VECTORS);
    facts.analysis.modules.iter().filter(vectors).any(|m| m.self_share > module.self_share)
}

fn check(facts: &Facts, module: &ModuleSummary) -> Option<Recommendation> {
    let name = base_name(&module.path);
    if module.main_module
        || name.starts_with('[')
        || name.starts_with("ld-linux")
        || libraries::is_interpreter(name)
    {
        return None;
    }
    let known = libraries::known(name);
    if known.is_none() && module.has_lines && !libraries::is_installed(&module.path) {
        return None;
    }
    // Regions that are over too soon explain the waiting, and ask for another setting of it.
    if small_parallel_region::is_runtime(name) && small_parallel_region::explains_waiting(facts) {
        return None;
    }
    // Vector versions call the scalar ones for special arguments: that is part of what is said about them.
    if name.starts_with(SCALAR) && vectors_take_more(facts, module) {
        return None;
    }
    // The allocator has advice of its own.
    let functions = || facts.analysis.functions.iter().filter(|f| f.module == name);
    let allocator: f64 =
        functions().filter(|f| allocation::is_allocator(&f.function)).map(|f| f.self_share).sum();
    let share = module.self_share - allocator;
    if share < NOTICEABLE || (is_run_time(name) && purposes::reported(facts) >= MOSTLY * share) {
        return None;
    }
    let mut new = facts.about_module(&RULE, module);
    let hottest: Vec<Hot> = functions()
        .filter(|f| !allocation::is_allocator(&f.function) && f.self_share > 0.0)
        .take(NAMED)
        .map(|f| Hot { function: f.function.clone(), share: f.self_share })
        .collect();
    let c_library = name.starts_with("libc.so") || name.starts_with("libc-2");
    let of_c = of_the_c_library(&hottest);
    if c_library && !hottest.is_empty() && of_c.is_none() {
        return None;
    }
    if !hottest.is_empty() {
        new = new.because(Provenance::Measured, Time::HottestFunctions { functions: hottest });
    }
    let (gain, how, confidence) = match known {
        Some(library) => {
            new = new.titled(format!("Time is spent in {name}: {}", library.what));
            let text = of_c.filter(|_| c_library).unwrap_or_else(|| How::new(library.advice));
            let text = if has_no_vector_version(facts, name) { how!(RULE, "inline") } else { text };
            let how = library
                .environment
                .iter()
                .fold(text, |how, (name, value, meaning)| how.environment(name, value, meaning));
            (library.gain, how, Confidence::Medium)
        }
        None => {
            new = new.titled(format!("Time is spent in {name}"));
            let how = how!(RULE);
            (estimates::OTHER_LIBRARY, how, Confidence::Low)
        }
    };
    Some(
        new.because(Provenance::Modelled, Expected::Usual { low: gain.0, high: gain.1 })
            .gain(share, gain)
            .confidence(confidence)
            .how(how),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, function, module, program, purpose, states};
    use loopwright_analysis::model::{Analysis, Purpose};

    fn with_library(path: &str, share: f64) -> Analysis {
        let mut library = module(path, share, false);
        library.has_lines = false;
        let name = base_name(path).to_owned();
        Analysis { modules: vec![library], functions: vec![function("dgemm_", &name, share)], ..program() }
    }

    #[test]
    fn scalar_functions_that_vector_versions_call_are_part_of_those() {
        let with = |vectors: f64| {
            let mut analysis = with_library("/lib/x86_64-linux-gnu/libm.so.6", 0.06);
            analysis.modules.push(module("/lib/x86_64-linux-gnu/libmvec.so.1", vectors, false));
            check(&Facts::new(&analysis), &analysis.modules[0]).is_some()
        };
        assert!(with(0.02) && !with(0.8));
    }

    #[test]
    fn fires_on_the_reference_blas() {
        let r = fired(&RULE, &with_library("/usr/lib/x86_64-linux-gnu/blas/libblas.so.3", 0.8)).unwrap();
        assert!(r.how.text.contains("OpenBLAS") && r.title.contains("libblas.so.3"));
        assert!(r.program_gain.unwrap().high() > 4.0);
        assert!(
            states!(r, Time::HottestFunctions { functions } if functions[0] == Hot { function: "dgemm_".into(), share: 0.8 })
        );
    }

    #[test]
    fn functions_that_are_instructions_are_not_offered_as_vector_functions() {
        let with = |function_name: &str| {
            let mut analysis = with_library("/lib/x86_64-linux-gnu/libm.so.6", 0.3);
            analysis.functions = vec![function(function_name, "libm.so.6", 0.3)];
            fired(&RULE, &analysis).unwrap().how.text
        };
        assert!(with("__round_sse41").contains("-msse4.1") && with("hypotf").contains("sqrt(x * x"));
        assert!(with("__exp_fma").contains("libmvec"));
    }

    #[test]
    fn fires_on_an_unknown_library_with_less_confidence() {
        assert_eq!(
            fired(&RULE, &with_library("/usr/lib/libobscure.so.1", 0.3)).unwrap().confidence,
            Confidence::Low
        );
    }

    #[test]
    fn silent_on_the_openmp_run_time_where_short_regions_explain_the_waiting() {
        let mut analysis = with_library("/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0", 0.6);
        assert!(fired(&RULE, &analysis).is_some());
        let mut region = function("solve._omp_fn.0", "app", 0.1);
        region.calls = Some(4_000_000);
        analysis.functions.push(region);
        (analysis.program.threads, analysis.program.cpus_allowed) = (4, 4);
        assert!(fired(&RULE, &analysis).is_none());
    }

    #[test]
    fn silent_on_the_users_own_library_cold_ones_and_the_allocator() {
        let mut own = with_library("/home/u/libown.so", 0.5);
        own.modules[0].has_lines = true;
        assert!(fired(&RULE, &own).is_none());
        assert!(fired(&RULE, &with_library("/usr/lib/libblas.so.3", 0.03)).is_none());
        let mut allocating = with_library("/usr/lib/libc.so.6", 0.3);
        allocating.functions = vec![function("_int_malloc", "libc.so.6", 0.28)];
        assert!(fired(&RULE, &allocating).is_none());
        // What its functions are for has a recommendation already.
        let mut parsing = with_library("/usr/lib/libc.so.6", 0.3);
        assert!(fired(&RULE, &parsing).is_none(), "nothing is known about its functions");
        parsing.functions[0].function = "____strtod_l_internal".into();
        assert!(fired(&RULE, &parsing).unwrap().how.text.contains("from_chars"));
        assert!(fired(&RULE, &parsing).is_some());
        parsing.modules.push(module("/home/u/app", 0.5, true));
        parsing.purposes = vec![purpose(Purpose::Parsing, 0.28)];
        assert!(fired(&RULE, &parsing).is_none());
    }
}
