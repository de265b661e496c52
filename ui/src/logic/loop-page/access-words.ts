/** Memory accesses in words, as the text output says them (`crates/report/src/access_patterns.rs`). */

import type { AccessFacts, LoopFacts, OuterStride } from "../contract";
import { baseName } from "../names";
import { share } from "../quantity";

/** Executions by how they move; variables in the function's frame are apart, for they never leave the first cache. */
export function distribution(accesses: readonly AccessFacts[]): { name: string; key: string; share: number }[] {
    const sums = { unit: 0, uniform: 0, constant: 0, variable: 0, frame: 0 };
    let all = 0;
    for (const access of accesses) {
        all += access.executions;
        sums[access.frame === true ? "frame" : access.pattern] += access.executions;
    }
    if (all === 0) return [];
    const names = { unit: "unit stride", uniform: "uniform (always the same address)", constant: "constant stride", variable: "variable", frame: "variables in the frame" };
    return (Object.keys(sums) as (keyof typeof sums)[])
        .filter((key) => sums[key] > 0)
        .map((key) => ({ name: names[key], key, share: sums[key] / all }));
}

/** Those that were seen with their place in the contract's list: first those that move, then those of one address, then variables in the frame. */
export function ordered(loop: LoopFacts): { access: AccessFacts; at: number }[] {
    const seen = (loop.access ?? []).map((access, at) => ({ access, at })).filter(({ access }) => access.executions > 0);
    const rank = ({ access }: { access: AccessFacts }) => (access.frame === true ? 2 : access.pattern === "uniform" ? 1 : 0);
    return seen.sort((a, b) => rank(a) - rank(b));
}

/** `54`, or `mesh.h:54` in another file than the loop's. */
export function lineOf(loop: LoopFacts, file: string | undefined, line: number | undefined): string | undefined {
    if (line === undefined) return undefined;
    return file !== undefined && file !== loop.file ? `${baseName(file)}:${line}` : String(line);
}

/** The expression, or the instruction where no expression is known. */
export function operand(access: AccessFacts): string {
    const own = access.operand ?? (access.addresses[0] === undefined ? "" : `at ${access.addresses[0]}`);
    return access.function === undefined ? own : `${own} in ${access.function}`;
}

export function kind(access: AccessFacts): string {
    const words: string[] = [];
    if (access.streaming === true) words.push("streaming");
    if (access.atomic === true) words.push("atomic");
    if (access.lanes > 1) words.push(access.kind === "load" ? "gather" : "scatter");
    else words.push(access.kind);
    return words.join(" ");
}

/** A stride in elements where it is a whole number of them, else in bytes. */
export function distance(elements: number | undefined, size: number | undefined): string | undefined {
    if (elements !== undefined) return `${elements} ${Math.abs(elements) === 1 ? "element" : "elements"}`;
    return size === undefined ? undefined : `${size} B`;
}

/** What the access does over one loop around: `100 elements`, `uniform`. */
function over(outer: OuterStride, element: number): string {
    if (outer.pattern === "uniform" || outer.pattern === "variable") return outer.pattern;
    const size = outer.stride_bytes;
    const whole = size !== undefined && element > 0 && size % element === 0 ? size / element : undefined;
    return distance(whole, size) ?? outer.pattern;
}

/** The same over all loops around, neighbours that are alike together. */
export function around(access: AccessFacts): { what: string; loops: OuterStride[] }[] {
    const parts: { what: string; loops: OuterStride[] }[] = [];
    for (const outer of access.outer ?? []) {
        const what = over(outer, access.element_bytes);
        const last = parts.at(-1);
        if (last?.what === what) last.loops.push(outer);
        else parts.push({ what, loops: [outer] });
    }
    return parts;
}

/** What the pattern means for the caches and for vectors, in a sentence. */
export function meaning(access: AccessFacts, line: number): string {
    const { pattern, stride_bytes: stride, element_bytes: element } = access;
    switch (pattern) {
        case "uniform":
            return "Every iteration uses the same address: one load outside the loop would do, where the compiler may.";
        case "unit":
            return stride !== undefined && stride < 0
                ? "Neighbouring elements, backwards: every byte of a line is used; vectors need their lanes reversed."
                : "Neighbouring elements one after the other: every byte of a line is used, and vectors load whole.";
        case "constant":
            if (stride === undefined || Math.abs(stride) <= element) return "A constant stride.";
            return Math.abs(stride) >= line
                ? `Each iteration asks for a line of its own and uses ${element} of its ${line} bytes, unless other accesses use the rest.`
                : `${element} of every ${Math.abs(stride)} bytes are used (${share(element / Math.abs(stride))}), unless other accesses use the rest.`;
        case "variable":
            return access.lanes > 1
                ? "Each lane has an address of its own."
                : "The distance changes from iteration to iteration: no vector loads it whole, and no prefetcher foresees it.";
    }
}

/** The distances between the lanes of a gather or scatter. */
export function gatherWords(access: AccessFacts): string[] {
    const lanes = access.gather;
    if (lanes === undefined) return [];
    const words: string[] = [];
    if (lanes.lane_stride_bytes !== undefined) words.push(`lanes are ${lanes.lane_stride_bytes} bytes apart nearly always`);
    words.push(`${share(lanes.affine_share)} of the executions have equidistant lanes`);
    words.push(`${share(lanes.ascending_share)} of the steps between lanes go up`);
    return words;
}

/** `-4000 B`: strides are compared, so that they keep one unit. */
export function strideLabel(size: number): string {
    return `${size} B`;
}
