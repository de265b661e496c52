import { expect, it } from "vitest";
import { collect, commandLine } from "./invocation";
import type { Analysis } from "./contract";

it("quotes what a shell would take apart", () => {
    expect(commandLine(["./größe", "-n=4", "a b", "it's", "", "$HOME"])).toBe("./größe -n=4 'a b' 'it'\\''s' '' '$HOME'");
    expect(collect({ program: { command: ["./lbm", "40"] } } as Analysis, "roofline")).toBe("loopwright roofline -- ./lbm 40");
});
