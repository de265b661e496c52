/** Memory operands as the binary shows them (`crates/report/src/memory_operands.rs`). */

import type { StaticStride } from "../contract";
import { CONTIGUOUS, CONTIGUOUS_BACKWARDS, PARTLY_USED, SAME_PLACE } from "../contract/words";
import { filled } from "../phrases";
import { share } from "../quantity";

/** Operands of one line that advance together (an unrolled body) are one access. */
export interface StaticAccess extends StaticStride {
    operands: number;
    /** Place of the first in the contract's list. */
    at: number;
}

export function grouped(strides: readonly StaticStride[]): StaticAccess[] {
    const found = new Map<string, StaticAccess>();
    for (const [at, stride] of strides.entries()) {
        const key = `${stride.line} ${stride.store} ${stride.bytes} ${stride.size}`;
        const known = found.get(key);
        if (known === undefined) found.set(key, { ...stride, operands: 1, at });
        else known.operands += 1;
    }
    return [...found.values()].sort((a, b) => a.line - b.line || Number(a.store) - Number(b.store) || a.bytes - b.bytes || a.size - b.size);
}

/** `count` operands use `count * size` of each `bytes`. */
export function pattern({ bytes, size, operands }: StaticAccess): string {
    const step = Math.abs(bytes);
    const used = operands * size;
    if (step === 0) return SAME_PLACE;
    if (used >= step) return bytes < 0 ? CONTIGUOUS_BACKWARDS : CONTIGUOUS;
    return filled(PARTLY_USED, used, step, share(used / step));
}
