import { describe, expect, it } from "vitest";
import { commandLine } from "./shell";

describe("a command line", () => {
    it("quotes only what a shell would change", () => {
        expect(commandLine(["./lbm", "-n", "10", "größe=3", "a b", "it's", ""])).toBe(String.raw`./lbm -n 10 größe=3 'a b' 'it'\''s' ''`);
        expect(commandLine(["f", "$(reboot)", "a;b", "*"])).toBe("f '$(reboot)' 'a;b' '*'");
    });
    it("shows what cannot be seen", () => {
        expect(commandLine(["a\nb"])).toBe(String.raw`'a\nb'`);
    });
});
