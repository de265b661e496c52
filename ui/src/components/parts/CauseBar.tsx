import { segmentWords, segments } from "../../logic/bottleneck-words";
import type { Bottleneck } from "../../logic/contract";
import { CAUSE_FAMILIES } from "../../logic/contract/words";

/** The first causes of an iteration's time beside each other; those after the verdict are pale. */
export function CauseBar({ known }: { known: Bottleneck }) {
    return (
        <span class="cause-bar" role="img" aria-label={segmentWords(known)}>
            {segments(known).map(({ cause, part }) => (
                <span
                    key={cause.kind}
                    class={`segment ${CAUSE_FAMILIES[cause.kind]} ${known.verdict.some(({ kind }) => kind === cause.kind) ? "binds" : ""}`}
                    style={{ width: `${(part * 100).toFixed(1)}%` }}
                />
            ))}
        </span>
    );
}
