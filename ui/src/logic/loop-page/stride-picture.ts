/** What is drawn of an access, and the same in words: which walk, how many lines, how many lanes. */

import type { AccessFacts } from "../contract";
import { counted, share, tenths } from "../quantity";
import { type TouchedLine, type Walk, steadyUse, touchedLines } from "./cache-lines";

/** Lines drawn: a short stride repeats itself soon, a long one shows its gaps. */
const LINES = 3;
const LINES_OF_LONG = 4;
/** Iterations drawn. */
const ITERATIONS = 256;

export interface StrideScene {
    walk: Walk;
    /** What is numbered: iterations of the loop as written, or lanes of one execution. */
    of: "iteration" | "lane";
    lines: TouchedLine[];
    /** Elements that one vector of the machine holds. */
    lanes: number;
    words: string;
}

/** Elements of the machine's operand, where it holds whole elements side by side. */
function vectorLanes(access: AccessFacts): number {
    if (access.lanes > 1) return access.lanes;
    if (Math.abs(access.stride_bytes ?? 0) !== access.element_bytes) return access.source_factor;
    const whole = access.operand_bytes > access.element_bytes && access.operand_bytes % access.element_bytes === 0;
    return whole ? access.operand_bytes / access.element_bytes : 1;
}

/** For accesses with a constant stride, or lanes that are equidistant; undefined where no one picture is true. */
export function scene(access: AccessFacts, line: number): StrideScene | undefined {
    const element = access.element_bytes;
    const lane = access.gather?.lane_stride_bytes;
    const of = access.stride_bytes === undefined ? "lane" : "iteration";
    const stride = access.stride_bytes ?? lane;
    if (stride === undefined) return undefined;
    const walk: Walk = { stride, element, line, ...(access.offset_bytes === undefined ? {} : { offset: access.offset_bytes }) };
    const most = of === "lane" ? access.lanes : stride === 0 ? 1 : ITERATIONS;
    const lines = touchedLines(walk, Math.abs(stride) > line ? LINES_OF_LONG : LINES, most);
    if (lines.length === 0) return undefined;
    return { walk, of, lines, lanes: of === "lane" ? 1 : vectorLanes(access), words: words(walk, of, lines) };
}

function words(walk: Walk, of: StrideScene["of"], lines: readonly TouchedLine[]): string {
    const { stride, element, line } = walk;
    if (stride === 0) return `Every iteration uses the same ${element} bytes of one cache line.`;
    const use = steadyUse(walk);
    const step = of === "lane" ? "lane" : "iteration";
    const direction = stride < 0 ? "down" : "up";
    const first = `Each ${step} goes ${Math.abs(stride)} bytes ${direction}.`;
    if (use === undefined) return first;
    const perLine = (use.iterations * line) / use.fetched;
    const density =
        perLine >= 2
            ? `A cache line holds ${Number.isInteger(perLine) ? `${perLine} of the elements` : `${tenths(perLine)} of the elements on average`}`
            : perLine > 1 ? "Two elements share a cache line now and then" : perLine === 1 ? `Each ${step} needs a cache line of its own` : `Each ${step} needs more than one cache line on average`;
    const gap = lines.reduce((most, each) => Math.max(most, each.skipped), 0);
    const skipped = gap > 0 ? `, with ${counted(gap, "line", "lines")} in between untouched` : "";
    const split = use.splits > 0 ? ` ${counted(use.splits, "element", "elements")} of ${use.iterations} would be across two lines.` : "";
    return `${first} ${density}${skipped}: this access alone uses ${share(use.used / use.fetched)} of the bytes that it fetches.${split}`;
}
