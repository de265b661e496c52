import { expect, it } from "vitest";
import type { Analysis } from "./contract";
import { collect } from "./invocation";

it("quotes what a shell would take apart", () => {
    const analysis = { program: { command: ["./lbm", "40", "a b", "it's"] } } as Analysis;
    expect(collect(analysis, "roofline")).toBe("loopwright roofline -- ./lbm 40 'a b' 'it'\\''s'");
});
