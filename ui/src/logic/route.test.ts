import { describe, expect, it } from "vitest";
import { address, parse } from "./route";

describe("routes", () => {
    it("read what they write", () => {
        const route = parse(address("loops", undefined, { sort: "self", q: "a&b=c d", page: "" }));
        expect(route.view).toBe("loops");
        expect(Object.fromEntries(route.query)).toEqual({ sort: "self", q: "a&b=c d" });
        expect(parse(address("loop", 12))).toMatchObject({ view: "loop", loop: 12 });
    });
    it("lead to the summary when they mean nothing", () => {
        for (const hash of ["", "#", "#/", "#/nowhere/3", "#<script>", "#/__proto__"]) {
            expect(parse(hash).view).toBe("summary");
        }
        expect(parse("#/loop/12x").loop).toBeUndefined();
        expect(parse("#/loop/99999999999").loop).toBeUndefined();
    });
});
