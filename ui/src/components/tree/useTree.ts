import { useMemo } from "preact/hooks";
import type { Analysis, Report } from "../../logic/contract";
import { loopsById } from "../../logic/groups";
import type { Route } from "../../logic/route";
import { type NodeKind, kindOf } from "../../logic/tree/kinds";
import { type Tree, type TreeNode, treeOf } from "../../logic/tree/nodes";
import { type Origin, chosen, origins } from "../../logic/tree/sources";

export interface ShownTree {
    tree: Tree;
    origin: Origin;
    all: Origin[];
    kind: (node: TreeNode) => NodeKind;
}

/** The tree that the address asks for; undefined when the run has none. */
export function useTree(report: Report, route: Route): ShownTree | undefined {
    const all = useMemo(() => origins(report), [report]);
    const origin = chosen(all, route.query.get("of"));
    const tree = useMemo(() => (origin === undefined ? undefined : treeOf(origin.list())), [origin]);
    const analysis: Analysis = report.analysis;
    const kind = useMemo(() => kindOf(analysis, loopsById(analysis)), [analysis]);
    return tree === undefined || origin === undefined ? undefined : { tree, origin, all, kind };
}
