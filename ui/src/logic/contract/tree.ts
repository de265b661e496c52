/** A node of a top-down tree, written as a list in which each node stands after its parent. */
export interface FlatNode {
    /** Place of the parent in the list; null for the root. */
    parent: number | null;
    kind: "program" | "function" | "loop";
    name: string;
    loop_id?: number;
    module: string;
    self_seconds: number;
    total_seconds: number;
}
