import { describe, expect, it } from "vitest";
import { type Language, highlight, highlightInstruction, languageOf, linesOf, MOST_LINES, type Piece } from "./highlight";

const text = (lines: Piece[][]): string => lines.map((line) => line.map((piece) => piece.text).join("")).join("\n");
const kinds = (line: Piece[] | undefined, wanted: string): string[] => (line ?? []).filter((piece) => piece.kind === wanted).map((piece) => piece.text);

const SAMPLES: Record<Language, string> = {
    c: '#include <stdio.h>\n/* two\n   lines */ int f(double *restrict a) {\n    return "x\\n"[0] + 0x1f; // end\n}\n',
    cpp: "template <class T>\nauto sum(std::vector<T> const& v) -> T {\n    for (auto x : v) {}\n    return R\"(raw\n\"text\")\"[0];\n}\n",
    fortran: "subroutine axpy(n, a, x, y)\n  integer, intent(in) :: n\n  ! a comment\n  do i = 1, n\n    y(i) = a * x(i) + 1.0d0\n  end do\nend subroutine\n",
    python: 'def f(a):\n    """two\n    lines"""\n    return a + 1\n',
    rust: "/* a /* nested */ comment\n*/\nfn main() -> u32 {\n    let x = 'a';\n    1\n}\n",
    x86asm: "vmovupd zmm0, zmmword ptr [rdi+rax*8]\njne 1004h\n",
};

describe("highlighting", () => {
    it("keeps every character in its line", () => {
        for (const [language, sample] of Object.entries(SAMPLES)) {
            const lines = linesOf(sample);
            const found = highlight(lines, language as Language);
            expect(found.length, language).toBe(lines.length);
            expect(text(found), language).toBe(lines.join("\n"));
            expect(found.flat().some((piece) => piece.kind !== undefined), language).toBe(true);
        }
    });
    it("goes on over lines", () => {
        const found = highlight(linesOf(SAMPLES.c), "c");
        expect(kinds(found[1], "comment")).toEqual(["/* two"]);
        expect(kinds(found[2], "comment")).toEqual(["   lines */"]);
        expect(kinds(found[3], "keyword")).toEqual(["return"]);
        expect(kinds(highlight(linesOf(SAMPLES.python), "python")[2], "string")).toEqual(['    lines"""']);
    });
    it("leaves hostile text as it is", () => {
        const hostile = '</script><script>alert(1)</script> & "<img src=x onerror=alert(1)>"';
        for (const language of [undefined, "c", "cpp", "fortran", "python", "rust", "x86asm"] as const) {
            expect(text(highlight([hostile, hostile], language))).toBe(`${hostile}\n${hostile}`);
        }
    });
    it("leaves unknown languages and huge files plain", () => {
        expect(highlight(["int x;"], undefined)).toEqual([[{ text: "int x;" }]]);
        const many = Array.from({ length: MOST_LINES + 1 }, () => "int x;");
        expect(highlight(many, "c")).toHaveLength(many.length);
        expect(highlight(many, "c")[7]).toEqual([{ text: "int x;" }]);
        expect(highlight([], "c")).toEqual([]);
        expect(highlight([""], "c")).toEqual([[]]);
    });
    it("knows languages by the file's name", () => {
        expect(languageOf("/a/b.F90")).toBe("fortran");
        expect(languageOf("x.c")).toBe("c");
        expect(languageOf("x.hpp")).toBe("cpp");
        expect(languageOf("Makefile")).toBeUndefined();
        expect(languageOf("x.__proto__")).toBeUndefined();
        expect(languageOf("x.constructor")).toBeUndefined();
    });
    it("ends lines as all systems do", () => {
        expect(linesOf("a\r\nb\n\nc")).toEqual(["a", "b", "", "c"]);
        expect(linesOf("")).toEqual([]);
    });
});

describe("instructions", () => {
    it("open with their operation", () => {
        const pieces = highlightInstruction("vfnmadd231pd zmm0, zmm1, zmmword ptr [rdi+rax*8+40h]");
        expect(pieces[0]).toEqual({ text: "vfnmadd231pd", kind: "keyword" });
        expect(pieces.map((piece) => piece.text).join("")).toBe("vfnmadd231pd zmm0, zmm1, zmmword ptr [rdi+rax*8+40h]");
        expect(highlightInstruction("ret")).toEqual([{ text: "ret", kind: "keyword" }]);
        expect(highlightInstruction("")).toEqual([]);
    });
});
