use super::*;

const GOOD: &str = "\t.file\t\"add.c\"
\t.text
\t.type\tadd, @function
add:
.LFB0:
\taddl\tadd.1(%rip), %eax
\tret
\t.size\tadd, .-add
\t.globl\tmain
\t.type\tmain, @function
main:
\tcall\tadd
\tmovl\t$add, %edi
\tmovq\ttotal@GOTPCREL(%rip), %rax
\tcall\tadd.constprop.0
\tret
\t.size\tmain, .-main
\t.type\tadd.constprop.0, @function
add.constprop.0:
\tret
\t.section\t.rodata
.LC0:
\t.string\t\"add main\"
\t.local\tadd.1
\t.comm\tadd.1,4,4
\t.globl\ttotal
\t.bss
\t.type\ttotal, @object
\t.size\ttotal, 8
total:
\t.zero\t8
";

#[test]
fn functions_and_variables_of_a_file_become_symbols_that_both_share() {
    let bad = GOOD.replace("addl\t", "leal\t");
    let both = exchangeable(GOOD, &bad, Locals::Exchanged).unwrap();
    let names: Vec<&str> = both.functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["add", "main"]);
    assert_eq!(both.functions[0].symbols, ["add.loopwright"]);
    assert_eq!(both.strong, ["total"]);
    for text in [&both.good, &both.bad] {
        assert!(text.contains("\t.weak\tadd.loopwright\n\t.hidden\tadd.loopwright\n"), "{text}");
        assert!(text.contains("add.loopwright:\n.LFB0:\n"), "{text}");
        assert!(text.contains("\tadd.1.loopwright(%rip), %eax"), "the variable is shared: {text}");
        assert!(text.contains("\tcall\tadd.loopwright\n\tmovl\t$add.loopwright, %edi"), "{text}");
        assert!(text.contains("total@GOTPCREL(%rip)") && text.contains("\t.comm\tadd.1.loopwright,4,4"));
        assert!(text.contains("call\tadd.constprop.0\n"), "copies stay with their callers");
        assert!(text.contains(".string\t\"add main\"") && !text.contains(".globl\tmain"), "{text}");
    }
    assert!(both.good.contains("\taddl\t"), "an instruction is no symbol");
}

#[test]
fn what_clang_may_call_otherwise_stays_with_its_callers() {
    let both = exchangeable(GOOD, GOOD, Locals::Kept).unwrap();
    assert_eq!(both.functions.len(), 1);
    assert!(both.good.contains("\tcall\tadd\n") && both.good.contains("add.1.loopwright"));
}

#[test]
fn templates_leave_their_groups_and_other_names_go_along() {
    let text = "\t.section\t.text._ZN1AC2Ev,\"axG\",@progbits,_ZN1AC5Ev,comdat
\t.weak\t_ZN1AC2Ev
\t.type\t_ZN1AC2Ev, @function
_ZN1AC2Ev:
\tret
\t.weak\t_ZN1AC1Ev
\t.set\t_ZN1AC1Ev,_ZN1AC2Ev
\t.section\t.init_array,\"aw\"
\t.quad\t_GLOBAL__sub_I_x
";
    let both = exchangeable(text, text, Locals::Exchanged).unwrap();
    assert_eq!(both.functions[0].symbols, ["_ZN1AC2Ev", "_ZN1AC1Ev"]);
    assert!(both.good.contains("\t.section\t.text._ZN1AC2Ev,\"ax\",@progbits\n"), "{}", both.good);
    assert!(both.good.contains("\t.set\t_ZN1AC1Ev,_ZN1AC2Ev"), "{}", both.good);
    assert!(both.good.contains(".quad\t_GLOBAL"));
    assert!(!both.bad.contains(".quad\t_GLOBAL"), "a program is initialised once");
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let other = GOOD.replace("total, 8", "total, 4");
    assert!(exchangeable(GOOD, &other, Locals::Exchanged).unwrap_err().contains("total"));
    let chosen = GOOD.replace("main, @function", "main, @gnu_indirect_function");
    assert!(exchangeable(&chosen, GOOD, Locals::Exchanged).is_err());
}

/// The text is a compiler's, yet of a command of the user.
#[test]
fn no_text_ends_the_program() {
    let pieces = [
        "\t.section\t",
        ".text,\"G",
        "add",
        ":",
        "\n",
        "\t.set\t",
        ",",
        " = ",
        "$",
        "ä",
        "%",
        "@",
        ".weak ",
        "comdat",
    ];
    let mut state = 1_u64;
    for _ in 0..5000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        let _ = exchangeable(&text, GOOD, Locals::Exchanged);
        let _ = exchangeable(GOOD, &text, Locals::Kept);
        let _ = exchangeable(&text, &text, Locals::Exchanged);
    }
}
