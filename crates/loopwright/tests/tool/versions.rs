//! `bottlenecks` through the whole tool.

use crate::experiments::compile;
use crate::tool::Scratch;
use serde_json::Value;

/// A loop that calls once in `mask + 1` iterations.
const PROGRAM: &str = "
#include <stdio.h>
#include <stdlib.h>
static unsigned bins[1024], calls;
__attribute__((noinline, noclone)) void rare(unsigned i) { calls += i & 1; __asm__ volatile(\"\"); }
__attribute__((noinline, noclone)) void walk(unsigned n, unsigned mask) {
    for (unsigned i = 0; i < n; i++) {
        if ((i & mask) == mask)
            rare(i);
        bins[i & 1023] += i;
    }
}
int main(int c, char **v) {
    unsigned mask = c > 1 ? atoi(v[1]) : 0;
    for (int k = 0; k < 40; k++) walk(20000000, mask);
    printf(\"%u %u\\n\", bins[7], calls);
    return 0;
}
";

/// The sampled time of an iteration, which is named where calls take too much of it.
fn named_for_calls(mask: &str) -> Option<f64> {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O1", "-g"]);
    let program = program.to_str().expect("its path is text");
    let options = ["bottlenecks", "--no-measure", "--no-trace", "--no-counters", "--", program, mask];
    scratch.ok(options);
    let report: Value = serde_json::from_str(&scratch.ok(["report", "--json", "-"])).expect("it is JSON");
    let loops = report["analysis"]["loops"].as_array().expect("they are a list").iter();
    let bottleneck =
        loops.filter(|l| l["function"] == "walk").map(|l| &l["bottleneck"]).find(|b| b.is_object());
    let bottleneck = bottleneck.expect("the loop was measured");
    assert!(bottleneck["iteration_ns"].as_f64().is_some_and(|ns| ns < 20.0), "{bottleneck}");
    bottleneck["sampled_ns"].as_f64()
}

#[test]
fn rare_calls_leave_a_verdict() {
    assert!(named_for_calls("4095").is_none());
    assert!(named_for_calls("0").is_some());
}
