import { describe, expect, it } from "vitest";
import { commandLine } from "./shell";

describe("a command line", () => {
    it("quotes only what a shell would change", () => {
        expect(commandLine(["./lbm", "-n", "10", "größe=3", "a b", "it's", ""])).toBe(String.raw`./lbm -n 10 größe=3 'a b' 'it'\''s' ''`);
        expect(commandLine(["f", "$(reboot)", "a;b", "*"])).toBe("f '$(reboot)' 'a;b' '*'");
    });
    it("writes what cannot be seen so that a shell reads it back", () => {
        expect(commandLine(["python3", "-c", "a = 'x\\y'\nprint(a)\u202e\u001b"])).toBe(String.raw`python3 -c $'a = \'x\\y\'\nprint(a)\u202e\u001b'`);
    });
});
