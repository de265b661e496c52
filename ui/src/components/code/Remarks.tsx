/** What compilers said about a line, below it. */

import type { Explanation, LineRemark } from "../../logic/contract";
import { Name } from "../parts/Name";

/** Sign and word of each outcome: the colour only repeats them. */
const OUTCOMES: Record<LineRemark["outcome"], [sign: string, word: string]> = {
    missed: ["✗", "missed"],
    vectorized: ["✓", "vectorised"],
    note: ["ℹ", "note"],
};

function Explained({ id, reason }: { id: string; reason: Explanation | undefined }) {
    if (reason === undefined) return <code class="reason">{id}</code>;
    return (
        <details class="reason">
            <summary>{reason.title}</summary>
            <p>{reason.meaning}</p>
        </details>
    );
}

export function Remarks({ remarks, reasons }: { remarks: readonly LineRemark[]; reasons: Record<string, Explanation> }) {
    return (
        <ul class="code-remarks" aria-label="Compilers' remarks">
            {remarks.map((remark, at) => {
                const [sign, word] = OUTCOMES[remark.outcome];
                return (
                    <li key={at} class={remark.outcome}>
                        <span class="outcome">
                            <span aria-hidden="true">{sign}</span> {word}
                        </span>{" "}
                        <span class="dim">
                            <Name text={remark.compiler} longest={40} />
                            {remark.column !== undefined && remark.column > 0 && `, column ${remark.column}`}:
                        </span>{" "}
                        <Name text={remark.message} longest={600} />
                        {remark.reason !== undefined && (
                            <>
                                {" "}
                                <Explained id={remark.reason} reason={Object.hasOwn(reasons, remark.reason) ? reasons[remark.reason] : undefined} />
                            </>
                        )}
                    </li>
                );
            })}
        </ul>
    );
}

/** How many remarks a line has, and the button that opens them. */
export function RemarkButton({ remarks, open, onToggle }: { remarks: readonly LineRemark[]; open: boolean; onToggle: () => void }) {
    const gravest = (["missed", "vectorized", "note"] as const).find((outcome) => remarks.some((remark) => remark.outcome === outcome)) ?? "note";
    const text = `${remarks.length} ${remarks.length === 1 ? "remark" : "remarks"}, ${OUTCOMES[gravest][1]}`;
    return (
        <button type="button" tabIndex={-1} class={`code-remark-button ${gravest}`} aria-expanded={open} title={text} aria-label={text} onClick={onToggle}>
            <span aria-hidden="true">
                {OUTCOMES[gravest][0]}
                {remarks.length > 1 && remarks.length}
                {open ? " ▾" : " ▸"}
            </span>
        </button>
    );
}
