import { useMemo } from "preact/hooks";
import type { LoopRow } from "../../logic/loop-columns";
import { count, share } from "../../logic/quantity";

/** How many source loops the filters leave, and how much of the time those hold. */
export function Shown({ loops, all }: { loops: readonly LoopRow[]; all: number }) {
    const part = useMemo(() => Math.min(loops.reduce((sum, row) => sum + row.group.self_share, 0), 1), [loops]);
    return (
        <p class="shown dim" role="status">
            <span data-key="shown">{count(loops.length)}</span> of <span data-key="all">{count(all)}</span> source loops, {share(part)} of the time
        </p>
    );
}
