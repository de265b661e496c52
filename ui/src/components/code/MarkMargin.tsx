/** The loops beside a source line, as Cray's loopmark listings draw them, and what the letters mean. */

import { legend, type MarkHere, wordsOf } from "../../logic/code/margin";
import type { Mark } from "../../logic/contract";
import { address } from "../../logic/route";

const ARROWS = { start: "<", end: ">", single: "-" };

interface MarkEdgeProps {
    here: MarkHere;
    /** The next loop inwards that also begins or ends here: the rule leads up to its letters. */
    inner: MarkHere | undefined;
    slotWidth: number;
    chosen: boolean;
}

function MarkEdge({ here: { mark, edge }, inner, slotWidth, chosen }: MarkEdgeProps) {
    const left = { left: `${mark.slot * slotWidth}ch` };
    const style = inner === undefined ? left : { ...left, right: "auto", width: `${(inner.mark.slot - mark.slot) * slotWidth}ch` };
    const name = `mark ${edge}${chosen ? " chosen" : ""}`;
    const [loop] = mark.loops;
    if (edge === "through") return <span class={name} style={left} />;
    const lines = mark.from === mark.to ? `line ${mark.from}` : `lines ${mark.from} to ${mark.to}`;
    const title = `Loop ${mark.loops.join(", ")}, ${lines}: ${wordsOf(mark.letters)}`;
    return (
        <span class={name} style={style}>
            {loop === undefined || edge === "end" ? (
                <span class="letters" title={title} aria-hidden="true">
                    {mark.letters}
                </span>
            ) : (
                <a class="letters" href={address("loop", loop)} tabIndex={-1} title={title} aria-label={title} data-loop={loop} data-key="marks.letters">
                    {mark.letters}
                </a>
            )}
            <span class="rule" />
            {inner?.edge !== edge && (
                <span class="arrow" aria-hidden="true">
                    {ARROWS[edge]}
                </span>
            )}
        </span>
    );
}

export function MarkMargin({ marks, slotWidth, loop }: { marks: readonly MarkHere[]; slotWidth: number; loop: number | undefined }) {
    return (
        <span class="code-marks" role="gridcell">
            {marks.map((here, at) => (
                <MarkEdge
                    key={here.mark.slot}
                    here={here}
                    inner={marks.slice(at + 1).find((other) => other.edge !== "through")}
                    slotWidth={slotWidth}
                    chosen={loop !== undefined && here.mark.loops.includes(loop)}
                />
            ))}
        </span>
    );
}

export function MarkLegend({ marks }: { marks: readonly Mark[] }) {
    const letters = legend(marks);
    if (letters.length === 0) return null;
    return (
        <dl class="code-legend" aria-label="Letters beside the lines">
            {letters.map(([letter, meaning]) => (
                <div key={letter}>
                    <dt>{letter}</dt>
                    <dd>{meaning}</dd>
                </div>
            ))}
        </dl>
    );
}
