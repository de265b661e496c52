import type { Confidence } from "../../logic/contract";

/** How sure a prediction is. */
export function Sureness({ confidence }: { confidence: Confidence }) {
    return (
        <span class={`badge ${confidence}`} data-key="confidence">
            {confidence} confidence
        </span>
    );
}
