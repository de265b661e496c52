//! An experiment that somebody hands over: what its program's debug information asks of a compiler does not run.

use crate::tool::Scratch;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "#include <stdio.h>
__attribute__((noinline)) double recurrence(double *a, int n) {
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] * 0.5 + 1e-3 * a[i];
    return a[n - 1];
}
int main(void) {
    static double a[4096];
    double s = 0;
    for (int k = 0; k < 40000; k++) a[k & 4095] += k, s += recurrence(a, 4096);
    printf(\"%g\\n\", s);
}
";

fn gcc(folder: &Path, arguments: &[&str]) -> bool {
    Command::new("gcc").args(arguments).current_dir(folder).status().is_ok_and(|status| status.success())
}

/// A program whose recorded flags load a plugin, replace the compiler and write a file.
fn build(folder: &Path, mark: &Path) -> bool {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("hot.c", SOURCE);
    write(
        "evil.c",
        &format!(
            "#include <stdio.h>\n__attribute__((constructor)) static void run(void) {{ fclose(fopen(\"{}\", \"w\")); }}\nint plugin_is_GPL_compatible;\nint plugin_init(void) {{ return 0; }}\n",
            mark.display()
        ),
    );
    if !gcc(folder, &["-shared", "-fPIC", "-o", "evil.so", "evil.c"])
        || !gcc(folder, &["-O2", "-g", "-S", "hot.c"])
    {
        return false;
    }
    let text = std::fs::read_to_string(folder.join("hot.s")).unwrap();
    let (before, producer) = text.split_once("\"GNU C").expect("a producer is recorded");
    let (producer, after) = producer.split_once('"').unwrap();
    let here = folder.display();
    let hostile = format!(
        "{producer} -fplugin={here}/evil.so -B{here} -wrapper {here}/evil.so -aux-info {}",
        mark.display()
    );
    write("hot.s", &format!("{before}\"GNU C{hostile}\"{after}"));
    gcc(folder, &["-o", "hot", "hot.s"])
}

#[test]
fn a_stored_experiment_runs_nothing_that_its_program_names() {
    let (giver, taker) = (Scratch::new(), Scratch::new());
    let mark = giver.file("marked");
    if !build(giver.path(), &mark) {
        assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "gcc is required but absent");
        return;
    }
    // The plugin does what it is for when a compiler loads it.
    gcc(giver.path(), &["-fplugin=./evil.so", "-c", "hot.c"]);
    assert!(mark.exists(), "the plugin leaves its mark");
    std::fs::remove_file(&mark).unwrap();

    giver.ok(["survey", "--", "./hot"]);
    std::fs::copy(giver.file("loopwright.lw"), taker.file("loopwright.lw")).unwrap();
    let said = taker.run(["remarks"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("loop-carried-dependence"), "{}\n{}", said.out, said.err);
    assert!(said.err.contains("without -fplugin, -B, -wrapper, -aux-info"), "{}", said.err);
    for verb in [&["show"][..], &["report", "--json", "-"], &["explain"]] {
        taker.ok(verb);
    }
    assert!(!mark.exists(), "a flag of the file was carried out");
}
