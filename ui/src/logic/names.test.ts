import { expect, test } from "vitest";
import { bareFunction, elidedFunction, elidedNode } from "./names";

test("what is around the parameters goes with them", () => {
    expect(bareFunction("double integrate<double, 10>(System<double>&, int)")).toBe("integrate<double, 10>");
    expect(bareFunction("System<float>::energy() const")).toBe("System<float>::energy");
    expect(bareFunction("main::{lambda(int)#1}::operator()(int) const")).toBe("main::{lambda#1}::operator()");
    expect(bareFunction("operator new(unsigned long)")).toBe("operator new");
    expect(bareFunction("std::ostream& operator<< <char>(std::ostream&, char)")).toBe("operator<< <char>");
    expect(bareFunction("f(int) [clone .part.0]")).toBe("f");
    expect(bareFunction("a::(anonymous namespace)::f(int)")).toBe("a::f");
    for (const whole of ["main", "mult._omp_fn.0", "<a as b>::c", "", "core::fmt::Formatter::pad"]) expect(bareFunction(whole)).toBe(whole);
    for (const broken of ["(", ")", "<<<(", "f((((", "operator", "operator<"]) expect(bareFunction(broken).length).toBeLessThanOrEqual(broken.length);
});

test("a function's name has a hole in its middle only when nothing else helps", () => {
    expect(elidedFunction("System<double>::move(double)", 40)).toBe("System<double>::move(double)");
    expect(elidedFunction("System<double>::move(double)", 24)).toBe("System<double>::move");
    expect(elidedFunction("System<double>::move(double)", 12)).toBe("System…:move");
});

test("of a loop in a narrow box the place stays", () => {
    const name = "loop at tmpl.cpp:9 in System<double>::move(double)";
    expect(elidedNode(name, 60)).toBe(name);
    expect(elidedNode(name, 36)).toBe("tmpl.cpp:9 in System<double>::move");
    expect(elidedNode(name, 16)).toBe("tmpl.cpp:9");
    expect(elidedNode("loop at a_long_file.cpp:9", 12)).toBe("a_long…cpp:9");
    expect(elidedNode("double f<int>(int)", 8)).toBe("f<int>");
});
