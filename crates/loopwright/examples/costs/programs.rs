//! The programs whose advice is timed: small ones that everybody has, made of what is installed.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A program with its arguments.
pub struct Program {
    /// What it is called in the table.
    pub name: String,
    /// Command line.
    pub command: Vec<String>,
    /// Its executable or a hot library is larger than 50 MB.
    pub large: bool,
}

impl Program {
    fn new(name: &str, command: &[&str]) -> Self {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        Self { name: name.to_owned(), command, large: false }
    }

    fn large(self) -> Self {
        Self { large: true, ..self }
    }

    /// One that the user names.
    pub fn own(command: &[String]) -> Self {
        Self { name: command[0].clone(), command: command.to_vec(), large: false }
    }
}

/// Those whose tools are installed; their sources and executables go into `folder`.
pub fn installed(folder: &Path) -> Vec<Program> {
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).is_ok().then(|| path(name));
    let mut found = Vec::new();
    if let Some(source) = write("loops.c", LOOPS)
        && succeeds("gcc", &["-O2", "-g", &source, "-o", &path("loops"), "-lm"])
    {
        found.push(Program::new("C, 0.8 s", &[&path("loops")]));
    }
    found.extend(many_files(folder));
    if succeeds("python3", &["--version"]) {
        let real = "import sys, os; print(os.path.realpath(sys.executable))";
        let interpreter = output("python3", &["-c", real]).unwrap_or_else(|| "python3".to_owned());
        found.push(Program::new("python, json", &[&interpreter, "-c", PYTHON]));
        if succeeds(&interpreter, &["-c", "import pandas"]) {
            found.push(Program::new("python, pandas", &[&interpreter, "-c", PANDAS]).large());
        }
    }
    if succeeds("perl", &["-v"]) {
        found.push(Program::new("perl", &["perl", "-e", PERL]));
    }
    if succeeds("sqlite3", &["-version"]) {
        found.push(Program::new("sqlite3", &["sqlite3", ":memory:", SQL]));
    }
    let big = std::env::current_exe().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    if succeeds("openssl", &["version"]) {
        found.push(Program::new("openssl, sha512", &["openssl", "dgst", "-sha512", &big]));
    }
    if succeeds("git", &["log", "-1"]) {
        found.push(Program::new("git log", &["git", "log", "--stat", "-40", "--format=%h"]));
    }
    if succeeds("node", &["--version"]) {
        found.push(Program::new("node", &["node", "-e", NODE]).large());
    }
    if let Some(source) = write("Sum.java", JAVA)
        && succeeds("javac", &["-d", &path(""), &source])
    {
        found.push(Program::new("java", &["java", "-cp", &path(""), "Sum"]).large());
    }
    if let Some(source) = write("words.rs", RUST)
        && let Some(rustc) = output("rustc", &["--print", "sysroot"])
    {
        let rustc = format!("{rustc}/bin/rustc");
        found.push(Program::new("rustc", &[&rustc, "-O", &source, "-o", &path("words")]).large());
    }
    if succeeds("clang", &["--version"]) {
        let source = path("loops.c");
        found.push(Program::new("clang", &["clang", "-O2", "-c", &source, "-o", &path("loops.o")]).large());
    }
    found
}

/// A Fortran program of thirty source files, each with a hot loop: the compiler is asked about all of them.
fn many_files(folder: &Path) -> Option<Program> {
    const FILES: usize = 30;
    let folder = folder.join("fortran");
    std::fs::create_dir_all(&folder).ok()?;
    let mut calls = String::new();
    for k in 0..FILES {
        let text = FORTRAN.replace("NAME", &format!("work{k}"));
        std::fs::write(folder.join(format!("work{k}.f90")), text).ok()?;
        let _ = writeln!(calls, "  call work{k}(a, b, n)");
    }
    let main = format!(
        "program many\n  integer, parameter :: n = 20000\n  integer :: r\n  real(8) :: a(n), b(n)\n  a = 1.0d0\n  b = 2.0d0\n  do r = 1, 1200\n{calls}  end do\n  print *, sum(a)\nend program\n"
    );
    std::fs::write(folder.join("main.f90"), main).ok()?;
    let sources: Vec<String> =
        (0..FILES).map(|k| format!("work{k}.f90")).chain(["main.f90".to_owned()]).collect();
    let built = Command::new("gfortran")
        .args(["-O2", "-g", "-o", "many"])
        .args(&sources)
        .current_dir(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    built
        .is_ok_and(|status| status.success())
        .then(|| Program::new("Fortran, 30 files", &[&folder.join("many").to_string_lossy()]))
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let done = Command::new(program).args(arguments).output().ok().filter(|done| done.status.success())?;
    Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

const LOOPS: &str = r#"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 1200
static double a[N][N], b[N][N], x[N], y[N];
static void fill(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) { a[i][j] = i * 0.5 + j; b[i][j] = i - j; }
}
static double product(void) {
    double all = 0;
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) sum += a[i][j] * x[j] + b[j][i];
        y[i] = sum;
        all += sqrt(fabs(sum));
    }
    return all;
}
static int order(const void *p, const void *q) { return *(const int *)p - *(const int *)q; }
int main(void) {
    fill();
    for (int i = 0; i < N; i++) x[i] = i;
    double all = 0;
    for (int k = 0; k < 120; k++) { all += product(); x[k] += all * 1e-9; }
    int n = 2000000, *v = malloc(n * sizeof *v);
    unsigned r = 1;
    for (int i = 0; i < n; i++) { r = r * 1103515245 + 12345; v[i] = r >> 3; }
    qsort(v, n, sizeof *v, order);
    printf("%g %d\n", all, v[n / 2]);
    return 0;
}
"#;

const FORTRAN: &str = "subroutine NAME(a, b, n)\n  integer, intent(in) :: n\n  real(8), intent(inout) :: a(n)\n  real(8), intent(in) :: b(n)\n  integer :: i\n  do i = 2, n\n    a(i) = 0.5d0 * a(i - 1) + 0.25d0 * b(i)\n  end do\nend subroutine\n";

const PYTHON: &str = "
import json
d = {'a': [i * 0.5 for i in range(200)], 'b': {str(i): i for i in range(100)}}
s = 0
for k in range(6000):
    t = json.dumps(d)
    s += len(t) + len(json.loads(t))
print(s)
";

const PANDAS: &str = "
import pandas, numpy
d = pandas.DataFrame({'k': numpy.arange(1000000) % 1000, 'v': numpy.arange(1000000) * 0.5})
print(d.groupby('k')['v'].sum().head())
";

const PERL: &str = "my %n; for my $i (1..400000) { $n{$i % 1013} .= chr(65 + $i % 26); } my $s = 0; for (sort keys %n) { $s += () = $n{$_} =~ /AB|C/g; } print \"$s\\n\";";

const SQL: &str = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 400000) select count(*), sum(i % 97), max(hex(i)) from n;";

const NODE: &str = "let a=[];for(let i=0;i<200000;i++)a.push((i*7919)%100003);for(let k=0;k<16;k++){a.sort((x,y)=>x-y);a=a.map((x,i)=>(x*31+i)%100003);}let s=0;for(const x of a)s+=x;console.log(s);";

const JAVA: &str = "public class Sum { public static void main(String[] a) { double s = 0; double[] v = new double[100000]; for (int k = 0; k < 400; k++) for (int i = 0; i < v.length; i++) { v[i] += i * 0.5 + k; s += v[i]; } System.out.println(s); } }";

const RUST: &str = "use std::collections::HashMap;\nfn main() { let mut n: HashMap<String, u32> = HashMap::new(); for w in std::env::args() { *n.entry(w).or_default() += 1; } let mut v: Vec<_> = n.into_iter().collect(); v.sort(); println!(\"{v:?}\"); }\n";
