use super::*;

fn expressions(text: &str, language: Grammar, operands: &[Operand]) -> Vec<Option<String>> {
    super::expressions(&Source::new(text, language), operands)
}

fn candidates(text: &str, language: Grammar, operands: &[Operand]) -> usize {
    super::candidates(&Source::new(text, language), operands)
}

/// The expression behind one operand.
fn expression(source: &str, language: Grammar, line: u32, column: u32, kind: AccessKind) -> Option<String> {
    let operand = Operand { line, column, kind, element: 0, moves: true, ..Operand::default() };
    expressions(source, language, &[operand]).pop().flatten()
}

/// Where `needle` begins (plus `ahead` bytes) in the last line of `text` that holds it.
fn column(text: &str, needle: &str, ahead: usize) -> (u32, u32) {
    let (index, line) = text.lines().enumerate().filter(|(_, l)| l.contains(needle)).last().unwrap();
    (index as u32 + 1, (line.find(needle).unwrap() + ahead) as u32 + 1)
}

fn load(text: &str, (line, column): (u32, u32)) -> Option<String> {
    expression(text, Grammar::C, line, column, AccessKind::Load)
}

fn store(text: &str, (line, column): (u32, u32)) -> Option<String> {
    expression(text, Grammar::C, line, column, AccessKind::Store)
}

#[test]
fn places_of_gcc_and_clang_lead_to_the_reference() {
    let text = "void f(void) {\n\tfor (int i = 0; i < n; i++)\n\t\tout[i] = lbv[i*3+1] + lbv[i*3];\n}\n";
    for ahead in [0, 3] {
        assert_eq!(load(text, column(text, "lbv[i*3+1]", ahead)).as_deref(), Some("lbv[i*3+1]"));
        assert_eq!(load(text, column(text, "lbv[i*3];", ahead)).as_deref(), Some("lbv[i*3]"));
    }
    assert_eq!(store(text, column(text, "= lbv", 0)).as_deref(), Some("out[i]"));
    assert_eq!(load(text, column(text, "+ lbv", 0)).as_deref(), Some("lbv[i*3+…]"), "either operand");
    assert_eq!(load(text, (3, 0)).as_deref(), Some("lbv[i*3+…]"));
    assert_eq!(store(text, (3, 0)).as_deref(), Some("out[i]"));
    assert_eq!(load(text, (3, 4000)).as_deref(), Some("lbv[i*3+…]"), "a column beyond the line says nothing");
    assert_eq!(load(text, (300, 1)), None);
    assert_eq!(load(text, (1, 1)), None);

    let text = "ps->v[i & 3].y = ps->q->x + a[i][j] * *r++; /* ps->z */";
    assert_eq!(store(text, column(text, "= ps", 0)).as_deref(), Some("ps->v[i & 3].y"));
    assert_eq!(load(text, column(text, "q->x", 0)).as_deref(), Some("ps->q"));
    assert_eq!(load(text, column(text, "->q->x", 0)).as_deref(), Some("ps->q"));
    assert_eq!(load(text, column(text, "x + a", 0)).as_deref(), Some("ps->q->x"));
    assert_eq!(load(text, column(text, "[j]", 0)).as_deref(), Some("a[i][j]"));
    assert_eq!(load(text, column(text, "a[i][j]", 0)).as_deref(), Some("a[i][j]"));
    assert_eq!(load(text, column(text, "*r++", 0)).as_deref(), Some("*r++"));
    let text = "*out++ = 1;";
    assert_eq!(store(text, column(text, "=", 0)).as_deref(), Some("*out++"));
    let text = "(*m)[i] = (*(m + i))[1] + *(r + i);";
    assert_eq!(store(text, column(text, "=", 0)).as_deref(), Some("(*m)[i]"));
    assert_eq!(load(text, column(text, "[1]", 0)).as_deref(), Some("(*(m + i))[1]"));
    assert_eq!(load(text, column(text, "(*(m", 0)).as_deref(), Some("(*(m + i))[1]"));
    assert_eq!(load(text, column(text, "*(r", 0)).as_deref(), Some("*(r + i)"));
}

#[test]
fn indirect_and_updated_references() {
    let text = "out[idx[i]] += stat[i] * 3;";
    assert_eq!(store(text, column(text, "+=", 0)).as_deref(), Some("out[idx[i]]"));
    assert_eq!(load(text, column(text, "idx", 0)).as_deref(), Some("idx[i]"));
    assert_eq!(load(text, column(text, "stat", 0)).as_deref(), Some("stat[i]"));
    assert_eq!(load(text, column(text, "*", 0)).as_deref(), Some("stat[i]"));
    assert_eq!(load(text, column(text, "+=", 0)), None, "any of three");
    let text = "out[idx[i]] = t;";
    assert_eq!(
        load(text, column(text, "[idx", 0)).as_deref(),
        Some("idx[i]"),
        "the outer one is only written"
    );
    let text = "if (r[i + 1] > 0) stat[k]++;";
    assert_eq!(load(text, column(text, "(r", 0)).as_deref(), Some("r[i + 1]"));
    assert_eq!(load(text, column(text, "++", 0)).as_deref(), Some("stat[k]"));
    assert_eq!(store(text, column(text, "++", 0)).as_deref(), Some("stat[k]"));
    let text = "double t = r[i]; int k = idx[i];\nout[k] = t * w + b[i];";
    assert_eq!(load(text, column(text, "t = r", 0)).as_deref(), Some("r[i]"));
    assert_eq!(load(text, column(text, "k = idx", 0)).as_deref(), Some("idx[i]"));
    assert_eq!(load(text, column(text, "* w", 0)).as_deref(), Some("r[i]"), "loaded where it is used");
    let text = "p[&x[i] - x] = f(sizeof(y[0]), (double) z[i]);";
    assert_eq!(load(text, (1, 0)).as_deref(), Some("z[i]"), "no address, no size");
    let text = "b[i] = (double)*q + (double *)c == 0;";
    assert_eq!(load(text, (1, 0)).as_deref(), Some("*q"));
}

#[test]
fn macros_lines_and_white_space() {
    let text =
        "#define AT(a, i, j) a[(i)*8 + (j)]\nAT(out,i,1) = AT(r, i , 2) +\n\t/* east */ r\n[ i\n+ 1 ];";
    assert_eq!(store(text, column(text, "= AT", 0)).as_deref(), Some("AT(out,i,1)"));
    assert_eq!(load(text, column(text, "AT(r", 0)).as_deref(), Some("AT(r, i , 2)"));
    assert_eq!(load(text, (4, 1)).as_deref(), Some("r [i + 1]"));
    let text = "x = MAX(a[i], 0) + 1;";
    assert_eq!(load(text, column(text, "MAX", 0)).as_deref(), Some("a[i]"), "what the macro is given");
}

#[test]
fn operands_of_a_loop_tell_each_other_apart() {
    let text = "f[l*3] = lbv[i*3] + lbv[i*3+1] - lbv[3*i+2];";
    let plus = column(text, "+ lbv", 0).1;
    let minus = column(text, "- lbv", 0).1;
    let operand = |column, bytes| Operand {
        line: 1,
        column,
        element: 8,
        moves: true,
        place: Some((0, bytes)),
        ..Operand::default()
    };
    let names = |operands: &[Operand]| expressions(text, Grammar::C, operands);
    let named = names(&[operand(plus, 8), operand(plus, 0), operand(minus, 16)]);
    let named: Vec<&str> = named.iter().map(|n| n.as_deref().unwrap()).collect();
    assert_eq!(named, ["lbv[i*3+1]", "lbv[i*3]", "lbv[3*i+2]"]);
    // Without any column, from the distances alone.
    let named = names(&[operand(0, 8), operand(0, 16), operand(0, 0)]);
    let named: Vec<&str> = named.iter().map(|n| n.as_deref().unwrap()).collect();
    assert_eq!(named, ["lbv[i*3+1]", "lbv[3*i+2]", "lbv[i*3]"]);
    // Whole vectors of an interleaved array are no such element.
    assert_eq!(names(&[operand(0, 32), operand(0, 64), operand(0, 0)]), [None, None, None]);
    // Two operands of different size at one place contradict each other.
    let text = "out[idx[i]] += stat[i] * 3;";
    let at = column(text, "idx", 0).1;
    let wide = Operand { place: None, ..operand(at, 0) };
    assert_eq!(expressions(text, Grammar::C, &[wide, Operand { element: 4, ..wide }]), [None, None]);
}

#[test]
fn variables_and_common_addresses_tell_operands_apart() {
    let text = "a[i] = b[i] + s * c[i];";
    let operand = |needle, variable, array| Operand {
        line: 1,
        column: column(text, needle, 0).1,
        element: 8,
        moves: true,
        variable,
        array,
        ..Operand::default()
    };
    let named =
        |operands: &[Operand], text: &str| -> Vec<Option<String>> { expressions(text, Grammar::C, operands) };
    let some = |texts: &[&str]| texts.iter().map(|text| Some((*text).to_owned())).collect::<Vec<_>>();
    // Both loads became part of the addition.
    let both = [operand("+", Some("c"), None), operand("+", Some("b"), None)];
    assert_eq!(named(&both, text), some(&["c[i]", "b[i]"]));
    // One of them is enough; another one, which no reference names, is what is left over.
    let one = [operand("+", Some("c"), None), operand("+", Some("heap"), None)];
    assert_eq!(named(&one, text), some(&["c[i]", "b[i]"]));
    assert_eq!(named(&[operand("+", None, None), operand("+", None, None)], text), [None, None]);
    // In a namespace, and behind a pointer.
    let scoped = "ns::a[i] = ns::b[i] + *(p + i);";
    let plus = Operand { column: column(scoped, "+ *", 0).1, ..both[0] };
    let scoped_names = [Operand { variable: Some("ns::b"), ..plus }, Operand { variable: None, ..plus }];
    assert_eq!(expressions(scoped, Grammar::Cxx, &scoped_names), some(&["ns::b[i]", "*(p + i)"]));

    // What was seen at the addresses of the store is the same variable.
    let text = "y[i] = y[i] + x[i];";
    let at = |needle, kind, array| Operand {
        line: 1,
        column: column(text, needle, 0).1,
        kind,
        element: 8,
        moves: true,
        array,
        ..Operand::default()
    };
    let (load, store) = (AccessKind::Load, AccessKind::Store);
    let seen = [at("+", load, Some(1)), at("+", load, Some(0)), at("=", store, Some(0))];
    assert_eq!(named(&seen, text), some(&["x[i]", "y[i]", "y[i]"]));
    // Two pointers into one array: nothing is known of them.
    let seen = [at("+", load, Some(0)), at("+", load, Some(0)), at("=", store, Some(0))];
    assert_eq!(named(&seen, text), [None, None, Some("y[i]".to_owned())]);
}

#[test]
fn scalars_of_fortran_do_not_move() {
    let body = |declared: &str| {
        format!("  integer :: i\n  {declared}\n  s = 0\n  do i = 1, n\n    s = s + x(i)\n  end do\n")
    };
    let open = |text: &str| {
        let operand = |line| Operand { line, column: 2, moves: true, ..Operand::default() };
        candidates(text, Grammar::Fortran, &[operand(3), operand(5)])
    };
    assert_eq!(open(&body("real(8) :: s")), 1);
    assert_eq!(open(&body("double precision r, s")), 1);
    // An array, or one perhaps.
    for declared in ["real(8) :: s(9)", "real, dimension(9) :: s", "use m", "integer, allocatable :: s(:)"] {
        assert_eq!(open(&body(declared)), 2, "{declared}");
    }
}

#[test]
fn stencils_in_fortran_are_told_apart_by_distance() {
    let text = "do j = 2, n-1\n do i = 2, n-1\n  V(i,j) = 0.25d0*(u(i-1,j) + U(i+1,j) + u(i, j-1) &\n     + u(i,j+1))\n end do\nend do\n";
    let operand = |bytes| Operand {
        line: 3,
        column: 41,
        element: 8,
        moves: true,
        place: Some((0, bytes)),
        ..Operand::default()
    };
    let written = Operand { kind: AccessKind::Store, place: Some((1, 0)), ..operand(0) };
    let named = expressions(
        text,
        Grammar::Fortran,
        &[operand(0), operand(784), operand(800), operand(1600), written],
    );
    let named: Vec<&str> = named.iter().map(|n| n.as_deref().unwrap_or("-")).collect();
    assert_eq!(named, ["u(i, j-1)", "u(i-1,j)", "U(i+1,j)", "u(i,j+1)", "V(i,j)"]);
    assert_eq!(expression(text, Grammar::Fortran, 3, 1, AccessKind::Load).as_deref(), Some("u(i+…,j+…)"));
    let text = "  x%y(i) = sqrt(x%y(i)) + z\n";
    assert_eq!(expression(text, Grammar::Fortran, 1, 0, AccessKind::Load).as_deref(), Some("x%y(i)"));
    assert_eq!(expression(text, Grammar::Fortran, 1, 0, AccessKind::Store).as_deref(), Some("x%y(i)"));
    let text = "  b = a + 1.0\n  c(:,1) = d(:,2)\n";
    assert_eq!(
        expression(text, Grammar::Fortran, 1, 0, AccessKind::Load).as_deref(),
        Some("a"),
        "a whole array"
    );
    assert_eq!(expression(text, Grammar::Fortran, 2, 0, AccessKind::Store).as_deref(), Some("c(:,1)"));
}

#[test]
fn rust_places_are_those_of_whole_expressions() {
    let text = "for i in 0..n {\n    out[i] = a[i * 3 + 1] + p[i].y;\n}";
    let at = |needle: &str, kind| {
        let (line, column) = column(text, needle, 0);
        expression(text, Grammar::Rust, line, column, kind)
    };
    assert_eq!(at("out", AccessKind::Store).as_deref(), Some("out[i]"));
    assert_eq!(at("p[i]", AccessKind::Load).as_deref(), Some("p[i].y"));
    assert_eq!(at("a[i", AccessKind::Load), None, "the sum begins there, too");
}

#[test]
fn hostile_text_is_survived_and_answers_are_short() {
    let mut texts = vec![
        String::new(),
        "é".repeat(1000),
        "(".repeat(20_000),
        "a[".repeat(20_000),
        "*".repeat(20_000),
        "x = ".to_owned() + &"(-".repeat(10_000) + "a[1]",
        "a[i]+".repeat(20_000),
        "/*".to_owned(),
        "\"\\".to_owned(),
        "'".to_owned(),
        "#define \\\n".to_owned(),
        "     é x(1)=2\n     é".to_owned(),
        "a[ü] = b[ö] /* \u{1F600} */ + c['é'];\n\u{1F600}[1] = 2".to_owned(),
        "x[9223372036854775807*i] = x[-9223372036854775807*9223372036854775807*i] + x[i];".to_owned(),
        "1.e+x..5.and.".to_owned(),
        "} ) ] ; { ( [".repeat(1000),
    ];
    let long = format!("s{} = q[i];", ".member".repeat(100));
    assert!(store(&long, (1, 0)).unwrap().chars().count() <= LONGEST);
    texts.push(long);
    for text in &texts {
        for language in [Grammar::C, Grammar::Cxx, Grammar::Rust, Grammar::Fortran, Grammar::FixedFortran] {
            let mut operands = Vec::new();
            for kind in [AccessKind::Load, AccessKind::Store, AccessKind::Update] {
                for (line, column) in [(0, 0), (1, 0), (1, 1), (1, 5), (1, 8), (2, 1), (u32::MAX, u32::MAX)] {
                    for moves in [false, true] {
                        operands.push(Operand { line, column, kind, moves, ..Operand::default() });
                    }
                }
            }
            for answer in expressions(text, language, &operands).into_iter().flatten() {
                assert!(answer.chars().count() <= LONGEST);
            }
        }
    }
}
