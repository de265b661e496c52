//! What the environment of a program can change: settings of memory and threads, libraries that are loaded before its own.

use crate::change::{Candidate, general};
use loopwright_advise::{Recommendation, Setting};
use loopwright_analysis::model::Analysis;
use loopwright_experiment::trials::{Part, Way, Why};
use object::Object;
use std::path::{Path, PathBuf};

/// Settings for any program: the glibc manual, *Memory Allocation Tunables* and *Malloc Tunable Parameters*.
const SETTINGS: [(&str, &[(&str, &str)]); 3] = [
    ("huge-pages", &[("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")]),
    ("keep-freed-memory", &[("MALLOC_MMAP_MAX_", "0"), ("MALLOC_TRIM_THRESHOLD_", "536870912")]),
    (
        "keep-huge-pages",
        &[
            ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"),
            ("MALLOC_MMAP_MAX_", "0"),
            ("MALLOC_TRIM_THRESHOLD_", "536870912"),
        ],
    ),
];
/// Settings for a program with threads: the OpenMP specification, *Environment Variables*, and *Malloc Tunable Parameters*.
const THREAD_SETTINGS: [(&str, &[(&str, &str)]); 5] = [
    ("bind-threads", &[("OMP_PROC_BIND", "close")]),
    ("spread-threads", &[("OMP_PROC_BIND", "spread"), ("OMP_PLACES", "cores")]),
    ("passive-threads", &[("OMP_WAIT_POLICY", "passive")]),
    ("one-thread", &[("OMP_NUM_THREADS", "1")]),
    ("one-arena", &[("MALLOC_ARENA_MAX", "1")]),
];
/// From this number of busy CPUs on the program has threads.
const THREADS_FROM: f64 = 1.2;

/// Allocators in the place of the C library's, by the names of their libraries (their manuals, *Installing*).
const ALLOCATORS: [(&str, &str); 3] = [
    ("jemalloc", "libjemalloc.so.2"),
    ("tcmalloc", "libtcmalloc_minimal.so.4"),
    ("mimalloc", "libmimalloc.so.2"),
];

/// Tuned libraries with the interface of BLAS, by the names that their packages give them.
const BLAS: [(&str, &str); 4] = [
    ("openblas", "libopenblas.so.0"),
    ("blis", "libblis.so.4"),
    ("blis", "libblis.so.3"),
    ("mkl", "libmkl_rt.so.2"),
];
/// Routines whose names say that a program calls BLAS: of vectors, of a matrix and a vector, of matrices, as C and Fortran name them.
const BLAS_ROUTINES: [&str; 12] =
    ["dot", "axpy", "nrm2", "scal", "gemv", "ger", "trsv", "gemm", "syrk", "trsm", "symm", "trmm"];

/// Where libraries to be loaded are installed (ld.so(8) and the multiarch folders of Debian).
const LIBRARY_FOLDERS: [&str; 6] =
    ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"];

/// Most bytes of a program whose imports are read; larger ones get no library by this.
const LARGEST: u64 = 1 << 30;

/// Whether a variable is one that is set here, to a value that it is given here.
pub(crate) fn is_own(name: &str, value: &str) -> bool {
    let is_set = || {
        let all = SETTINGS.iter().chain(&THREAD_SETTINGS).flat_map(|(_, variables)| *variables);
        all.into_iter().any(|(known, own)| *known == name && *own == value)
    };
    let is_library = || {
        let all =
            ALLOCATORS.iter().chain(&BLAS).filter_map(|(_, library)| installed(library)?.canonicalize().ok());
        all.into_iter().any(|path| path == Path::new(value))
    };
    if name == "LD_PRELOAD" { is_library() } else { is_set() }
}

/// Whether a set of settings is one of threads.
pub(crate) fn is_of_threads(change: &str) -> bool {
    THREAD_SETTINGS.iter().any(|(name, _)| *name == change)
}

/// The files that a program was seen to have loaded.
pub(crate) fn loaded(analysis: &Analysis) -> Vec<PathBuf> {
    analysis.modules.iter().filter_map(|module| Path::new(&module.path).canonicalize().ok()).collect()
}

/// Settings for any program, for one that keeps more than one CPU `busy`, and libraries in the place of those that it uses, unless it
/// has `loaded` them anyway.
pub(crate) fn setting_sets(busy: f64, loaded: &[PathBuf], program: &Path) -> Vec<Candidate> {
    let threads: &[_] = if busy > THREADS_FROM { &THREAD_SETTINGS } else { &[] };
    let set = SETTINGS.iter().chain(threads).map(|(name, variables)| {
        let variable = |(name, value): &(&str, &str)| variable(name, value);
        general(name, Way::Environment, variables.iter().map(variable).collect())
    });
    let blas: &[_] = if imports(program).iter().any(|name| is_of_blas(name)) { &BLAS } else { &[] };
    let libraries = ALLOCATORS.iter().chain(blas).filter_map(|(name, library)| {
        let path = installed(library)?.canonicalize().ok()?;
        // What the program uses already is no change.
        let new = !loaded.contains(&path);
        new.then(|| general(name, Way::Environment, vec![variable("LD_PRELOAD", &path.to_string_lossy())]))
    });
    set.chain(libraries).collect()
}

fn variable(name: &str, value: &str) -> Part {
    Part::Variable { name: name.to_owned(), value: value.to_owned() }
}

fn installed(library: &str) -> Option<PathBuf> {
    LIBRARY_FOLDERS.iter().map(|folder| Path::new(folder).join(library)).find(|path| path.exists())
}

/// Names of the functions that a program takes from shared libraries; none where they cannot be read.
pub(crate) fn imports(program: &Path) -> Vec<String> {
    let Ok(bytes) = loopwright_files::regular::read(program, LARGEST) else { return Vec::new() };
    let imports = object::File::parse(&*bytes).and_then(|file| {
        let names = file.imports()?.filter_map(|import| import.ok()?.name().into_name());
        Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    });
    imports.unwrap_or_default()
}

/// `cblas_dgemm`, `dgemm_`: the element type is before the routine.
fn is_of_blas(name: &str) -> bool {
    let of_c = name.strip_prefix("cblas_");
    let Some(rest) = of_c.or_else(|| name.strip_suffix('_')) else { return false };
    let routine = rest.strip_prefix(['s', 'd', 'c', 'z']);
    routine.is_some_and(|routine| {
        BLAS_ROUTINES.contains(&routine.trim_end_matches("_sub").trim_end_matches(['u', 'c']))
    })
}

/// The settings of a recommendation: a library to load is a change of its own. One without a value says to take a variable
/// away, which a trial leaves as it is.
pub(crate) fn settings(card: &Recommendation) -> Vec<Result<Vec<Part>, Why>> {
    let set = card.how.environment.iter().filter(|setting| !setting.value.is_empty());
    let part =
        |setting: &Setting| Part::Variable { name: setting.name.clone(), value: setting.value.clone() };
    let (loads, plain): (Vec<&Setting>, Vec<&Setting>) =
        set.partition(|setting| setting.name == "LD_PRELOAD");
    let mut found = Vec::new();
    if !plain.is_empty() {
        found.push(Ok(plain.into_iter().map(part).collect()));
    }
    for load in loads {
        let library = load.value.clone();
        let there = Path::new(&library).is_file() || installed(&library).is_some();
        found.push(if there { Ok(vec![part(load)]) } else { Err(Why::NotInstalled { library }) });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routines_of_blas_are_known_by_name() {
        for name in ["cblas_dgemm", "dgemm_", "saxpy_", "zdotc_", "cblas_sgemv"] {
            assert!(is_of_blas(name), "{name}");
        }
        for name in ["gemm", "my_gemm_", "daxpy", "printf", "dot_", "cblas_xerbla"] {
            assert!(!is_of_blas(name), "{name}");
        }
    }

    #[test]
    fn imports_of_a_program_are_read() {
        let own = std::env::current_exe().unwrap();
        assert!(imports(&own).iter().any(|name| name == "read"), "{:?}", imports(&own));
        assert!(imports(Path::new("/dev/null")).is_empty());
    }
}
