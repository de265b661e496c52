/** Where the slots of the pipelines went, in the words of the text output (`crates/report/src/top_down.rs`). */

import type { TopDownFacts } from "./contract";
import { NOTHING_BINDS, SLOTS_COUNTED_BY, SLOTS_COUNTED_IN, SLOTS_OF_CORES, SLOTS_OF_USER_CODE, SLOT_PARTS, TOP_DOWN_AGREES, TOP_DOWN_ALONE, TOP_DOWN_DIFFERS, TOP_DOWN_TOO_LITTLE, TOP_DOWN_UNEXPLAINED } from "./contract/words";
import { filled } from "./phrases";
import { share } from "./quantity";

/** How they were counted. */
export function slotsCounted(known: TopDownFacts): string[] {
    const items = [filled(SLOTS_COUNTED_BY, known.perf, known.asked)];
    if (known.cores !== undefined) items.push(filled(SLOTS_OF_CORES, known.cores));
    if (known.user_only === true) items.push(SLOTS_OF_USER_CODE);
    if (known.counted_share !== undefined) items.push(filled(SLOTS_COUNTED_IN, share(known.counted_share)));
    return items;
}

/** Whether counters and injected operations say the same. */
export function topDownAnswer({ comparison, binds }: TopDownFacts): string {
    if (comparison === undefined) return TOP_DOWN_ALONE;
    const { agreement, confirmed_share: confirmed, measured_share: measured, unexplained } = comparison;
    const named = binds.length === 0 ? NOTHING_BINDS : binds.map(({ part }) => SLOT_PARTS[part]).join("; ");
    if (agreement === "too-little") return filled(TOP_DOWN_TOO_LITTLE, share(measured));
    if (agreement === "agrees") return filled(TOP_DOWN_AGREES, share(confirmed), named);
    return unexplained === undefined ? filled(TOP_DOWN_DIFFERS, share(confirmed), named) : filled(TOP_DOWN_UNEXPLAINED, SLOT_PARTS[unexplained]);
}
