/** Values that several views show and that the document determines without holding them. */

import type { FlatNode, StridePattern, Report } from "../../src/logic/contract";
import { loopOf, total } from "./facts";
import type { Derived, Shown } from "./shown";

const scope = (shown: Shown, name: string): string => shown.scopes.find(([each]) => each === name)?.[1] ?? "";

/** Source loops by their time, the hottest first. */
function groupShares(report: Report): number[] {
    const shares = new Map<number, number>();
    for (const loop of report.analysis.loops) shares.set(loop.group, (shares.get(loop.group) ?? 0) + loop.self_share);
    return [...shares.values()].sort((a, b) => b - a);
}

export const summary: Derived = {
    cpu_seconds: ({ analysis: { program } }) => program.user_seconds + program.system_seconds,
    "cpu_usage.average": ({ analysis: { program } }) => {
        const busy = total(program.cpu_usage.map((seconds, cpus) => seconds * cpus));
        return Math.round((busy / total(program.cpu_usage)) * 10) / 10;
    },
    "program.cpu_usage": ({ analysis: { program } }, shown) => {
        const [from = 0, to = from] = scope(shown, "data-busy").split("-").map(Number);
        return total(program.cpu_usage.slice(from, to + 1));
    },
    "top_share.#": (report, { key }) => total(groupShares(report).slice(0, Number(key.split(".")[1]))),
};

/** A class's instructions as a share of all. */
const mixed = (of: "work" | "total_work") => (report: Report, shown: Shown) => {
    const work = loopOf(report, Number(scope(shown, "data-loop")))[of];
    const part = work?.mix[shown.key.split(".").at(-1) ?? ""];
    return work === undefined || part === undefined ? undefined : part / work.instructions;
};

/** Accesses with a pattern as a share of all executed while traced; variables in the frame left out. */
const walked = (pattern: StridePattern) => (report: Report, shown: Shown) => {
    const all = (loopOf(report, Number(scope(shown, "data-loop"))).access ?? []).filter((each) => each.frame !== true);
    const executed = (some: typeof all) => total(some.map((each) => each.executions));
    return executed(all.filter((each) => each.pattern === pattern)) / executed(all);
};

export const loop: Derived = {
    "access.unit_share": walked("unit"),
    "access.uniform_share": walked("uniform"),
    "access.constant_share": walked("constant"),
    "access.variable_share": walked("variable"),
    // Pairs of a stride and its share: the share is what is shown.
    "access.#.distribution.#": (report, shown) => {
        const [, at = "", , place = ""] = shown.key.split(".");
        return loopOf(report, Number(scope(shown, "data-loop"))).access?.[Number(at)]?.distribution[Number(place)]?.[1];
    },
    parent: (report, shown) => `within loop ${loopOf(report, Number(scope(shown, "data-loop"))).parent ?? "?"} (`,
    "work.mix.*": mixed("work"),
    "total_work.mix.*": mixed("total_work"),
};

/** Keys of a node within a tree. */
export function nodes(tree: readonly FlatNode[]): Derived {
    const whole = tree[0]?.total_seconds ?? 0;
    const node = (shown: Shown) => tree[Number(scope(shown, "data-node"))];
    return {
        total_seconds: (_, shown) => node(shown)?.total_seconds,
        self_seconds: (_, shown) => node(shown)?.self_seconds,
        total_share: (_, shown) => (node(shown)?.total_seconds ?? NaN) / whole,
        self_share: (_, shown) => (node(shown)?.self_seconds ?? NaN) / whole,
        module: (_, shown) => node(shown)?.module,
    };
}
