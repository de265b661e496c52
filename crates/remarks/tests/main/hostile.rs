//! Files from another author: what they name is not run, not loaded, not written and not quoted.
//!
//! Each hostile flag is passed in every way in which flags come in (a producer string, a command, a
//! compilation database, a response file) to the real compilers, and the folder is checked afterwards. That
//! the flags would do harm is shown with the compilers themselves, where this machine can show it.

use crate::installed::available;
use loopwright_remarks::command::CompileCommand;
use loopwright_remarks::reask::{Options, Reasked, UnitRequest, reask};
use loopwright_remarks::warning::Warning;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SOURCE: &str = "void f(double *a, int n) { for (int i = 1; i < n; i++) a[i] = a[i - 1] * 2; }\n";

/// A folder from another author: a source, and the files that the flags name. Everything that runs leaves a mark.
struct Handed(tempfile::TempDir);

impl Handed {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a.c"), SOURCE).unwrap();
        std::fs::write(at("evil.h"), "int evil;\n").unwrap();
        std::fs::write(at("evil.cfg"), "-fplugin=./evil.so\n").unwrap();
        std::fs::write(at("evil.rsp"), "-aux-info marked -fplugin=./evil.so -O3\n").unwrap();
        let mark = at("marked").display().to_string();
        std::fs::write(at("evil.specs"), format!("*cc1:\n%:outfile(-o {mark})\n")).unwrap();
        // Every part of a compiler that is searched for here is this script.
        let script = format!("#!/bin/sh\necho run > {mark}\nexit 1\n");
        for name in ["evil", "cc1", "cc1plus", "as", "ld", "gcc", "clang", "g++"] {
            std::fs::write(at(name), &script).unwrap();
            std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        // A library whose constructor leaves the mark; both compilers load it before they search for a plugin in it.
        std::fs::write(
            at("evil.c"),
            format!("#include <stdio.h>\n__attribute__((constructor)) static void run(void) {{ FILE *f = fopen(\"{mark}\", \"w\"); if (f) fclose(f); }}\nint plugin_is_GPL_compatible;\nint plugin_init(void) {{ return 0; }}\n"),
        )
        .unwrap();
        let made = Command::new("gcc")
            .args(["-shared", "-fPIC", "-o", "evil.so", "evil.c"])
            .current_dir(folder.path())
            .status();
        assert!(made.unwrap().success());
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Names and contents of all files.
    fn content(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                match entry.file_type().unwrap().is_dir() {
                    true => folders.push(entry.path()),
                    false => {
                        drop(found.insert(entry.path(), std::fs::read(entry.path()).unwrap_or_default()))
                    }
                }
            }
        }
        found
    }

    fn unit(&self) -> UnitRequest {
        UnitRequest {
            file: "a.c".into(),
            directory: Some(self.path().to_path_buf()),
            ..UnitRequest::default()
        }
    }
}

fn ask(unit: UnitRequest, options: &Options) -> Reasked {
    reask(&[unit], options, &|_, _, _| {})
}

fn version_of(program: &str) -> String {
    let output = Command::new(program).arg("-dumpversion").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_string()
}

/// Flags with an effect, each in its own way.
const HOSTILE: [&str; 52] = [
    "-fplugin=./evil.so",
    "-fplugin=evil",
    "-fpass-plugin=./evil.so",
    "-Xclang -load -Xclang ./evil.so",
    "-Xclang -fpass-plugin=./evil.so",
    "-Xclang -plugin -Xclang evil",
    "-mllvm -load=./evil.so",
    "-B.",
    "-B ./",
    "--prefix=./",
    "-specs=./evil.specs",
    "--specs=./evil.specs",
    "-wrapper ./evil,-x",
    "--config=./evil.cfg",
    "--gcc-toolchain=.",
    "--gcc-install-dir=.",
    "@evil.rsp",
    "-Wp,-MD,marked",
    "-Wp,-MMD,marked",
    "-Wa,-a=marked",
    "-Xpreprocessor -MD -Xpreprocessor marked",
    "-Xassembler -a=marked",
    "-aux-info marked",
    "-aux-info=marked",
    "-o marked",
    "-omarked",
    "-MD -MF marked",
    "-MMD -MFmarked",
    "-MJ marked",
    "-MJmarked",
    "-save-temps",
    "-save-temps=cwd",
    "-dumpbase marked",
    "-dumpdir ./marked-",
    "-fdump-tree-all",
    "-fdump-tree-optimized=marked",
    "-fdump-go-spec=marked",
    "-fdump-final-insns=marked",
    "-fcallgraph-info",
    "-fstack-usage",
    "-ftest-coverage",
    "-ftime-trace",
    "-ftime-trace=marked",
    "-fproc-stat-report=marked",
    "-fsave-optimization-record -foptimization-record-file=marked",
    "-fopt-info-all=marked",
    "-fmodules-ts -fmodule-mapper=|./evil",
    "-fdiagnostics-format=sarif-file",
    "-serialize-diagnostics marked",
    "--serialize-diagnostics marked",
    "-fprofile-use=marked.gcda",
    "-J marked",
];

#[test]
fn no_hostile_flag_is_carried_out_whichever_way_it_comes() {
    if !available("gcc") || !available("clang") {
        return;
    }
    let handed = Handed::new();
    let before = handed.content();
    let (gcc, clang) = (version_of("gcc"), version_of("clang"));
    let options = Options { record: false, ..Options::default() };
    let units = |flags: &str| -> Vec<UnitRequest> {
        let command = |compiler: &str| {
            let mut all = vec![compiler.to_string(), "-O3".to_string()];
            all.extend(shlex::split(flags).unwrap());
            all.extend(["-c".to_string(), "a.c".to_string()]);
            all
        };
        let own = |compiler: &str| UnitRequest { arguments: Some(command(compiler)), ..handed.unit() };
        let produced = |text: String| UnitRequest { producer: Some(text), ..handed.unit() };
        vec![
            own("gcc"),
            own("clang"),
            produced(format!("GNU C17 {gcc} -mtune=generic -O3 {flags}")),
            produced(format!("clang version {clang} /usr/bin/clang -O3 {flags} -c a.c")),
        ]
    };
    let all: Vec<UnitRequest> = HOSTILE.iter().flat_map(|flags| units(flags)).collect();
    let answer = reask(&all, &options, &|_, _, _| {});
    assert_eq!(answer.answered, all.len(), "{:?}", answer.warnings);
    if handed.content() != before {
        // One by one, to name the flag.
        let left = HOSTILE.iter().find(|flags| {
            let handed_before = handed.content();
            reask(&units(flags), &options, &|_, _, _| {});
            handed.content() != handed_before
        });
        panic!("a hostile flag left something: {left:?}");
    }
}

#[test]
fn hostile_flags_in_a_database_and_behind_response_files_are_not_carried_out() {
    if !available("gcc") {
        return;
    }
    let handed = Handed::new();
    std::fs::write(
        handed.path().join("all.rsp"),
        format!("{} @evil.rsp @all.rsp @/etc/passwd", HOSTILE.join(" ")),
    )
    .unwrap();
    let before = handed.content();
    let command = CompileCommand {
        directory: handed.path().to_path_buf(),
        file: "a.c".into(),
        arguments: ["gcc", "-O3", "@all.rsp", "@/etc/passwd", "@/dev/zero", "-c", "a.c"]
            .map(str::to_string)
            .to_vec(),
        compiler: None,
    };
    let options = Options { commands: vec![command], ..Options::default() };
    let answer = ask(handed.unit(), &options);
    assert_eq!(handed.content(), before);
    assert_eq!(answer.answered, 1, "{:?}", answer.warnings);
    let said: String = answer.warnings.iter().map(|warning| format!("{warning} ")).collect();
    assert!(said.contains("-fplugin") && said.contains("@file") && !said.contains("root"), "{said}");
}

/// The test above proves something only where the flags have an effect: here they do.
#[test]
fn the_flags_would_act() {
    if !available("gcc") || !available("clang") {
        return;
    }
    let acting = [
        ("gcc", "-fplugin=./evil.so"),
        ("gcc", "-B./"),
        ("gcc", "-wrapper ./evil,-x"),
        ("gcc", "@evil.rsp"),
        ("gcc", "-aux-info marked"),
        ("gcc", "-Wp,-MD,marked"),
        ("gcc", "-fdump-tree-optimized=marked"),
        ("clang", "-Xclang -load -Xclang ./evil.so"),
        ("clang", "-fplugin=./evil.so"),
        ("clang", "-MJ marked"),
    ];
    for (compiler, flags) in acting {
        let handed = Handed::new();
        let _ = Command::new(compiler)
            .args(["-O3", "-S", "-o", "/dev/null", "a.c"])
            .args(shlex::split(flags).unwrap())
            .current_dir(handed.path())
            .output();
        assert!(handed.path().join("marked").exists(), "{compiler} {flags}");
    }
}

#[test]
fn the_program_is_none_that_a_file_names() {
    let handed = Handed::new();
    let before = handed.content();
    let evil = handed.path().join("gcc").display().to_string();
    for compiler in [evil.as_str(), "./gcc", "../gcc", ".//./gcc"] {
        let arguments = [compiler, "-O3", "-c", "a.c"].map(str::to_string).to_vec();
        let answer = ask(UnitRequest { arguments: Some(arguments), ..handed.unit() }, &Options::default());
        assert_eq!((answer.answered, handed.content() == before), (0, true), "{compiler}");
        assert!(matches!(answer.warnings[0], Warning::NoCompiler { .. }), "{:?}", answer.warnings);
    }
}

/// `x.h.gch` is an image of GCC's memory: it would be loaded for `#include "x.h"` although no flag names it.
#[test]
fn precompiled_headers_are_not_loaded() {
    if !available("gcc") {
        return;
    }
    let handed = Handed::new();
    let at = |name: &str| handed.path().join(name);
    let gcc = |arguments: &[&str]| {
        let output = Command::new("gcc").args(arguments).current_dir(handed.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    std::fs::write(at("x.h"), "#define REAL int\n").unwrap();
    gcc(&["-O3", "x.h", "-o", "x.h.gch"]);
    // Were it loaded, the source would compile.
    std::fs::write(at("x.h"), "\n").unwrap();
    std::fs::write(at("a.c"), "#include \"x.h\"\nREAL a;\n").unwrap();
    gcc(&["-O3", "-S", "-o", "/dev/null", "a.c"]);
    for flags in [&["-O3"][..], &["-O3", "-include", "x.h"]] {
        let mut arguments = vec!["gcc".to_string()];
        arguments.extend(flags.iter().chain(&["-c", "a.c"]).map(|word| word.to_string()));
        let answer = ask(UnitRequest { arguments: Some(arguments), ..handed.unit() }, &Options::default());
        assert_eq!(answer.answered, 0, "{flags:?}");
        assert!(answer.warnings[0].to_string().contains("REAL"), "{:?}", answer.warnings);
    }
}

#[test]
fn what_is_outside_of_the_project_is_neither_compiled_nor_quoted() {
    if !available("gcc") {
        return;
    }
    let handed = Handed::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let secret = elsewhere.path().join("secret.c");
    std::fs::write(&secret, "hunter2 is_secret;\nvoid f(int *a) { for (int i = 0; i < 9; i++) a[i] = 1; }\n")
        .unwrap();
    let arguments = |source: &Path, more: &[&str]| {
        let mut all: Vec<String> = vec!["gcc".into(), "-O3".into()];
        all.extend(more.iter().map(|word| word.to_string()));
        all.extend(["-c".to_string(), source.display().to_string()]);
        Some(all)
    };
    // As the source itself, by a link, by an include, by a forced include, by an include folder.
    std::os::unix::fs::symlink(&secret, handed.path().join("link.c")).unwrap();
    std::fs::write(handed.path().join("b.c"), format!("#include \"{}\"\n", secret.display())).unwrap();
    std::fs::write(handed.path().join("c.c"), "#include \"/etc/passwd\"\n").unwrap();
    std::fs::write(handed.path().join("d.c"), "#include <passwd>\n").unwrap();
    let forced = secret.display().to_string();
    let cases: [(PathBuf, Vec<&str>); 8] = [
        (secret.clone(), vec![]),
        ("/etc/passwd".into(), vec!["-x", "c"]),
        ("link.c".into(), vec![]),
        ("b.c".into(), vec![]),
        ("c.c".into(), vec![]),
        ("d.c".into(), vec!["-I/etc"]),
        ("a.c".into(), vec!["-include", &forced]),
        ("a.c".into(), vec!["-include", "/etc/passwd"]),
    ];
    for (file, more) in cases {
        let unit = UnitRequest { file: file.clone(), arguments: arguments(&file, &more), ..handed.unit() };
        let answer = ask(unit, &Options::default());
        let said = format!("{:?} {:?}", answer.warnings, answer.remarks);
        assert!(
            !said.contains("hunter2") && !said.contains("root:") && !said.contains("'root'"),
            "{file:?}: {said}"
        );
        // When a forced header is dropped, the source itself is compiled.
        assert_eq!(answer.answered, usize::from(file == Path::new("a.c")), "{file:?}: {said}");
    }
    // A harmless header elsewhere compiles, but the result is not kept until its folder is given.
    std::fs::write(&secret, "static int outside;\n").unwrap();
    let unit =
        || UnitRequest { file: "b.c".into(), arguments: arguments(Path::new("b.c"), &[]), ..handed.unit() };
    let answer = ask(unit(), &Options::default());
    let Warning::NoAnswer(why) = &answer.warnings[0] else { panic!("{:?}", answer.warnings) };
    assert!(answer.answered == 0 && why.contains("--source-root"), "{why}");
    assert!(!why.contains("secret.c"), "{why}");
    let given = Options { source_roots: vec![elsewhere.path().to_path_buf()], ..Options::default() };
    assert_eq!(ask(unit(), &given).answered, 1);
}

#[test]
fn pipes_and_devices_neither_block_nor_fill_the_memory() {
    if !available("gcc") {
        return;
    }
    let handed = Handed::new();
    let at = |name: &str| handed.path().join(name);
    assert!(Command::new("mkfifo").arg(at("pipe.c")).status().unwrap().success());
    assert!(Command::new("mkfifo").arg(at("pipe.h")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", at("zero.c")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", at("zero.h")).unwrap();
    std::fs::write(at("b.c"), "#include \"pipe.h\"\n").unwrap();
    std::fs::write(at("c.c"), "#include \"zero.h\"\n").unwrap();
    let options = Options { time_limit: Duration::from_secs(2), record: false, ..Options::default() };
    for file in ["pipe.c", "zero.c", "b.c", "c.c"] {
        let arguments = ["gcc", "-O3", "-c", file].map(str::to_string).to_vec();
        let answer =
            ask(UnitRequest { file: file.into(), arguments: Some(arguments), ..handed.unit() }, &options);
        assert_eq!(answer.answered, 0, "{file}: {:?}", answer.warnings);
    }
}

/// Passes the folder of a compiler that never ends to the process that asks it.
const HANGING: &str = "LOOPWRIGHT_TEST_HANGING";

#[test]
#[ignore = "it never ends; the next test runs it in a process of its own"]
fn asks_a_compiler_that_never_ends() {
    let Some(folder) = std::env::var_os(HANGING).map(PathBuf::from) else { return };
    let unit = UnitRequest {
        file: "a.c".into(),
        directory: Some(folder.clone()),
        arguments: Some(["gcc", "-O3", "-c", "a.c"].map(str::to_string).to_vec()),
        ..UnitRequest::default()
    };
    let compilers = vec![folder.join("gcc")];
    ask(unit, &Options { compilers, time_limit: Duration::from_secs(3600), ..Options::default() });
}

#[test]
fn a_tool_that_is_killed_leaves_neither_compilers_nor_folders() {
    for signal in ["KILL", "TERM", "INT", "HUP"] {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("temporary")).unwrap();
        std::fs::write(at("a.c"), SOURCE).unwrap();
        // The compiler proper is a child of the driver.
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *--version*) echo 'gcc (x) 12.2.0'; echo 'Free Software Foundation'; exit;; esac\nsleep 1000 &\necho $! > {0}.part\nmv {0}.part {0}\nwait\n",
            at("child").display()
        );
        std::fs::write(at("gcc"), script).unwrap();
        std::fs::set_permissions(at("gcc"), std::fs::Permissions::from_mode(0o755)).unwrap();
        // Under `nohup` or in the background of a shell this process ignores some of them, and so would the new one.
        let mut asking = Command::new("env")
            .arg("--default-signal=TERM,INT,HUP")
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "hostile::asks_a_compiler_that_never_ends", "--ignored"])
            .env(HANGING, folder.path())
            .env("TMPDIR", at("temporary"))
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let until = |what: &dyn Fn() -> bool| super::until(&format!("SIG{signal}"), what);
        until(&|| at("child").exists());
        assert!(std::fs::read_dir(at("temporary")).unwrap().next().is_some());
        let pid = asking.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
        asking.wait().unwrap();
        let child = std::fs::read_to_string(at("child")).unwrap();
        until(&|| super::has_ended(child.trim()));
        until(&|| std::fs::read_dir(at("temporary")).unwrap().next().is_none());
    }
}
