use super::*;

fn words(line: &str) -> Vec<String> {
    shlex::split(line).unwrap()
}

/// The kept part of a line in a folder that grants itself.
fn kept(line: &str, folder: &Path) -> Allowed {
    allowed(&words(line), folder, &Granted::new(&[], [folder]))
}

#[test]
fn what_chooses_the_code_is_kept_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    for line in [
        "-O3 -march=native -mtune=generic -std=gnu17 -ffast-math -fno-math-errno -funroll-loops",
        "-O2 -mavx2 -mfma -mno-avx512f -mprefer-vector-width=256 -fopenmp -fPIC -fvisibility=hidden",
        "-Ofast -fno-tree-vectorize -falign-loops=32:16 -fstack-protector-strong -fcf-protection=full",
        "-std=c++20 -fno-rtti -fno-exceptions -ftemplate-depth=900 -stdlib=libc++ -pthread",
        "-std=f2008 -ffree-line-length-none -fdefault-real-8 -fcheck=bounds,do -cpp -finit-real=snan",
        "-DNDEBUG '-DX=a b' '-DDATA=\"/usr/share\"' -UFOO --param=l1-cache-size=32",
    ] {
        let answer = kept(line, folder.path());
        assert_eq!((answer.flags, answer.dropped), (words(line), Vec::<String>::new()), "{line}");
    }
}

#[test]
fn values_are_joined_and_places_absolute() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("inc")).unwrap();
    std::fs::write(at("inc/config.h"), "").unwrap();
    let answer = kept(
        "-I inc -isystem inc -J inc -D A=1 -x c --param a=1 -include config.h -I nowhere -target x86_64-linux-gnu",
        folder.path(),
    );
    let inc = at("inc").display().to_string();
    let expected = [
        &format!("-I{inc}"),
        &format!("-isystem{inc}"),
        &format!("-I{inc}"),
        "-DA=1",
        "-xc",
        "--param=a=1",
        "--target=x86_64-linux-gnu",
    ];
    assert_eq!(answer.flags, expected);
    assert_eq!(answer.headers, [at("inc/config.h")]);
    assert_eq!(answer.dropped, Vec::<String>::new());
}

#[test]
fn outputs_warnings_and_the_linker_go_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let line = "-c -o a.o -MD -MT a.o -MF a.d -Wall -Wno-unused -Wformat=2 -g -ggdb3 -gdwarf-5 -flto=auto -L/x -lm -Wl,-rpath,/x a.c b.o -pipe -shared -imultiarch x86_64-linux-gnu -fpre-include=/usr/include/finclude/math-vector-fortran.h";
    assert_eq!(kept(line, folder.path()), Allowed::default());
}

/// Flags that load code, run programs, write or read files that they name, or pass on other flags: GCC,
/// clang, gfortran, Intel, NVIDIA and rustc have them.
const HOSTILE: &[&str] = &[
    "-fplugin=./evil.so",
    "-fplugin=evil",
    "-fplugin-arg-evil-x=1",
    "-fpass-plugin=./evil.so",
    "-Xclang -load -Xclang ./evil.so",
    "-Xclang -fplugin=./evil.so",
    "-load ./evil.so",
    "-mllvm -load=./evil.so",
    "-mllvm=-load=./evil.so",
    "-mmlir -x",
    "-Xclang -plugin -Xclang x",
    "-B.",
    "-B .",
    "-B./bin",
    "--prefix=.",
    "--prefix .",
    "-specs=evil.specs",
    "--specs=evil.specs",
    "-specs evil.specs",
    "-wrapper ./evil,x",
    "-wrapper=./evil",
    "@evil",
    "--config=evil.cfg",
    "--config evil.cfg",
    "--config-user-dir=.",
    "--gcc-toolchain=.",
    "-gcc-toolchain .",
    "--gcc-install-dir=.",
    "--sysroot=.",
    "--sysroot .",
    "-isysroot .",
    "-Wp,-MD,evil",
    "-Wp,-fplugin=./evil.so",
    "-Wp,@evil",
    "-Wa,-a=evil",
    "-Wa,@evil",
    "-Xpreprocessor -fplugin=./evil.so",
    "-Xassembler -a=evil",
    "-Xarch_x86_64 -fplugin=./evil.so",
    "-Xopenmp-target -load",
    "-aux-info evil",
    "-aux-info=evil",
    "-auxbase evil",
    "-dumpbase evil",
    "-dumpdir ./",
    "-dumpbase-ext .c",
    "-save-temps",
    "-save-temps=cwd",
    "--save-temps=obj",
    "-fdump-tree-all=evil",
    "-fdump-ipa-all",
    "-fdump-final-insns=evil",
    "-fdump-go-spec=evil",
    "-fdump-passes",
    "-fcallgraph-info=su",
    "-fstack-usage",
    "-ftest-coverage",
    "-fprofile-use=evil.gcda",
    "-fprofile-use",
    "-fauto-profile=evil",
    "-fprofile-dir=.",
    "-fprofile-note=evil",
    "-fprofile-instr-use=evil",
    "-fprofile-sample-use=evil",
    "-fprofile-list=evil",
    "-fprofile-remapping-file=evil",
    "-fmemory-profile-use=evil",
    "-fbranch-probabilities",
    "-fmodule-file=evil.pcm",
    "-fmodule-file=x=evil.pcm",
    "-fmodule-mapper=|./evil",
    "-fmodule-mapper=evil",
    "-fmodules",
    "-fmodules-ts",
    "-fmodules-cache-path=.",
    "-fmodule-map-file=evil",
    "-fprebuilt-module-path=.",
    "-fmodule-output=evil",
    "-fmodule-header",
    "-fcxx-modules",
    "-include-pch evil.pch",
    "-Xclang -include-pch -Xclang evil.pch",
    "-fpch-preprocess",
    "-imacros evil.h",
    "-iprefix ./",
    "-iwithprefix x",
    "-ivfsoverlay evil.yaml",
    "-working-directory .",
    "-fpre-include=evil",
    "-fintrinsic-modules-path=.",
    "-fuse-ld=./evil",
    "-fuse-ld=evil",
    "--ld-path=./evil",
    "-ftime-trace=evil",
    "-ftime-trace",
    "-fproc-stat-report=evil",
    "-fcrash-diagnostics-dir=.",
    "-fdiagnostics-format=sarif-file",
    "-fdiagnostics-add-output=sarif:file=evil",
    "-fdeps-file=evil",
    "-fdeps-target=evil",
    "-gsplit-dwarf",
    "-serialize-diagnostics evil",
    "-index-store-path evil",
    "-dependency-file evil",
    "-fthinlto-index=evil",
    "-fthin-link-bitcode=evil",
    "-mlink-builtin-bitcode evil.bc",
    "-fsanitize-ignorelist=evil",
    "-fsanitize-blacklist=evil",
    "-fxray-always-instrument=evil",
    "-frandomize-layout-seed-file=evil",
    "-fembed-offload-object=evil",
    "-foffload=evil",
    "-foffload-options=-fplugin=x",
    "-finput-charset=evil",
    "-fexec-charset=../evil",
    "-fself-test=.",
    "-finstrument-functions-exclude-file-list=/x",
    "-fasm-blocks",
    "-cxx-isystem .",
    "-iframework .",
    "-F .",
    "-x cpp-output",
    "-x c-header",
    "-x ir",
    "-xcpp-output",
    "-x assembler-with-cpp",
    "--output=evil",
    "--include=evil",
    "--define-macro=x",
    "--language=ir",
    "-E",
    "-###",
    "-cc1",
    "-cc1as",
    "-emit-llvm",
    "-emit-ast",
    "--analyze",
    "-P",
    "-dD",
    "-Mpreprocess",
    "-Minfo=all",
    "-qopt-report-file=evil",
    "-prof-use",
    "-prof-dir .",
    "-pch-use evil",
    "-opt-report-file=evil",
    "-Qlocation,c,.",
    "-Qoption,cpp,-x",
    "-Yc,.",
    "-Clinker=./evil",
    "-C linker=./evil",
    "--emit=link=evil",
    "-Zcodegen-backend=./evil.so",
    "-Clink-arg=x",
    "--extern x=evil.rlib",
    "--remap-path-prefix=a=b",
    "-march=../evil",
    "-march=@evil",
    "-std=/etc/passwd",
    "-falign-loops=@evil",
    "-D@evil",
    "-D",
    "-DX(",
    "-U/etc",
    "-fvisibility=/etc/passwd",
    "-target ../evil",
    "--target=aarch64-linux-gnu",
    "-mtune=a/b",
    "-I/etc",
    "-I/proc/self",
    "-isystem/dev",
    "-idirafter /etc",
    "-iquote/run",
    "-I/",
    "-include /etc/passwd",
    "-include/etc/passwd",
    "-include @evil",
    "-include /dev/zero",
    "--param a=../x",
    "--param=@evil",
    "-fno-plugin",
    "-fsanitize=../x",
    "-ffixed-line-length-/x",
    "-O/etc/passwd",
    "-foo",
    "-",
];

#[test]
fn no_hostile_flag_is_kept_in_any_place() {
    assert!(HOSTILE.len() >= 150);
    let folder = tempfile::tempdir().unwrap();
    for name in ["evil", "evil.h", "evil.so", "evil.specs"] {
        std::fs::write(folder.path().join(name), "-fplugin=./evil.so").unwrap();
    }
    let mut silent = Vec::new();
    for line in HOSTILE {
        // Alone, between others, and with the next flag as a value.
        for (before, after) in [("", ""), ("-O3", "-O2"), ("-I.", "-DX"), ("-Xclang -O3", "a.c")] {
            let answer = kept(&format!("{before} {line} {after}"), folder.path());
            let own = format!("-I{}", folder.path().join(".").display());
            let harmless = ["-O3", "-O2", "-DX", own.as_str()];
            let others: Vec<&String> =
                answer.flags.iter().filter(|flag| !harmless.contains(&flag.as_str())).collect();
            assert!(
                others.is_empty() && !answer.headers.iter().any(|header| header.exists()),
                "{line}: {others:?} {:?}",
                answer.headers
            );
        }
        let answer = kept(line, folder.path());
        if answer.dropped.is_empty() {
            silent.push(*line);
        }
        let said = answer.dropped.join(" ");
        assert!(!said.contains("evil.") && !said.contains("passwd") && !said.contains('='), "{line}: {said}");
    }
    // Drivers take this for a library to link.
    assert_eq!(silent, ["-load ./evil.so"]);
}

#[test]
fn flags_that_belong_to_the_table_are_not_hostile() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        kept("-fprofile-arcs -pg -fprofile-update=atomic", folder.path()).dropped,
        Vec::<String>::new()
    );
}

/// For any words: a kept part is one argument per flag, listed in the table, with a single meaning.
#[test]
fn random_lines_keep_their_promise() {
    let folder = tempfile::tempdir().unwrap();
    let granted = Granted::new(&[], [folder.path()]);
    let mut pieces: Vec<String> = HOSTILE.iter().flat_map(|line| words(line)).collect();
    pieces.extend(words(
        "-O3 -I -D -x -include -isystem --param -std= -march= -f -m -W c . / .. @x -- - = , A=1 -o -Xclang",
    ));
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..20_000 {
        let line: Vec<String> = (0..1 + random(6))
            .map(|_| {
                let mut word = pieces[random(pieces.len())].clone();
                if random(3) == 0 {
                    let other = &pieces[random(pieces.len())];
                    word.push_str(other.get(random(other.len().max(1))..).unwrap_or_default());
                }
                if random(8) == 0 {
                    word.push(['\n', '\0', '/', '@', '"', 'é', ' ', '\u{1b}'][random(8)]);
                }
                word
            })
            .collect();
        let answer = allowed(&line, folder.path(), &granted);
        for flag in &answer.flags {
            assert!(flag.starts_with('-') && !flag.contains(['\n', '\0', '\u{1b}']), "{line:?}: {flag:?}");
            assert!(
                !flag.starts_with("-fplugin") && !flag.starts_with("-fpass") && !flag.starts_with("-o"),
                "{line:?}: {flag:?}"
            );
            let path = flag.contains('/')
                && !["-I/", "-isystem/", "-iquote/", "-idirafter/", "-D"]
                    .iter()
                    .any(|name| flag.starts_with(name));
            assert!(!path, "{line:?}: {flag:?}");
            // The kept part is kept again: no order of words makes two flags of one.
            let again = allowed(std::slice::from_ref(flag), folder.path(), &granted);
            assert_eq!(again.flags, std::slice::from_ref(flag), "{line:?}");
        }
        for name in &answer.dropped {
            assert!(name.len() <= 40 && name.chars().all(|c| c.is_ascii_graphic()), "{name:?}");
        }
    }
}
