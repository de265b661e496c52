//! What is read from source texts. The inference as a whole is compared with the truth by `tests/iterations`.

use super::declared::declared;
use super::text::Nest;
use crate::patterns::expression::{Grammar, Text};
use loopwright_binary::facts::SourcePlace;

fn at(nest: &Nest, line: u32) -> usize {
    nest.at(line).unwrap()
}

#[test]
fn inner_loops_that_may_do_nothing() {
    let nest = Nest::new(
        "for (int i = 0; i < n; i++)
           for (int j = 0; j < m; j++) a[i][j] = 0;
         for (int i = 0; i < n; i++)
           for (int j = 0; j < i; j++) a[i][j] = 0;
         for (int i = 0; i < n; i++)
           for (int j = 0; j <= i; j++) a[i][j] = 0;
         for (int i = -1; i < n; i++)
           for (int j = 0; j <= i; j++) a[i][j] = 0;
         for (int i = 0; i < n; i++)
           for (int j = begin[i]; j < m; j++) a[i][j] = 0;
         for (int i = 0; i < n; i++)
           while (p) p = p->next;
        ",
        Grammar::C,
    );
    let vary: Vec<bool> = [1, 3, 5, 7, 9, 11].map(|line| nest.inner_bounds_vary(at(&nest, line))).to_vec();
    assert_eq!(vary, [false, true, false, true, true, true]);
}

#[test]
fn heads_that_depend_on_data() {
    let nest = Nest::new(
        "while (s[n]) n++;
         for (k = begin[i]; k < begin[i + 1]; k++) t += v[k];
         while (*from) *to++ = *from++;
         for (; l; l = l->next) c++;
         for (int i = 0; i < n; i++) c++;
        ",
        Grammar::C,
    );
    let reads: Vec<bool> = (1..=5).map(|line| nest.head_reads(at(&nest, line))).collect();
    assert_eq!(reads, [true, false, true, true, false]);
    // Columns of `l` and of `->`.
    assert!(nest.in_condition(at(&nest, 4), 4, 17));
    assert!(!nest.in_condition(at(&nest, 4), 4, 25) && nest.in_head(at(&nest, 4), 4, 25));
}

#[test]
fn sizes_of_named_types() {
    let text = Text::new(
        "#define DATA double
         #define OTHER some_type
         typedef float real;
         typedef unsigned char byte;
         void f(DATA *a, real *b, byte *c, OTHER *d) { a[0] = b[0] = c[0] = d[0]; }
        ",
        Grammar::C,
    );
    let end = text.len() - 1;
    let bytes = |name: &str| declared(&text, name, end).map(|declared| declared.bytes);
    assert_eq!(["a", "b", "c", "d"].map(bytes), [Some(8), Some(4), Some(1), None]);
}

#[test]
fn stores_of_each_iteration() {
    let nest = Nest::new(
        "double *a; float *b; int *c;
         for (int i = 0; i < n; i++) { a[i] = 0; b[i] = c[i] > 0 ? 1 : b[i]; }
         for (int i = 0; i < n; i++) { if (c[i]) a[i] = 1; else a[i] = 2; }
         for (int i = 0; i < n; i++) { if (c[i]) a[i] = 1; else s += 2; }
         for (int i = 0; i < n; i++) { if (c[i]) a[i] = 1; }
         for (int i = 0; i < n; i++) { if (c[i]) break; a[i] = 1; }
         for (int i = 0; i < n; i++) a[3] = i;
         for (int i = 0; i < n; i++) { a[i] = 0; a[i + 1] = 1; }
         while (n > 0 && c[n - 1] > x) { c[n] = c[n - 1]; n--; }
        ",
        Grammar::C,
    );
    let bytes: Vec<Option<u64>> =
        (2..10).map(|line| nest.stores(at(&nest, line)).map(|stores| stores.bytes)).collect();
    assert_eq!(bytes, [Some(12), Some(8), None, None, None, None, None, Some(4)]);
}

#[test]
fn inner_loops_that_always_do_something() {
    let nest = Nest::new(
        "for (int i = 0; i < n; i++)
           for (int j = i; j < n; j++) s += a[j];
         for (int i = 0; i < n - 1; i++)
           for (int j = 0; j < n - 1 - i; j++) s += a[j];
         for (int i = 0; i < n; i++)
           for (int j = i + 1; j < n; j++) s += a[j];
         for (int i = 0; i < n; i++)
           for (int j = n - 1; j >= i; j--) s += a[j];
         for (int i = n; i > 2; i--)
           for (int j = 2 * 1; j < i; j++) s += a[j];
         for (int i = 0; i < n; i++)
           for (int j = i; j < n; j++) { s += a[j]; n--; }
         for (int i = 0; i < n; i++) {
           for (int j = 0; j < i; j++) s += a[j];
           for (int j = 0; j < m; j++) s += a[j]; }
         for (int i = 0; i < n; i++) {
           for (int j = 0; j < i; j++) s += a[j];
           if (s) for (int j = 0; j < m; j++) s += a[j]; }
        ",
        Grammar::C,
    );
    let vary: Vec<bool> =
        [1, 3, 5, 7, 9, 11, 13, 16].map(|line| nest.inner_bounds_vary(at(&nest, line))).to_vec();
    assert_eq!(vary, [false, false, true, false, false, true, false, true]);
}

#[test]
fn operands_that_each_iteration_loads() {
    let nest = Nest::new(
        "int *a; float *b; int *c;
         for (int i = 0; i < n; i++) { if (a[i] > m) m = a[i]; }
         for (int i = 0; i < n; i++) { if (m && a[i]) m++; }
         for (int i = 0; i < n; i++) { if (a[i]) continue; if (c[i]) m++; }
         for (int i = 0; i < n; i++) { if (a[i] > a[i - 1]) m++; }
         for (int i = 0; i < n; i++) { if (a[i] > a[c[i]]) m++; }
         for (int i = 0; i < n; i++) { m += b[2 * i]; }
         for (int i = 0; i < n; i++) { if (m) { m += b[i]; } }
         for (int i = 0; i < n; i++) { m += a[3]; }
        ",
        Grammar::C,
    );
    let loads = |line: u32| -> Vec<(u64, u64, bool)> {
        nest.loads(at(&nest, line)).iter().map(|load| (load.bytes, load.moves, load.alone)).collect()
    };
    assert_eq!(loads(2), [(4, 4, true)]);
    assert_eq!((loads(3), loads(4)), (vec![], vec![(4, 4, true)]));
    assert_eq!(loads(5), [(4, 4, false), (4, 4, false)]);
    assert_eq!(loads(6), [(4, 4, true), (4, 4, true)]);
    assert_eq!((loads(7), loads(8), loads(9)), (vec![(4, 8, true)], vec![], vec![]));
    // Where the load is part of the comparison, its place is that of `if`, or of the operator.
    let line = |column: u32| SourcePlace { line: 2, column, ..SourcePlace::default() };
    let here: Vec<u32> = (1..80).filter(|&column| nest.loads(at(&nest, 2))[0].holds(&line(column))).collect();
    assert_eq!((here.first(), here.last()), (Some(&40), Some(&49)));
}

#[test]
fn tests_of_a_head() {
    let nest = Nest::new(
        "while (*a && *a == *b) { a++; b++; }
         while (s[n]) n++;
         for (i = 0; i < n && a[i] != x; i++) m++;
         while (*a || *b) { a++; b++; }
         while (n && *a && *b) { a++; b++; }
        ",
        Grammar::C,
    );
    let tests = |line: u32| {
        let (parts, _, (first, _)) = nest.tests(at(&nest, line))?;
        Some((parts, nest.text().word(first)))
    };
    assert_eq!((tests(1), tests(2), tests(3)), (Some((2, "&&")), Some((1, "s")), Some((2, "&&"))));
    assert_eq!((tests(4), tests(5)), (None, None));
}
