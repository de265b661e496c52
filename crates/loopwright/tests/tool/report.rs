//! The report: the document is what the views show, it goes where it is asked to go, and what cannot be is said.

use crate::contract::document;
use crate::experiments::compile;
use crate::tool::{Scratch, said};
use serde_json::Value;
use std::ffi::OsStr;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};

const PROGRAM: &str = "
#include <pthread.h>
#include <stdio.h>
static double a[2][2048];
static void *work(void *which) {
    double *row = a[(long)which];
    for (int k = 0; k < 100000; k++)
        for (int i = 1; i < 2048; i++)
            row[i] = 0.5 * (row[i] + row[i - 1]);
    return 0;
}
int main(void) {
    pthread_t other;
    a[0][0] = a[1][0] = 1;
    pthread_create(&other, 0, work, (void *)1L);
    work(0);
    pthread_join(other, 0);
    printf(\"%g\\n\", a[0][2047] + a[1][2047]);
    return 0;
}
";

fn advised(scratch: &Scratch) {
    let program = compile(scratch, PROGRAM, &["-O2", "-pthread"]);
    let advice = scratch.advise(&[program.as_os_str()]);
    assert_eq!(advice.status, Some(0), "{}", advice.err);
}

#[test]
fn the_document_shows_what_the_views_show() {
    let scratch = Scratch::new();
    advised(&scratch);
    // On disk the source is gone: it was kept with the survey.
    std::fs::rename(scratch.file("prog.c"), scratch.file("moved.c")).expect("moves");
    let shown = document(&scratch.ok(["show", "--json"]));
    let document = document(&scratch.ok(["report", "--json", "-"]));
    assert_eq!(document["analysis"], shown);
    assert_eq!((&document["schema"], &document["report"]), (&1.into(), &1.into()));
    assert_eq!(document["state"], "latest");

    let hottest = &document["analysis"]["loops"][0];
    let source = &document["sources"][0];
    assert_eq!(source["file"], hottest["file"]);
    assert_eq!(source["text"], PROGRAM);
    assert!(source.get("outdated").is_none() && source.get("missing").is_none(), "{source}");
    let marked = source["marks"].as_array().expect("marks").iter();
    let marked =
        marked.filter(|mark| mark["loops"].as_array().is_some_and(|ids| ids.contains(&hottest["id"])));
    assert_eq!(marked.count(), 1, "{}", source["marks"]);
    let seconds: f64 =
        source["lines"].as_array().expect("lines").iter().filter_map(|line| line[1].as_f64()).sum();
    let whole = document["analysis"]["program"]["cpu_seconds"].as_f64().expect("a time");
    assert!(seconds > 0.5 * whole && seconds < 1.01 * whole, "{seconds} of {whole}");
    let remarks = source["remarks"].as_array().expect("remarks");
    let reasons: Vec<&str> = remarks.iter().filter_map(|remark| remark["reason"].as_str()).collect();
    assert!(!reasons.is_empty() && reasons.iter().all(|id| document["reasons"][id]["title"].is_string()));

    let listing = &document["listings"][0];
    assert_eq!(listing["function"], hottest["function"]);
    let of_loop = listing["instructions"].as_array().expect("a list").iter();
    let of_loop: f64 = of_loop.filter(|row| row[5] == hottest["id"]).filter_map(|row| row[4].as_f64()).sum();
    let own = hottest["self_seconds"].as_f64().expect("a time");
    assert!((of_loop - own).abs() < 1e-6, "the instructions' time {of_loop} is the loop's {own}");

    let threads = document["threads"].as_array().expect("two threads");
    assert_eq!(threads.len(), 2, "{threads:?}");
    let total: f64 = threads.iter().filter_map(|thread| thread["tree"][0]["total_seconds"].as_f64()).sum();
    assert!((total - whole).abs() < 1e-6, "{total} {whole}");
}

#[test]
fn it_goes_where_it_is_asked_to_go() {
    let scratch = Scratch::new();
    advised(&scratch);
    let loud = scratch.run(["report", "--json", "report.json"]);
    assert_eq!((loud.status, loud.out.as_str()), (Some(0), ""), "{}", loud.err);
    // More than a MiB where a busy machine lets samples fall into large functions of libraries.
    let sized = ["KiB)", "MiB)"].iter().any(|unit| loud.err.trim_end().ends_with(unit));
    assert!(loud.err.contains("report.json") && sized, "{}", loud.err);
    let quiet = scratch.run(["--quiet", "report", "--json", "again.json"]);
    assert_eq!((quiet.status, quiet.err.as_str()), (Some(0), ""));
    let read = |name: &str| document(&std::fs::read_to_string(scratch.file(name)).expect("reads"));
    assert_eq!(read("report.json")["analysis"], read("again.json")["analysis"]);

    // A state by its name, and a file that the shell has opened.
    scratch.ok(["snapshot", "first"]);
    let mut file = std::fs::File::options()
        .create_new(true)
        .read(true)
        .write(true)
        .open(scratch.file("redirected.json"))
        .expect("makes a file");
    let mut tool = scratch.tool();
    tool.args(["report", "--state", "first", "--json", "/dev/stdout"]);
    let status = tool.stdout(file.try_clone().expect("clones")).status().expect("starts");
    assert!(status.success());
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_string(&mut text)).expect("reads");
    assert_eq!(document(&text)["state"], "first");
    scratch.ok(["report", "--json", "/dev/null"]);

    // Whoever reads the output may have seen enough.
    let mut tool = scratch.tool();
    let mut child = tool.args(["report", "--json", "-"]).stdout(Stdio::piped()).spawn().expect("starts");
    drop(child.stdout.take());
    assert!(child.wait().expect("ends").success());
}

#[test]
fn what_cannot_be_is_said() {
    let scratch = Scratch::new();
    let refused = |arguments: &[&str], status: i32, words: &[&str]| {
        let said = scratch.run(arguments);
        assert_eq!(said.status, Some(status), "{arguments:?}: {}", said.err);
        assert_eq!(said.err.trim_end().lines().count(), 1, "one line: {}", said.err);
        for word in words {
            assert!(said.err.contains(word), "{arguments:?} says {word}: {}", said.err);
        }
        assert_eq!(said.out, "");
    };
    refused(&["report"], 2, &["--html report.html"]);
    refused(&["report", "--html", "-", "--json", "-"], 2, &["standard output"]);
    refused(&["report", "--html", "a", "--json", "a"], 2, &["named twice"]);
    refused(&["report", "--json", "-"], 1, &["loopwright.lw", "advise"]);
    advised(&scratch);
    refused(&["report", "--json", "."], 2, &["folder"]);
    refused(&["report", "--json", "no/such/folder.json"], 1, &["no/such/folder.json", "create it"]);
    refused(&["report", "--json", "/dev/full"], 1, &["/dev/full", "No space left"]);
    refused(&["report", "--json", "-", "--state", "frist"], 2, &["frist"]);

    // SQLite keeps `user_version` at offset 60 of the file's head.
    let experiment = scratch.file("loopwright.lw");
    let whole = std::fs::read(&experiment).expect("reads");
    let file = std::fs::File::options().write(true).open(&experiment).expect("opens");
    file.write_all_at(&999_u32.to_be_bytes(), 60).expect("writes");
    refused(&["report", "--json", "-"], 1, &["newer loopwright", "update"]);
    std::fs::write(&experiment, &whole[..whole.len() / 2]).expect("writes");
    refused(&["report", "--json", "-"], 1, &["loopwright.lw"]);
    std::fs::write(&experiment, "no experiment at all, but long enough to be read").expect("writes");
    refused(&["report", "--json", "-"], 1, &["not a loopwright experiment"]);
}

/// Loops by id and function; a page holds them column by column when there are many.
fn loops_of(document: &Value) -> Vec<(Value, Value)> {
    let loops = &document["analysis"]["loops"];
    let column = |key: &str| {
        let columns = &loops["$table"]["columns"];
        let same = columns[key]["same"].as_str().unwrap_or(key);
        columns[same].as_array().expect("a column").clone()
    };
    match loops.as_array() {
        Some(loops) => loops.iter().map(|each| (each["id"].clone(), each["function"].clone())).collect(),
        None => column("id").into_iter().zip(column("function")).collect(),
    }
}

#[test]
fn the_page_is_one_file_with_the_document_inside() {
    let scratch = Scratch::new();
    if loopwright_report::page::TEMPLATE.is_none() {
        let said = scratch.run(["report", "--html", "report.html"]);
        assert_eq!(said.status, Some(1));
        assert!(said.err.contains("make ui"), "{}", said.err);
        let required = std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_some_and(|value| value == "1");
        assert!(!required, "built without the report page: run `make ui` first");
        println!("skipped: built without the report page (`make ui` makes it)");
        return;
    }
    advised(&scratch);
    page_holds_its_document(&scratch);
    // Long lists are held as tables.
    let names: Vec<String> = (0..12).map(|n| format!("loop{n}")).collect();
    let functions = names.iter().map(|name| {
        format!("void {name}(void) {{ for (int i = 0; i < 4096; i++) a[i] = 0.5 * a[i] + 1; }}\n")
    });
    let calls: String = names.iter().map(|name| format!("{name}();\n")).collect();
    let main =
        format!("int main(void) {{\nfor (int k = 0; k < 30000; k++) {{\n{calls}}}\nreturn a[7] > 9;\n}}\n");
    let text = ["static volatile double a[4096];\n".to_owned()].into_iter().chain(functions).chain([main]);
    let program = compile(&scratch, &text.collect::<String>(), &["-O1", "-fno-inline"]);
    scratch.ok([OsStr::new("survey"), OsStr::new("--"), program.as_os_str()]);
    let loops = page_holds_its_document(&scratch);
    assert!(loops >= 12, "{loops}");
}

/// Holds the page against `--json`; returns how many loops there are.
fn page_holds_its_document(scratch: &Scratch) -> usize {
    let page = scratch.ok(["report", "--html", "-"]);
    assert!(page.contains("<title>loopwright: prog</title>"));
    let (_, rest) =
        page.split_once("<script type=\"application/gzip\" id=\"document\">").expect("the document");
    let (packed, _) = rest.split_once("</script>").expect("its end");
    let mut unpack = Command::new("sh");
    unpack.args(["-c", "base64 -d | gunzip"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = unpack.spawn().expect("sh starts");
    let mut input = child.stdin.take().expect("a pipe");
    let packed = packed.to_owned();
    let writer = std::thread::spawn(move || input.write_all(packed.as_bytes()));
    let text = said(child.wait_with_output().expect("ends")).out;
    writer.join().expect("written").expect("written");
    // Long lists are tables in it.
    let inside: Value = serde_json::from_str(&text).expect("the page holds JSON");
    let beside = document(&scratch.ok(["report", "--json", "-"]));
    let loops = loops_of(&beside);
    assert_eq!(loops_of(&inside), loops);
    // As many sources as a busy machine's samples fall into may be a table, too.
    let text = beside["sources"][0]["text"].to_string();
    assert!(
        beside["sources"][0]["text"].is_string() && inside["sources"].to_string().contains(&text),
        "{text}"
    );
    loops.len()
}

#[test]
fn sources_of_any_kind_do_no_harm() {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O2", "-pthread"]);
    std::fs::remove_file(scratch.file("prog.c")).expect("removes");
    scratch.ok([OsStr::new("survey"), OsStr::new("--"), program.as_os_str()]);
    let source = || {
        let document = document(&scratch.ok(["report", "--json", "-"]));
        let all = document["sources"].as_array().expect("sources").clone();
        all.into_iter().find(|s| s["file"].as_str().is_some_and(|f| f.ends_with("prog.c"))).expect("prog.c")
    };
    assert!(source()["missing"].as_str().is_some_and(|why| why.contains("No such file")));
    let path = scratch.file("prog.c");
    std::fs::write(&path, b"\xff\xfe\x00\x1b</script>\n").expect("writes");
    let garbage = source();
    assert_eq!(garbage["text"], "\u{fffd}\u{fffd}\0\u{1b}</script>\n");
    assert!(garbage["outdated"].as_str().is_some_and(|why| why.contains("changed")), "{garbage}");
    std::fs::write(&path, "x".repeat(3 << 20)).expect("writes");
    assert!(source()["missing"].as_str().is_some_and(|why| why.contains("MiB")));
    // Opening a pipe without a writer would wait for ever.
    std::fs::remove_file(&path).expect("removes");
    assert!(Command::new("mkfifo").arg(&path).status().is_ok_and(|status| status.success()));
    assert!(source()["missing"].as_str().is_some_and(|why| why.contains("not a regular file")));
}
