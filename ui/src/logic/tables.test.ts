import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { expand } from "./tables";

type Json = Parameters<typeof expand>[0];

describe("tables", () => {
    const vectors = JSON.parse(readFileSync(new URL("../../vectors/tables.json", import.meta.url), "utf8")) as { packed: Json; plain: Json }[];

    it("come back as the lists that were packed", () => {
        expect(vectors.length).toBeGreaterThan(10);
        expect(vectors.some(({ packed }) => JSON.stringify(packed).includes('"same"'))).toBe(true);
        for (const { packed, plain } of vectors) expect(expand(packed)).toStrictEqual(plain);
    });

    it("are refused when they are none", () => {
        expect(() => expand({ $table: 3 })).toThrow(TypeError);
        expect(() => expand({ $table: { items: [] } })).toThrow(TypeError);
    });
});
